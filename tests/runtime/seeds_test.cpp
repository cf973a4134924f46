// Thousands of jobs, each with a course and faults of its own that a seed draws. In each, ranks do what they like to
// each other's memory, meet, make groups of survivors, and die at moments that nobody chose.
//
// What must hold: every call ends within its timeout, with success or with an error that says what has died; what was
// reported as done has been done; and survivors find each other. A failure names its seed: run that one again with
// POLDER_TEST_SEED=N, and it takes the same course.
#include "core/seeds.hpp"
#include "core/ranks.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <string>

namespace polder::test {
namespace {

constexpr std::uint64_t kSeeds = 4'000;
constexpr SegmentId kShared = 1;
constexpr std::uint64_t kWords = 64;  // of a rank: word r belongs to rank r, the last one is a counter
constexpr std::chrono::nanoseconds kSoon = 200ms;
constexpr std::int64_t kAllHaveActed = 5'000'000'000;  // of virtual time: set-up, and a dozen calls that time out

bool is_expected(Code code) {
  switch (code) {
    case Code::ok:
    case Code::timeout:
    case Code::peer_failed:
    case Code::closed:
    case Code::queue_full:
    case Code::invalid_segment: return true;  // of a rank that has left
    default: return false;
  }
}

// One rank of such a job.
class Actor {
 public:
  Actor(Simulation& simulation, Runtime& rt, std::uint64_t seed)
      : simulation_(simulation), rt_(rt), random_(util::mix(seed * 1000 + rt.rank())) {}

  void act() {
    const bool ready = set_up();
    for (int step = 0; step < 12 && alive_ && ready; ++step) act_once();
    if (alive_) meet_survivors();
  }

 private:
  // Runs a call, and holds it to what calls promise.
  template <class Call>
  Code checked(const char* name, Call&& call) {
    const std::int64_t begin = simulation_.now_ns();
    const Status status = status_of(call());
    const std::int64_t took = simulation_.now_ns() - begin;
    EXPECT_TRUE(is_expected(status.code())) << name << " at rank " << rt_.rank() << ": " << status.to_string();
    // Some legs of a call look at their deadline only when a slice of sleep is over.
    EXPECT_LE(took, std::chrono::nanoseconds(kSoon + 100ms).count()) << name << " at rank " << rt_.rank();
    if (status.code() == Code::closed) alive_ = false;
    return status.code();
  }

  bool set_up() {
    return checked("create_segment", [&] {
             return rt_.create_segment({.size = kWords * 8, .id = kShared, .notifications = 8}, rt_.world(), kSoon);
           }) == Code::ok;
  }

  Rank somebody() { return Rank(random_.below(rt_.size())); }

  void act_once() {
    switch (random_.below(7)) {
      case 0: return put_and_get();
      case 1: return add();
      case 2: return notify();
      case 3: return void(checked("barrier", [&] { return rt_.world().barrier(kSoon); }));
      case 4: return void(checked("fence_all", [&] { return rt_.fence_all(kSoon); }));
      case 5: return void(checked("wait_some", [&] { return rt_.wait_some(kShared, 0, 8, 50us); }));
      case 6: return simulation_.sleep(std::int64_t(random_.below(100'000)));
    }
  }

  // The word is nobody else's, so what was put is what is got, unless the target has died.
  void put_and_get() {
    const GlobalAddress mine{somebody(), kShared, rt_.rank() * 8};
    const std::uint64_t sent = random_.next();
    std::uint64_t got = 0;
    if (checked("put", [&] { return rt_.put(&sent, mine, 8, Post(Until::remote, kSoon)); }) != Code::ok) return;
    if (checked("get", [&] { return rt_.get(&got, mine, 8, Post(Until::local, kSoon)); }) != Code::ok) return;
    EXPECT_EQ(got, sent) << "rank " << rt_.rank();
  }

  // A counter only grows.
  void add() {
    const Rank target = somebody();
    std::uint64_t before = 0;
    const Code code = checked("fetch_add", [&]() -> Status {
      auto old = rt_.fetch_add<std::uint64_t>({target, kShared, (kWords - 1) * 8}, 1, kSoon);
      if (old.ok()) before = *old;
      return old.ok() ? Status() : std::move(old).status();
    });
    if (code != Code::ok) return;
    std::uint64_t& least = least_.at(target);
    EXPECT_GE(before, least);
    least = before + 1;
  }

  void notify() {
    checked("notify", [&] {
      return rt_.notify(somebody(), kShared, {.id = NotificationId(random_.below(8)), .value = 1}, Post(kSoon));
    });
    if (auto flag = rt_.wait_some(kShared, 0, 8, Timeout::test()); flag.ok()) (void)rt_.reset(kShared, *flag);
  }

  // At a time when nobody acts or dies any more, those who live make a group, and it works.
  void meet_survivors() {
    simulation_.sleep(kAllHaveActed - simulation_.now_ns());
    std::vector<Rank> living;
    for (Rank rank = 0; rank < rt_.size(); ++rank)
      if (rt_.health(rank) == Health::healthy) living.push_back(rank);
    if (std::find(living.begin(), living.end(), rt_.rank()) == living.end()) return;  // it was killed in its sleep
    auto group = rt_.create_group(living);
    ASSERT_TRUE(ok(group));
    EXPECT_TRUE(ok((*group)->commit(kSoon))) << "rank " << rt_.rank();
    EXPECT_TRUE(ok((*group)->barrier(kSoon))) << "rank " << rt_.rank();
    shrink_world(living);
  }

  // And come to the same members by agreement, in the group in which all of it happened.
  void shrink_world(const std::vector<Rank>& living) {
    if (!rt_.world().committed()) return;
    auto smaller = rt_.world().shrink(kSoon);
    ASSERT_TRUE(ok(smaller)) << "rank " << rt_.rank();
    EXPECT_TRUE(std::ranges::equal((*smaller)->ranks(), living)) << "rank " << rt_.rank();
    const std::uint64_t mine = rt_.rank() + 1;
    std::uint64_t sum = 0, expected = 0;
    for (const Rank rank : living) expected += rank + 1;
    const auto add = *reduction(Reduction::sum, DataType::uint64, 1);
    EXPECT_TRUE(ok(allreduce(**smaller, add, &mine, &sum, kSoon))) << "rank " << rt_.rank();
    EXPECT_EQ(sum, expected) << "rank " << rt_.rank();
  }

  Simulation& simulation_;
  Runtime& rt_;
  util::Random random_;
  bool alive_ = true;
  std::vector<std::uint64_t> least_ = std::vector<std::uint64_t>(kWords, 0);
};

SimulationOptions options_of(std::uint64_t seed) {
  util::Random random(util::mix(seed));
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(100'000));
  options.detection_ns = 5'000'000;
  if (options.device != SimulatedDevice::direct && random.below(4) == 0) options.ranks_per_node = 2;
  options.faults = {.kills = Rank(random.below(3)), .within_ns = 3'000'000};
  options.runtime.timeout = 1s;
  options.limit_ns = 60'000'000'000;
  return options;
}

std::uint64_t run_seed(std::uint64_t seed) {
  const SimulationOptions options = options_of(seed);
  const auto ranks = Rank(2 + util::mix(seed) % 4);
  Simulation simulation(ranks, options);
  const Status status = simulation.run([&](Runtime& rt) { Actor(simulation, rt, seed).act(); });
  // A rank that is killed before it has met the others fails there.
  EXPECT_TRUE(is_expected(status.code()) && !status.timed_out()) << status.to_string();
  return simulation.course();
}

class Seeds : public testing::TestWithParam<std::uint64_t> {};

constexpr std::uint64_t kParts = 10;

TEST_P(Seeds, EveryCallEndsInTimeAndTellsTheTruth) {
  run_seeds(GetParam(), kParts, kSeeds, run_seed);
}

INSTANTIATE_TEST_SUITE_P(Parts, Seeds, testing::Range(std::uint64_t{0}, kParts));

TEST(Seed, TakesTheSameCourseAgain) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) ASSERT_EQ(run_seed(seed), run_seed(seed)) << "seed " << seed;
}

}  // namespace
}  // namespace polder::test
