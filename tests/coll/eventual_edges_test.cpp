// Eventual operations at their edges: why a broadcast ended at its root, what an enhancement must keep to, functions that give up, shares.
#include "coll/eventual/layout.hpp"
#include "coll/eventual/selection.hpp"
#include "coll/eventual_doubles.hpp"
#include "coll/in_virtual_time.hpp"
#include "core/ranks.hpp"

#include <polder/eventual.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace polder::test {
namespace {

TEST(EventualShares, AreRoundedUpButForWhatRoundingAdds) {
  EXPECT_EQ(coll::part_of(0.1, 30), 3u);
  EXPECT_EQ(coll::part_of(0.3, 10), 3u);
  EXPECT_EQ(coll::part_of(1, 7), 7u);
  EXPECT_EQ(coll::part_of(0, 7), 0u);
  EXPECT_EQ(coll::part_of(0.25, 5), 2u);
  EXPECT_EQ(coll::part_of(1.0 / 3, 1'000'000'000), 333'333'334u);
  EXPECT_EQ(coll::part_of(0.25, 1'000'000'001), 250'000'001u);
}

TEST(EventualTags, AreNeverZeroAndComeInOrder) {
  for (const std::uint64_t first : {0x1ULL, 0x3ffffffeULL, 0x7ffffffeULL, 0xfffffffeULL})
    for (std::uint64_t number = first; number < first + 4; ++number) {
      const std::uint32_t tag = coll::EventualLayout::tag(number);
      const std::uint32_t with_data = coll::EventualLayout::tag_with_data(number);
      EXPECT_TRUE(tag != 0 && with_data != 0) << number;
      EXPECT_GT(std::int32_t(with_data - tag), 0);
      EXPECT_GT(std::int32_t(coll::EventualLayout::tag(number + 1) - with_data), 0);
    }
}

class EventualEdges : public InVirtualTime {};
INSTANTIATE_TEST_SUITE_P(Devices, EventualEdges, every_device());

// A member that has left at its own deadline lives: the root did not end because of a death.
TEST_P(EventualEdges, ARootSaysDeathsOnlyOfTheDead) {
  Simulation simulation(3, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make_doubles(rt);
    std::vector<double> data(kDoubles, rt.rank() == 0 ? 1 : 0);
    if (rt.rank() == 0) simulation.sleep(10'000'000);
    Threshold all;
    if (rt.rank() == 2) all.deadline = 1ms;
    const auto status = eventual->broadcast(0, sum_of_doubles(), data.data(), all, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(data[0], rt.rank() == 2 ? 0 : 1);
    if (rt.rank() == 0) {
      EXPECT_EQ(status->ended, Ended::deadline);
      EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1}));
    }
  });
}

TEST_P(EventualEdges, AnEnhancementKeepsTheOrder) {
  Simulation simulation(2, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make_doubles(rt);
    const std::vector<double> mine(kDoubles, 1);
    std::vector<double> result(kDoubles, -1);
    std::vector<std::size_t> order(kDoubles), reversed(kDoubles);
    for (std::size_t i = 0; i < kDoubles; ++i) order[i] = i, reversed[i] = kDoubles - 1 - i;
    Threshold half{.data = 0.5, .choose = Choose::order, .order = order};
    ASSERT_TRUE(ok(eventual->allreduce(sum_of_doubles(), mine.data(), result.data(), half, kPatience)));
    Threshold more{.data = 0.8, .choose = Choose::order, .order = reversed};
    EXPECT_TRUE(fails(eventual->enhance(more, kPatience).status(), Code::invalid_argument, "in their order"));
    more.order = order;
    const auto status = eventual->enhance(more, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->elements, 80u);
  });
}

// What it sent is still there, for it gets no result.
TEST_P(EventualEdges, AMemberThatReceivesNothingMayEnhanceWithOneBuffer) {
  Simulation simulation(2, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make_doubles(rt);
    std::vector<double> mine(kDoubles, rt.rank() + 1), result(kDoubles, -1);
    double* const into = rt.rank() == 0 ? result.data() : mine.data();
    ASSERT_TRUE(ok(eventual->reduce(0, sum_of_doubles(), mine.data(), into, {.data = 0.5}, kPatience)));
    ASSERT_TRUE(ok(eventual->enhance({}, kPatience))) << "rank " << rt.rank();
    if (rt.rank() == 0) {
      EXPECT_EQ(result, std::vector<double>(kDoubles, 3));
    }
  });
}

// The largest elements are combined one by one: a function may be called again, and its error is not lost.
TEST_P(EventualEdges, AFunctionThatGivesUpOrFailsIsHeardForTheLargest) {
  Simulation simulation(2, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make_doubles(rt, {.largest = true});
    std::vector<double> mine(kDoubles), result(kDoubles, -1);
    for (std::size_t i = 0; i < kDoubles; ++i) mine[i] = double(i + 1);
    int asked = 0;
    ReductionSpec spec = sum_of_doubles();
    spec.operation = ReductionSpec::kUserFunction;
    spec.combine = [&asked, add = sum_of_doubles().combine](const void* one, const void* two, void* sum,
                                                            std::size_t count) -> Status {
      return ++asked % 3 == 1 ? Status(Code::timeout) : add(one, two, sum, count);
    };
    const Threshold tenth{.data = 0.1, .choose = Choose::largest};
    const auto status = eventual->allreduce(spec, mine.data(), result.data(), tenth, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->elements, 10u);
    for (std::size_t i = 90; i < kDoubles; ++i) EXPECT_EQ(result[i], 2 * mine[i]) << i;
    spec.combine = [](const void*, const void*, void*, std::size_t) {
      return Status(Code::invalid_argument, "not today");
    };
    EXPECT_TRUE(fails(eventual->allreduce(spec, mine.data(), result.data(), tenth, kPatience).status(),
                      Code::invalid_argument));
  });
}

// Each call is right by itself, and the result of one does not fit into the memory of the other.
TEST_P(EventualEdges, ACallOfOtherElementsIsNamedAndNotRead) {
  Simulation simulation(2, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make_doubles(rt, {.apart = 1});
    const std::vector<double> mine(kDoubles, 1);
    std::vector<double> result(kDoubles, -1);
    if (rt.rank() == 1) {
      const auto call = [&](Timeout timeout) {
        return eventual->allreduce(sum_of_doubles(), mine.data(), result.data(), {}, timeout);
      };
      EXPECT_TRUE(fails(call(Timeout::test()), Code::timeout));
      simulation.sleep(20'000'000);
      EXPECT_TRUE(fails(call(kPatience), Code::invalid_argument, "count is 100 here and 200 there"));
    } else {
      simulation.sleep(10'000'000);
      const std::vector<float> others(2 * kDoubles, 1);
      std::vector<float> sums(2 * kDoubles);
      const auto floats_added = *reduction(Reduction::sum, DataType::float32, 2 * kDoubles);
      EXPECT_TRUE(fails(eventual->allreduce(floats_added, others.data(), sums.data(), {}, kPatience),
                        Code::invalid_argument, "count is 200 here and 100 there"));
    }
    EXPECT_EQ(result, std::vector<double>(kDoubles, -1));
    ASSERT_TRUE(ok(eventual->allreduce(sum_of_doubles(), mine.data(), result.data(), {}, kPatience)));
    EXPECT_EQ(result, std::vector<double>(kDoubles, 2));
  });
}

TEST_P(EventualEdges, ACallIsGoneOnWithInTheSameWayOnly) {
  Simulation simulation(2, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make_doubles(rt);
    const std::vector<double> mine(kDoubles, 1);
    std::vector<double> result(kDoubles, -1);
    const auto call = [&](const ReductionSpec& spec, const Threshold& enough, Timeout timeout) {
      return eventual->allreduce(spec, mine.data(), result.data(), enough, timeout);
    };
    if (rt.rank() == 1) simulation.sleep(10'000'000);
    if (rt.rank() == 0) {
      EXPECT_TRUE(fails(call(sum_of_doubles(), {}, Timeout::test()), Code::timeout));
      const auto largest = *reduction(Reduction::max, DataType::float64, kDoubles);
      const auto floats = *reduction(Reduction::sum, DataType::float32, kDoubles);
      EXPECT_TRUE(fails(call(largest, {}, Timeout::test()), Code::busy));
      EXPECT_TRUE(fails(call(floats, {}, Timeout::test()), Code::busy));
      EXPECT_TRUE(fails(call(sum_of_doubles(), {.weight = 1}, Timeout::test()), Code::busy));
      EXPECT_TRUE(fails(call(sum_of_doubles(), {.choose = Choose::rotating}, Timeout::test()), Code::busy));
      EXPECT_TRUE(fails(call(sum_of_doubles(), {.leave_out = LeaveOut::stages}, Timeout::test()), Code::busy));
    }
    ASSERT_TRUE(ok(call(sum_of_doubles(), {}, kPatience)));
    EXPECT_EQ(result, std::vector<double>(kDoubles, 2));
  });
}

TEST_P(EventualEdges, AllMembersMakeTheSame) {
  Simulation simulation(3, options());
  run_ranks(simulation, [&](Runtime& rt) {
    const bool is_other = rt.rank() == 1;
    const auto made = [&](const EventualSpec& spec) { return Eventual::create(rt.world(), spec, kPatience); };
    EXPECT_TRUE(fails(made({.bytes = 800, .apart = is_other ? 2U : 4U}), Code::invalid_argument, "apart is"));
    EXPECT_TRUE(fails(made({.bytes = is_other ? 80U : 800U}), Code::invalid_argument, "bytes is"));
    EXPECT_TRUE(fails(made({.bytes = 800, .largest = is_other}), Code::invalid_argument, "largest is"));
    const EventualWay way = is_other ? EventualWay::flat : EventualWay::slices;
    EXPECT_TRUE(fails(made({.bytes = 800, .way = way}), Code::invalid_argument, "way is"));
    EXPECT_TRUE(fails(made({.bytes = 800, .apart = is_other ? 0U : 4U}), Code::invalid_argument,
                      is_other ? "from 1 to 64" : "rank 1"));
    EXPECT_TRUE(ok(made({.bytes = 800, .patience = is_other ? 1U : 8U})));
  });
}

// What a dead member has given cannot be read any more, so it is as if it had not come.
TEST_P(EventualEdges, TheDeadDoNotCountThoughTheyHaveCome) {
  Simulation simulation(4, options());
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto eventual = make_doubles(rt);
    const std::vector<double> mine(kDoubles, 1);
    std::vector<double> result(kDoubles, -1);
    const auto call = [&](Timeout timeout) {
      return eventual->allreduce(sum_of_doubles(), mine.data(), result.data(), {.members = 0.75}, timeout);
    };
    if (rt.rank() == 3) {
      EXPECT_TRUE(fails(call(Timeout::test()), Code::timeout));
      simulation.sleep(10'000'000);
      return simulation.kill(3);
    }
    while (rt.health(3) == Health::healthy) simulation.sleep(1'000'000);
    if (rt.rank() == 2) simulation.sleep(100'000'000);
    const auto status = call(kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 2}));
    EXPECT_EQ(status->ended, Ended::thresholds);
    EXPECT_EQ(result[0], 3);
  })));
}

// The root has found enough, and then one of them dies before it has been read.
TEST_P(EventualEdges, WhoDiesBeforeItIsReadIsReplaced) {
  Simulation simulation(4, options());
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto eventual = make_doubles(rt);
    const std::vector<double> mine(kDoubles, 1);
    std::vector<double> result(kDoubles, -1);
    ReductionSpec spec = sum_of_doubles();
    spec.operation = ReductionSpec::kUserFunction;
    spec.combine = [&, add = spec.combine](const void* one, const void* two, void* sum, std::size_t count) {
      simulation.kill(3);
      return add(one, two, sum, count);
    };
    const auto call = [&](Timeout timeout) {
      return eventual->reduce(0, spec, mine.data(), result.data(), {.members = 0.75}, timeout);
    };
    if (rt.rank() == 3) {
      EXPECT_TRUE(fails(call(Timeout::test()), Code::timeout));
      while (rt.health(3) == Health::healthy) simulation.sleep(1'000'000);
      return;
    }
    if (rt.rank() == 0) simulation.sleep(10'000'000);
    if (rt.rank() == 2) simulation.sleep(100'000'000);
    const auto status = call(kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 2}));
    EXPECT_EQ(status->ended, Ended::thresholds);
    if (rt.rank() == 0) {
      EXPECT_EQ(result[0], 3);
    }
  })));
}

TEST_P(EventualEdges, AnEnhancedBroadcastWaitsForThoseThatHadIt) {
  Simulation simulation(4, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make_doubles(rt, {.way = EventualWay::flat});
    std::vector<double> data(kDoubles, rt.rank() == 0 ? 1 : 0);
    if (rt.rank() > 1) simulation.sleep(10'000'000);
    auto status = eventual->broadcast(0, sum_of_doubles(), data.data(), {.data = 0.5, .members = 0.5}, kPatience);
    ASSERT_TRUE(ok(status));
    if (rt.rank() == 0) {
      EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1}));
    }
    if (rt.rank() == 1) simulation.sleep(100'000'000);
    status = eventual->enhance({.members = 0.5}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(data, std::vector<double>(kDoubles, 1));
    if (rt.rank() == 0) {
      EXPECT_TRUE(std::ranges::count(status->contributors, Rank{1}) == 1);
    }
  });
}

}  // namespace
}  // namespace polder::test
