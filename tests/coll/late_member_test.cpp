// Members that come late to a group which others have given up, and have made anew meanwhile: what they do there fails,
// and changes nothing in the group that has taken its place.
#include "core/ranks.hpp"
#include "core/seed_range.hpp"
#include "util/platform.hpp"

#include <polder/collective.hpp>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace polder::test {
namespace {

constexpr std::chrono::nanoseconds kSoon = 2s;

// Sums of all members, in a buffer that nobody may write to once the call has ended.
class Sum {
 public:
  Sum(Group& group, std::size_t elements)
      : group_(group), mine_(elements, group.ranks()[group.index()] + 1), all_(elements) {}

  Status run(Timeout timeout) {
    const auto add = *reduction(Reduction::sum, DataType::uint64, mine_.size());
    return allreduce(group_, add, mine_.data(), all_.data(), timeout);
  }
  bool is_right() const {
    const auto ranks = group_.ranks();
    const std::uint64_t expected = std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0}) + ranks.size();
    return all_ == std::vector<std::uint64_t>(all_.size(), expected);
  }
  // From here on it is somebody else's memory.
  void give_away() { std::fill(all_.begin(), all_.end(), kElses); }
  bool is_untouched() const { return all_ == std::vector<std::uint64_t>(all_.size(), kElses); }

 private:
  static constexpr std::uint64_t kElses = 0x5e1f;
  Group& group_;
  std::vector<std::uint64_t> mine_, all_;
};

struct Plan {
  Rank ranks = 0;
  std::uint64_t early = 0;  // a bit for each that gives the group up
  bool tries = false;       // only after it has begun a collective
  unsigned before = 0;      // collectives that all have done together
  std::size_t elements = 0;
  std::uint64_t seed = 0;

  explicit Plan(std::uint64_t number) : seed(number) {
    util::Random random(util::mix(seed ^ 0x1a7e));
    ranks = Rank(2 + random.below(6));
    early = 1 + random.below((1u << ranks) - 2);  // some, and not all
    tries = random.below(2) == 0;
    before = random.below(2) == 0 ? 0 : 5;
    const std::size_t sizes[] = {1, 300, 2'000, 5'000, 40'000, 200'000};  // the last ones go past the cells of a letter
    elements = sizes[random.below(6)];
  }
  bool is_early(Rank rank) const { return (early >> rank & 1) != 0; }
};

std::vector<Rank> everybody(Rank ranks) {
  std::vector<Rank> all(ranks);
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

// Each returns when it has the group no more.
void give_up(Runtime& rt, const Plan& plan, std::unique_ptr<Group> group, std::unique_ptr<Sum>& sum) {
  if (plan.tries) {
    EXPECT_TRUE(fails(sum->run(1ms), Code::timeout)) << "rank " << rt.rank();
  }
  group.reset();
  sum->give_away();
}

void come_late(Runtime& rt, const Plan& plan, std::unique_ptr<Group> group, std::unique_ptr<Sum>& sum) {
  util::Random random(util::mix(plan.seed * 31 + rt.rank()));
  rest(std::chrono::nanoseconds(5'000'000 + random.below(5'000'000)));
  const Status late = sum->run(kSoon);
  // What those that gave up had brought before may be all that was missing. One that is making the group anew may as well
  // be on its way out of the commit of this one, as far as can be seen: such a member is waited for.
  const bool is_waiting = late.timed_out();
  if (plan.tries && late.ok())
    EXPECT_TRUE(sum->is_right()) << "rank " << rt.rank();
  else
    EXPECT_TRUE(is_waiting || fails(late, Code::invalid_group)) << "rank " << rt.rank() << ": " << late.to_string();
  group.reset();
  sum->give_away();
}

void run_rank(Runtime& rt, const Plan& plan) {
  auto group = rt.create_group(everybody(plan.ranks));
  ASSERT_TRUE(ok(group));
  ASSERT_TRUE(ok((*group)->commit(kPatience)));
  auto first = std::make_unique<Sum>(**group, plan.elements);
  for (unsigned round = 0; round < plan.before; ++round) {
    ASSERT_TRUE(ok(first->run(kPatience)));
    ASSERT_TRUE(first->is_right());
  }
  (plan.is_early(rt.rank()) ? give_up : come_late)(rt, plan, *std::move(group), first);

  auto anew = rt.create_group(everybody(plan.ranks));
  ASSERT_TRUE(ok(anew));
  ASSERT_TRUE(ok((*anew)->commit(kPatience))) << "rank " << rt.rank();
  for (const std::size_t elements :
       {std::size_t{1}, plan.elements, std::size_t{3'000}, plan.elements, std::size_t{40}}) {
    Sum sum(**anew, elements);
    ASSERT_TRUE(ok(sum.run(kPatience))) << "rank " << rt.rank();
    ASSERT_TRUE(sum.is_right()) << "rank " << rt.rank() << ", " << elements << " elements";
  }
  EXPECT_TRUE(first->is_untouched()) << "rank " << rt.rank();
}

SimulationOptions options_of(std::uint64_t seed) {
  util::Random random(util::mix(seed ^ 0x1a7e2));
  const SimulatedDevice devices[] = {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages};
  SimulationOptions options;
  options.deterministic = true;
  options.seed = seed;
  options.device = devices[random.below(3)];
  options.max_delay_ns = options.device == SimulatedDevice::direct ? 0 : std::int64_t(random.below(50'000));
  if (options.device != SimulatedDevice::direct && random.below(2) == 0) options.ranks_per_node = 2;
  options.runtime.timeout = 10s;
  options.limit_ns = 600'000'000'000;
  return options;
}

TEST(LateMembers, ChangeNothingInTheGroupThatTookTheirs) {
  // One thread runs at a time: the thread sanitizer sees little, slowly.
  const SeedRange seeds(0, 1, util::kThreadSanitizer ? 50 : 200);
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    const Plan plan(seed);
    Simulation simulation(plan.ranks, options_of(seed));
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) { run_rank(rt, plan); })));
    ASSERT_FALSE(HasFailure()) << "POLDER_TEST_SEED=" << seed << " takes this course again: " << plan.ranks
                               << " ranks, early ones " << std::hex << plan.early << (plan.tries ? ", which try" : "")
                               << std::dec << ", " << plan.elements << " elements, device "
                               << int(options_of(seed).device);
  }
}

// A rank maps the next segment of a peer where the last one was. Not while a group of its own still knows that place: a
// late collective there would go on in the memory of another group, with the layout that it expects.
TEST(LateMembers, NeverStoreWhereAnotherGroupHasItsMemory) {
  const World world{SimulatedDevice::shm, 4};
  run_ranks(world.ranks, world.options(), [](Runtime& rt) {
    const std::vector<Rank> old_ranks{0, 1, 2}, new_ranks{0, 1, 3};
    std::unique_ptr<Group> old_group, new_group;
    if (rt.rank() != 3) {
      old_group = *rt.create_group(old_ranks);
      ASSERT_TRUE(ok(old_group->commit(kPatience)));
      Sum sum(*old_group, 2'000);
      ASSERT_TRUE(ok(sum.run(kPatience)));
      ASSERT_TRUE(sum.is_right());
    }
    if (rt.rank() == 0) old_group.reset();
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() != 2) {
      new_group = *rt.create_group(new_ranks);
      ASSERT_TRUE(ok(new_group->commit(kPatience)));
    }
    const auto use_new = [&] {
      if (new_group == nullptr) return;
      Sum sum(*new_group, 2'000);
      ASSERT_TRUE(ok(sum.run(kPatience)));
      ASSERT_TRUE(sum.is_right());
    };
    use_new();
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 1) {
      EXPECT_TRUE(fails(Sum(*old_group, 2'000).run(kPatience), Code::invalid_group, "rank 0 has deleted the group"));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (int round = 0; round < 5; ++round) use_new();
  });
}

}  // namespace
}  // namespace polder::test
