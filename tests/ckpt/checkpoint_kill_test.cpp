// Ranks that die at any moment of start, commit and restore: those that live are at one epoch, with the data of it, and
// go on from there.
#include "core/ranks.hpp"
#include "core/seeds.hpp"
#include "util/random.hpp"

#include <polder/checkpoint.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace polder::test {
namespace {

constexpr std::uint64_t kEpochs = 6;

std::vector<std::uint64_t> data_of(Rank member, std::uint64_t epoch) {
  std::vector<std::uint64_t> data(100 + 600 * (member % 3));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = util::mix(i / 50 + epoch * (i % 2) + member * 1000);
  return data;
}

struct Course {
  std::set<Rank> dead;
  std::set<std::string> restored;  // of each turn: epoch and who failed
  int ended = 0;
};

SimulationOptions options_of(std::uint64_t seed) {
  util::Random random(util::mix(seed));
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(50'000));
  options.detection_ns = 1'000'000;
  if (options.device != SimulatedDevice::direct && random.below(2) == 0) options.ranks_per_node = 2;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

// Epochs until one fails or all are there.
Status save(Checkpoint& saved, std::vector<std::uint64_t>& data, Rank rank) {
  while (saved.epoch() < kEpochs) {
    const auto next = data_of(rank, saved.epoch() + 1);
    std::copy(next.begin(), next.end(), data.begin());  // what is registered stays where it is
    if (auto status = saved.start(60s); !status.ok() && status.code() != Code::peer_failed) return status;
    if (auto status = saved.commit(60s); !status.ok()) return status;
  }
  return {};
}

struct Job {
  Runtime& rt;
  Simulation& simulation;
  Course& course;
  CheckpointSpec spec;

  bool dies() const { return course.dead.contains(rt.rank()); }
  bool turn(Group& group, int number);
  void run();
};

// False: this rank has died, or the data are lost. Afterwards spec.first_epoch is the epoch that all are at.
bool Job::turn(Group& group, int number) {
  std::vector<std::uint64_t> data = data_of(rt.rank(), spec.first_epoch);
  Checkpoint saved(rt, group, spec);
  EXPECT_TRUE(ok(saved.add(data.data(), data.size() * 8)));
  if (!saved.open(60s).ok()) return true;
  if (save(saved, data, rt.rank()).ok()) {
    EXPECT_EQ(data, data_of(rt.rank(), kEpochs));
  }
  auto restored = saved.restore(60s);
  if (!restored.ok()) {
    if (dies()) return false;
    EXPECT_GT(course.dead.size(), spec.mirrors) << restored.status().to_string();
    EXPECT_NE(restored.status().message().find("no copy is left"), std::string::npos) << restored.status().to_string();
    return false;
  }
  course.restored.insert(std::to_string(number) + ": " + std::to_string(restored->epoch) + " without " +
                         testing::PrintToString(restored->failed));
  if (restored->epoch != spec.first_epoch) {  // else nothing was committed here, and nothing is changed
    EXPECT_EQ(data, data_of(rt.rank(), restored->epoch)) << "rank " << rt.rank();
  }
  for (const Rank rank : restored->failed) {
    if (restored->epoch == spec.first_epoch) break;
    std::vector<std::uint64_t> part(data_of(rank, 0).size());
    auto status = saved.fetch(*group.relative(rank), std::as_writable_bytes(std::span(part)), 60s);
    EXPECT_TRUE(!status.ok() || part == data_of(rank, restored->epoch));
    EXPECT_TRUE(status.ok() || dies() || course.dead.size() > spec.mirrors) << status.to_string();
  }
  spec.first_epoch = restored->epoch;
  (void)group.agree(0, 60s);  // until all have read
  return true;
}

void Job::run() {
  std::unique_ptr<Group> own;
  for (int number = 0;; ++number) {
    Group& group = own ? *own : rt.world();
    if (group.size() <= spec.mirrors) return;
    if (!turn(group, number)) return;
    auto smaller = group.shrink(60s);
    if (!smaller.ok()) {
      EXPECT_TRUE(dies()) << smaller.status().to_string();
      return;
    }
    const bool same = (*smaller)->size() == group.size();
    own = *std::move(smaller);
    if (same && spec.first_epoch == kEpochs) break;
  }
  ++course.ended;
}

void run_seed(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 4711));
  const auto ranks = Rank(3 + random.below(5));
  Simulation simulation(ranks, options_of(seed));
  Course course;
  const CheckpointSpec spec = {.mirrors = std::uint32_t(1 + random.below(2)), .changed_pages = random.below(2) == 0};
  for (Rank deaths = Rank(random.below(4)); deaths != 0; --deaths) {
    const auto victim = Rank(random.below(ranks));
    if (course.dead.size() + 1 < ranks && course.dead.insert(victim).second)
      simulation.at(20'000'000 + std::int64_t(random.below(3'000'000)), [&, victim] { simulation.kill(victim); });
  }
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    simulation.sleep(20'000'000 - simulation.now_ns());
    Job{rt, simulation, course, spec}.run();
    simulation.sleep(1'000'000'000);
  })));
  std::set<std::string> turns;
  for (const auto& text : course.restored)
    EXPECT_TRUE(turns.insert(text.substr(0, text.find(':'))).second) << testing::PrintToString(course.restored);
  if (course.dead.size() <= spec.mirrors && ranks - course.dead.size() > spec.mirrors) {
    EXPECT_GE(course.ended, int(ranks - course.dead.size()));
  }
}

class CheckpointSeeds : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, CheckpointSeeds, testing::Range(std::uint64_t{0}, std::uint64_t{2}));

TEST_P(CheckpointSeeds, AllThatLiveAreAtTheSameEpoch) {
  run_seeds(GetParam(), 2, 200, run_seed);
}

}  // namespace
}  // namespace polder::test
