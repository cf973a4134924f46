// Ways of eventual broadcasts and reductions: flat, along a tree, in slices. All have the same results, and go on where
// members are late, leave at a deadline, fail or die.
#include "core/ranks.hpp"

#include <polder/eventual.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace polder::test {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr std::size_t kCount = 1000;
constexpr std::uint64_t kUntouched = 0xdeadbeef;
constexpr EventualWay kWays[] = {EventualWay::fastest, EventualWay::flat, EventualWay::binomial, EventualWay::slices};

Words words(Rank member, std::size_t count = kCount) {
  Words all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = util::mix(1000 * member + i);
  return all;
}
Words sum_of(const std::vector<Rank>& members, std::size_t count = kCount) {
  Words sum(count, 0);
  for (const Rank member : members)
    for (std::size_t i = 0; i < count; ++i) sum[i] += util::mix(1000 * member + i);
  return sum;
}
// The first `finals` of `values`, and what there was before.
Words prefix_of(Words values, std::size_t finals) {
  std::fill(values.begin() + std::ptrdiff_t(finals), values.end(), kUntouched);
  return values;
}
ReductionSpec sum(std::size_t count = kCount) {
  return *reduction(Reduction::sum, DataType::uint64, count);
}
std::vector<Rank> everybody(Rank ranks) {
  std::vector<Rank> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  return all;
}
std::unique_ptr<Eventual> make(Runtime& rt, EventualWay way, std::size_t count = kCount) {
  auto made = Eventual::create(rt.world(), {.bytes = count * 8, .way = way}, kPatience);
  EXPECT_TRUE(ok(made));
  return *std::move(made);
}

class EventualWays : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, EventualWays, testing::ValuesIn(worlds({1, 2, 3, 7})), name_of_param);

TEST_P(EventualWays, HaveTheSameResultsFromAnyRoot) {
  run([](Runtime& rt) {
    for (const EventualWay way : kWays) {
      auto eventual = make(rt, way);
      const Words mine = words(rt.rank());
      for (Rank root = 0; root < rt.size(); ++root)
        for (const double share : {1.0, 0.3}) {
          const auto finals = std::size_t(kCount * share);
          Words result(kCount, kUntouched);
          auto status = eventual->reduce(root, sum(), mine.data(), result.data(), {.data = share}, kPatience);
          ASSERT_TRUE(ok(status));
          EXPECT_EQ(status->contributors, everybody(rt.size()));
          EXPECT_EQ(status->weight, double(rt.size()));
          EXPECT_EQ(status->mine, Counted::yes);
          EXPECT_EQ(status->ended, Ended::thresholds);
          const bool is_root = rt.rank() == root;
          EXPECT_EQ(result, prefix_of(sum_of(everybody(rt.size())), is_root ? finals : 0));
          Words data = is_root ? words(root) : Words(kCount, kUntouched);
          status = eventual->broadcast(root, sum(), data.data(), {.data = share}, kPatience);
          ASSERT_TRUE(ok(status));
          EXPECT_EQ(status->elements, finals);
          EXPECT_EQ(data, is_root ? words(root) : prefix_of(words(root), finals));
        }
      Words result(kCount, kUntouched);
      const auto status = eventual->allreduce(sum(), mine.data(), result.data(), {.data = 0.7}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->contributors, everybody(rt.size()));
      EXPECT_EQ(status->mine, Counted::yes);
      EXPECT_EQ(result, prefix_of(sum_of(everybody(rt.size())), 700));
    }
  });
}

// Pieces of several rounds.
TEST_P(EventualWays, LongVectorsGoInManyPieces) {
  run([](Runtime& rt) {
    constexpr std::size_t kLong = 200'003;
    auto eventual = make(rt, EventualWay::slices, kLong);
    const Rank root = rt.size() / 2;
    const Words mine = words(rt.rank(), kLong);
    Words result(kLong, kUntouched);
    ASSERT_TRUE(ok(eventual->reduce(root, sum(kLong), mine.data(), result.data(), {}, kPatience)));
    if (rt.rank() == root) {
      EXPECT_EQ(result, sum_of(everybody(rt.size()), kLong));
    }
    ASSERT_TRUE(ok(eventual->broadcast(root, sum(kLong), result.data(), {}, kPatience)));
    EXPECT_EQ(result, sum_of(everybody(rt.size()), kLong));
    result.assign(kLong, kUntouched);
    ASSERT_TRUE(ok(eventual->allreduce(sum(kLong), mine.data(), result.data(), {}, kPatience)));
    EXPECT_EQ(result, sum_of(everybody(rt.size()), kLong));
  });
}

TEST_P(EventualWays, StagesAreThoseOfTheTree) {
  run([](Runtime& rt) {
    const Rank root = rt.size() - 1;
    for (const EventualWay way : kWays) {
      auto eventual = make(rt, way);
      const Words mine = words(rt.rank());
      Words result(kCount, kUntouched);
      const Threshold half{.members = 0.5, .leave_out = LeaveOut::stages};
      const auto status = eventual->reduce(root, sum(), mine.data(), result.data(), half, kPatience);
      ASSERT_TRUE(ok(status));
      const std::vector<Rank> in = rt.size() == 7   ? std::vector<Rank>{0, 1, 2, 6}
                                   : rt.size() == 3 ? std::vector<Rank>{0, 2}
                                                    : std::vector<Rank>{root};
      EXPECT_EQ(status->contributors, in);
      if (rt.rank() == root) {
        EXPECT_EQ(result, sum_of(in));
      }
    }
  });
}

TEST_P(EventualWays, EnhanceGoesOnWithPieces) {
  run([](Runtime& rt) {
    for (const EventualWay way : kWays) {
      auto eventual = make(rt, way);
      const Words mine = words(rt.rank());
      Words result(kCount, kUntouched);
      const Threshold some{.data = 0.5, .members = 0.5};  // flat: whoever comes first
      ASSERT_TRUE(ok(eventual->reduce(0, sum(), mine.data(), result.data(), some, kPatience)));
      auto status = eventual->enhance({.data = 0.6}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->contributors, everybody(rt.size()));
      status = eventual->enhance({}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(result, rt.rank() == 0 ? sum_of(everybody(rt.size())) : Words(kCount, kUntouched));
      ASSERT_TRUE(ok(eventual->allreduce(sum(), mine.data(), result.data(), some, kPatience)));
      ASSERT_TRUE(ok(eventual->enhance({}, kPatience)));
      EXPECT_EQ(result, sum_of(everybody(rt.size())));
    }
  });
}

// x -> a x + b does not commute.
TEST_P(EventualWays, FunctionsThatDoNotCommuteAreAppliedInOrder) {
  run([](Runtime& rt) {
    struct Affine {
      std::uint64_t a, b;
    };
    ReductionSpec spec{.count = 2, .element_size = sizeof(Affine), .combine = {}, .commutes = false};
    spec.combine = [](const void* one, const void* two, void* result, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        const Affine f = static_cast<const Affine*>(one)[i], g = static_cast<const Affine*>(two)[i];
        static_cast<Affine*>(result)[i] = {f.a * g.a, g.a * f.b + g.b};
      }
      return Status();
    };
    const auto of = [](Rank member) { return Affine{2 * std::uint64_t{member} + 3, member + 1}; };
    Affine expected = of(0);
    for (Rank member = 1; member < rt.size(); ++member)
      expected = {expected.a * of(member).a, of(member).a * expected.b + of(member).b};
    for (const EventualWay way : kWays) {
      auto eventual = make(rt, way);
      const Affine mine[2] = {of(rt.rank()), of(rt.rank())};
      Affine result[2] = {};
      const Rank root = rt.size() / 2;
      const auto expect_in_order = [&] {
        EXPECT_EQ(result[1].a, expected.a);
        EXPECT_EQ(result[1].b, expected.b);
      };
      ASSERT_TRUE(ok(eventual->reduce(root, spec, mine, result, {}, kPatience)));
      if (rt.rank() == root) expect_in_order();
      ASSERT_TRUE(ok(eventual->allreduce(spec, mine, result, {}, kPatience)));
      expect_in_order();
    }
  });
}

// Where the function fails at a member only, the root does without that one; where it fails everywhere, all are told.
TEST_P(EventualWays, AFunctionMayFail) {
  run([](Runtime& rt) {
    if (rt.size() < 2) return;
    for (const EventualWay way : kWays) {
      auto eventual = make(rt, way);
      for (const bool everywhere : {false, true}) {
        ReductionSpec spec = sum();
        const Combine add = spec.combine;
        const bool fails_here = everywhere || rt.rank() != 0;
        spec.combine = [=](const void* one, const void* two, void* result, std::size_t count) {
          return fails_here ? Status(Code::system, "no") : add(one, two, result, count);
        };
        const Words mine = words(rt.rank());
        Words result(kCount, kUntouched);
        const auto status = eventual->reduce(0, spec, mine.data(), result.data(), {}, kPatience);
        if (everywhere) {
          EXPECT_TRUE(fails(status, Code::system));
          continue;
        }
        ASSERT_TRUE(ok(status));
        EXPECT_EQ(status->contributors, everybody(rt.size()));
        EXPECT_EQ(result, rt.rank() == 0 ? sum_of(everybody(rt.size())) : Words(kCount, kUntouched));
      }
    }
  });
}

TEST_P(EventualWays, ADifferentCallIsNamed) {
  run([](Runtime& rt) {
    if (rt.size() < 3) return;
    for (const EventualWay way : kWays) {
      auto eventual = make(rt, way);
      const Words mine = words(rt.rank());
      Words data(kCount, kUntouched);
      const bool is_other = rt.rank() == 1;
      const Threshold enough{.data = is_other ? 0.5 : 0.25};
      const auto reduced = eventual->reduce(0, sum(), mine.data(), data.data(), enough, kPatience);
      EXPECT_TRUE(fails(reduced, Code::invalid_argument, is_other ? "is 500 here and 250" : "is 250 here and 500"));
      EXPECT_EQ(data, Words(kCount, kUntouched));
      EXPECT_TRUE(fails(eventual->allreduce(sum(), mine.data(), data.data(), enough, kPatience), Code::invalid_argument,
                        is_other ? "is 500 here and 250" : "is 250 here and 500"));
      if (rt.rank() == 0) data = words(0);
      const auto got = eventual->broadcast(0, sum(), data.data(), enough, kPatience);
      if (is_other) {
        EXPECT_TRUE(fails(got, Code::invalid_argument, "is 500 here and 250"));
      } else {
        ASSERT_TRUE(ok(got));
        EXPECT_EQ(data, rt.rank() == 0 ? words(0) : prefix_of(words(0), 250));
      }
      if (rt.rank() == 0) {
        EXPECT_EQ(got->contributors.size(), rt.size() - 1);
      }
      ASSERT_TRUE(ok(eventual->broadcast(0, sum(), data.data(), {}, kPatience)));
      EXPECT_EQ(data, words(0));
    }
  });
}

// ---- in virtual time ----

SimulationOptions virtual_time(SimulatedDevice device) {
  return {.device = device,
          .max_delay_ns = device == SimulatedDevice::direct ? 0 : 20'000,
          .runtime = {.timeout = kPatience},
          .deterministic = true};
}

class EventualWaysInTime : public testing::TestWithParam<SimulatedDevice> {
 protected:
  template <class Body>
  static void for_ways(Rank ranks, const Body& body) {
    for (const EventualWay way : kWays) {
      Simulation simulation(ranks, virtual_time(GetParam()));
      EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
        auto eventual = make(rt, way);
        body(rt, *eventual, simulation);
      })));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, EventualWaysInTime,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages));

// Members 1 and 4 pass on for others; without a deadline all wait for them.
TEST_P(EventualWaysInTime, ThoseThatCarryMayBeLate) {
  for_ways(6, [](Runtime& rt, Eventual& eventual, Simulation& simulation) {
    const Words mine = words(rt.rank());
    for (int round = 0; round < 2; ++round) {
      if (rt.rank() == 1 || rt.rank() == 4) simulation.sleep(200'000'000);
      Words data = mine;
      ASSERT_TRUE(ok(eventual.broadcast(0, sum(), data.data(), {}, kPatience)));
      EXPECT_EQ(data, words(0));
      Words result(kCount, kUntouched);
      const auto status = eventual.reduce(0, sum(), mine.data(), result.data(), {}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->contributors, everybody(6));
      EXPECT_EQ(result, rt.rank() == 0 ? sum_of(everybody(6)) : Words(kCount, kUntouched));
    }
  });
}

TEST_P(EventualWaysInTime, AtTheDeadlineTheRootTakesThoseThatHaveCome) {
  for_ways(6, [](Runtime& rt, Eventual& eventual, Simulation& simulation) {
    const Words mine = words(rt.rank());
    if (rt.rank() == 4) simulation.sleep(1'000'000'000);
    Words result(kCount, kUntouched);
    const auto status =
        eventual.reduce(0, sum(), mine.data(), result.data(), {.deadline = rt.rank() == 0 ? 50ms : 10s}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 2, 3, 5}));
    EXPECT_EQ(status->ended, Ended::deadline);
    EXPECT_EQ(status->mine, rt.rank() == 4 ? Counted::no : Counted::yes);
    EXPECT_EQ(result, rt.rank() == 0 ? sum_of(status->contributors) : Words(kCount, kUntouched));
  });
}

// The first whose deadline comes makes the result of all, however far they are with their pieces.
TEST_P(EventualWaysInTime, AtADeadlineAllHaveTheSame) {
  for_ways(6, [](Runtime& rt, Eventual& eventual, Simulation& simulation) {
    const Words mine = words(rt.rank());
    if (rt.rank() == 4) simulation.sleep(1'000'000'000);
    Words result(kCount, kUntouched);
    const auto status =
        eventual.allreduce(sum(), mine.data(), result.data(), {.deadline = rt.rank() == 2 ? 50ms : 10s}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 2, 3, 5}));
    EXPECT_EQ(status->ended, Ended::deadline);
    EXPECT_EQ(result, sum_of(status->contributors));
  });
}

// Members 1 to 3 go before the others have come; what they gave is there all the same.
TEST_P(EventualWaysInTime, ThoseThatCarryMayLeaveAtTheirDeadline) {
  for_ways(6, [](Runtime& rt, Eventual& eventual, Simulation& simulation) {
    const Words mine = words(rt.rank());
    const bool is_short = 1 <= rt.rank() && rt.rank() <= 3;
    if (!is_short) simulation.sleep(100'000'000);
    Words result(kCount, kUntouched);
    Threshold enough;
    if (is_short) enough.deadline = 10ms;
    const auto status = eventual.reduce(0, sum(), mine.data(), result.data(), enough, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->ended, is_short ? Ended::deadline : Ended::thresholds);
    EXPECT_EQ(status->mine, is_short ? Counted::unknown : Counted::yes);
    EXPECT_EQ(result, rt.rank() == 0 ? sum_of(everybody(6)) : Words(kCount, kUntouched));
  });
}

// Whose deadline comes while others are late has it from the root, which has come.
TEST_P(EventualWaysInTime, ADeadlineDoesNotWaitForThoseThatCarry) {
  for_ways(7, [](Runtime& rt, Eventual& eventual, Simulation& simulation) {
    const bool is_late = rt.rank() == 2 || rt.rank() == 4 || rt.rank() == 6;
    if (is_late) simulation.sleep(1'000'000'000);
    Words data = rt.rank() == 0 ? words(0) : Words(kCount, kUntouched);
    Threshold enough;
    if (!is_late) enough.deadline = rt.rank() == 0 ? 200ms : 50ms;
    const auto status = eventual.broadcast(0, sum(), data.data(), enough, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(data, words(0));
    if (!is_late) {
      EXPECT_LT(status->waited, 500ms);
    }
    if (rt.rank() == 0) {
      EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 3, 5}));
    }
  });
}

TEST_P(EventualWaysInTime, ThoseThatCarryMayDie) {
  for_ways(7, [](Runtime& rt, Eventual& eventual, Simulation& simulation) {
    const Words mine = words(rt.rank());
    const std::vector<Rank> living{0, 1, 3, 5, 6};
    if (rt.rank() == 2 || rt.rank() == 4) {
      simulation.sleep(5'000'000);
      return simulation.kill(rt.rank());
    }
    for (int round = 0; round < 6; ++round) {
      Words result(kCount, kUntouched);
      const auto status = eventual.reduce(0, sum(), mine.data(), result.data(), {}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->contributors, living);
      EXPECT_EQ(status->ended, Ended::deaths);
      EXPECT_EQ(result, rt.rank() == 0 ? sum_of(living) : Words(kCount, kUntouched));
      const auto all = eventual.allreduce(sum(), mine.data(), result.data(), {}, kPatience);
      ASSERT_TRUE(ok(all));
      EXPECT_EQ(all->contributors, living);
      EXPECT_EQ(result, sum_of(living));
      Words data = rt.rank() == 0 ? words(0) : Words(kCount, kUntouched);
      ASSERT_TRUE(ok(eventual.broadcast(0, sum(), data.data(), {}, kPatience)));
      EXPECT_EQ(data, words(0));
      EXPECT_TRUE(fails(eventual.broadcast(2, sum(), data.data(), {}, kPatience), Code::peer_failed));
    }
  });
}

}  // namespace
}  // namespace polder::test
