// Programs that survive, by the thousand: ranks do one collective after another, agree each time on how it went, and go on
// in a smaller group where a member has died. Deaths come at moments that a seed draws.
//
// What must hold: a collective that is reported as done has the right result, everything ends in its time, and those that
// live go through the same rounds with the same members to the end. A failure names its seed, as in seeds_test.cpp.
#include "core/ranks.hpp"
#include "core/seeds.hpp"

#include <polder/collective.hpp>

#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace polder::test {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr unsigned kRounds = 8;
constexpr std::chrono::nanoseconds kSoon = 2s;  // of virtual time

struct Plan {
  Rank ranks = 0;
  std::uint64_t seed = 0;
  std::set<Rank> dead;
};

class Program {
 public:
  Program(Runtime& rt, const Plan& plan) : rt_(rt), plan_(plan) {}

  // What has happened, as far as all that live must have seen the same.
  std::string run() {
    for (unsigned round = 0; round < kRounds && !over_; ++round) {
      util::Random random(util::mix(plan_.seed * 100 + round));
      const Status done = collective(random);
      agree_on(done.ok());
    }
    return over_ ? "" : course_;
  }

 private:
  Group& group() { return smaller_ == nullptr ? rt_.world() : *smaller_; }
  bool dies() const { return plan_.dead.contains(rt_.rank()); }

  Status collective(util::Random& random) {
    const auto kind = random.below(5);
    const auto elements = std::size_t{1} << random.below(14);
    const auto root = Rank(random.below(group().size()));
    switch (kind) {
      case 0: return group().barrier(kSoon);
      case 1: return sum(elements, std::nullopt);
      case 2: return sum(elements, root);
      case 3: return spread(elements, root);
      default: return gather();
    }
  }

  Status sum(std::size_t elements, std::optional<Rank> root) {
    const std::vector<std::uint64_t> mine(elements, rt_.rank() + 1);
    std::vector<std::uint64_t> all(elements);
    const auto add = *reduction(Reduction::sum, DataType::uint64, elements);
    const Status status = root ? reduce(group(), *root, add, mine.data(), all.data(), kSoon)
                               : allreduce(group(), add, mine.data(), all.data(), kSoon);
    const auto ranks = group().ranks();
    const std::uint64_t expected = std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0}) + ranks.size();
    if (status.ok() && (!root || *root == group().index())) {
      EXPECT_EQ(all, std::vector<std::uint64_t>(elements, expected)) << "rank " << rt_.rank();
    }
    return status;
  }

  Status spread(std::size_t elements, Rank root) {
    std::vector<std::uint64_t> data(elements, group().index() == root ? 4711 : 0);
    const Status status = broadcast(group(), root, data.data(), elements * 8, kSoon);
    if (status.ok()) {
      EXPECT_EQ(data, std::vector<std::uint64_t>(elements, 4711)) << "rank " << rt_.rank();
    }
    return status;
  }

  Status gather() {
    const Rank mine = rt_.rank();
    std::vector<Rank> all(group().size());
    const Status status =
        group().allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), kSoon);
    if (status.ok()) {
      EXPECT_TRUE(std::ranges::equal(all, group().ranks())) << "rank " << rt_.rank();
    }
    return status;
  }

  void agree_on(bool done) {
    auto agreed = group().agree(done ? kAll : 0, kSoon);
    if (failed(agreed, "agree")) return;
    course_ += agreed->bits == kAll && agreed->failed.empty() ? "." : "!";
    if (course_.back() == '.') return;
    auto smaller = group().shrink(kSoon);
    if (failed(smaller, "shrink")) return;
    smaller_ = *std::move(smaller);
    for (const Rank rank : smaller_->ranks()) course_ += std::to_string(rank);
  }

  template <class Outcome>
  bool failed(const Outcome& outcome, const char* call) {
    over_ = !outcome.ok();
    if (over_) {
      EXPECT_TRUE(dies()) << call << " at rank " << rt_.rank() << ": " << outcome.status().to_string();
    }
    return over_;
  }

  Runtime& rt_;
  const Plan& plan_;
  std::unique_ptr<Group> smaller_;
  std::string course_;
  bool over_ = false;
};

SimulationOptions options_of(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 0xc011));
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(50'000));
  options.detection_ns = 2'000'000;
  if (options.device != SimulatedDevice::direct && random.below(3) == 0) options.ranks_per_node = 2;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

void run_seed(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 0xdead));
  Plan plan{.ranks = Rank(2 + random.below(6)), .seed = seed, .dead = {}};
  Simulation simulation(plan.ranks, options_of(seed));
  constexpr std::int64_t kBegin = 50'000'000;  // all have started
  for (auto deaths = random.below(3); deaths != 0; --deaths) {
    const auto victim = Rank(random.below(plan.ranks));
    if (plan.dead.size() + 1 < plan.ranks && plan.dead.insert(victim).second)
      simulation.at(kBegin + std::int64_t(random.below(1'500'000)), [&simulation, victim] { simulation.kill(victim); });
  }
  std::set<std::string> courses;
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    simulation.sleep(kBegin - simulation.now_ns());
    const std::string course = Program(rt, plan).run();
    if (!plan.dead.contains(rt.rank())) courses.insert(course);
  })));
  EXPECT_EQ(courses.size(), 1u) << testing::PrintToString(courses);
}

class CollectiveSeeds : public testing::TestWithParam<std::uint64_t> {};
constexpr std::uint64_t kParts = 5;

TEST_P(CollectiveSeeds, ThoseThatLiveGoThroughTheSameRounds) {
  run_seeds(GetParam(), kParts, 2'000, run_seed);
}

INSTANTIATE_TEST_SUITE_P(Parts, CollectiveSeeds, testing::Range(std::uint64_t{0}, kParts));

}  // namespace
}  // namespace polder::test
