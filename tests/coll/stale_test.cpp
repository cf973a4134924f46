// The stale-synchronous allreduce: what slack allows, on every device and in every shape; what is refused; what deaths
// do. tests/coll/stale_seeds_test.cpp checks its bound by the thousand.
#include "coll/stale_words.hpp"
#include "core/ranks.hpp"

#include <polder/stale.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace polder::test {
namespace {

constexpr std::uint64_t kManySlack = ~std::uint64_t{0};
using Words = StaleWords::Words;
constexpr std::size_t kCount = 100;

StaleWords words_of(Rank ranks) {
  return {.members = ranks, .count = kCount, .seed = 16};
}
Words given(Rank member, std::uint64_t call, Rank ranks) {
  return words_of(ranks).given(member, call);
}

// The result, what was told of it, and what slack allows agree.
void expect_true(const Words& sum, const Staleness& told, Runtime& rt, std::uint64_t slack) {
  const StaleWords words = words_of(rt.size());
  words.expect_whole(sum);
  EXPECT_EQ(words.least(sum, rt.rank()), told.clock);
  EXPECT_EQ(words.most(sum, rt.rank()), told.clock);
  EXPECT_LE(told.clock - std::min(told.clock, told.oldest), slack);
  for (Rank member = 0; member < rt.size(); ++member) {
    EXPECT_GE(words.least(sum, member), told.oldest);
    EXPECT_LE(words.most(sum, member), told.newest);
  }
}

StaleSpec spec_of(StaleShape shape, unsigned cells = 4) {
  return {*reduction(Reduction::sum, DataType::uint64, kCount), shape, cells};
}
std::unique_ptr<Stale> make(Runtime& rt, StaleShape shape, unsigned cells = 4) {
  auto made = Stale::create(rt.world(), spec_of(shape, cells), kPatience);
  EXPECT_TRUE(ok(made));
  return *std::move(made);
}

using Case = std::tuple<World, StaleShape>;
std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  constexpr const char* kNames[] = {"hypercube", "flat", "sharded"};
  return name_of(std::get<0>(info.param)) + "_" + kNames[int(std::get<1>(info.param))];
}

class StaleTest : public testing::TestWithParam<Case> {
 protected:
  static StaleShape shape() { return std::get<1>(GetParam()); }
  static void run(const std::function<void(Runtime&)>& body) {
    const World& world = std::get<0>(GetParam());
    run_ranks(world.ranks, world.options(), body);
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, StaleTest,
                         testing::Combine(testing::ValuesIn(worlds({1, 2, 5})),
                                          testing::Values(StaleShape::hypercube, StaleShape::flat,
                                                          StaleShape::sharded)),
                         name_of_case);

TEST_P(StaleTest, SlackOfNoneIsTheConsistentAllreduce) {
  run([](Runtime& rt) {
    auto stale = make(rt, shape());
    Words sum(kCount);
    for (std::uint64_t call = 1; call <= 10; ++call) {
      const auto told = stale->allreduce_ssp(given(rt.rank(), call, rt.size()).data(), sum.data(), 0, kPatience);
      ASSERT_TRUE(ok(told));
      ASSERT_EQ(told->oldest, call);
      ASSERT_EQ(told->newest, call);
      expect_true(sum, *told, rt, 0);
    }
  });
}

TEST_P(StaleTest, NoneIsOlderThanSlackAllowsAndNothingIsLostOrDoubled) {
  run([](Runtime& rt) {
    auto stale = make(rt, shape());
    const StaleWords words = words_of(rt.size());
    Words sum(kCount), before(kCount);
    constexpr std::uint64_t kSlacks[] = {3, 3, 1, 5, 0, 2, kManySlack, 3};
    std::uint64_t call = 0;
    for (int round = 0; round < 6; ++round) {
      for (const std::uint64_t slack : kSlacks) {
        ++call;
        const auto told = stale->allreduce_ssp(given(rt.rank(), call, rt.size()).data(), sum.data(), slack, kPatience);
        ASSERT_TRUE(ok(told));
        expect_true(sum, *told, rt, slack);
        for (Rank member = 0; member < rt.size(); ++member)
          ASSERT_GE(words.least(sum, member), words.least(before, member));
        before = sum;
        if ((call + rt.rank()) % 3 == 0) let_others_run();
      }
    }
    const auto told = stale->flush(sum.data(), kPatience);
    ASSERT_TRUE(ok(told));
    EXPECT_EQ(told->oldest, call + 1);
    words.expect_whole(sum);
    for (Rank member = 0; member < rt.size(); ++member) EXPECT_EQ(words.least(sum, member), call);
  });
}

TEST_P(StaleTest, AFlushMakesAllEqualToTheBit) {
  run([](Runtime& rt) {
    const auto floats = *reduction(Reduction::sum, DataType::float32, 1001);
    auto made = Stale::create(rt.world(), {floats, shape()}, kPatience);
    ASSERT_TRUE(ok(made));
    std::vector<float> mine(1001), sum(1001);
    for (int round = 0; round < 3; ++round) {
      for (int call = 0; call < 7; ++call) {
        for (std::size_t i = 0; i < mine.size(); ++i)
          mine[i] = float(words_of(7).given(rt.rank() % 7, std::uint64_t(call), i) % 1'000'003) * 1e-3F;
        ASSERT_TRUE(ok((*made)->allreduce_ssp(mine.data(), sum.data(), 4, kPatience)));
      }
      const auto told = (*made)->flush(sum.data(), kPatience);
      ASSERT_TRUE(ok(told));
      EXPECT_EQ(told->oldest, told->clock);
      std::uint64_t hash = 0;
      for (const float value : sum) hash = util::mix(hash ^ std::bit_cast<std::uint32_t>(value));
      std::vector<std::uint64_t> all(rt.size());
      ASSERT_TRUE(ok(
          rt.world().allgather(std::as_bytes(std::span(&hash, 1)), std::as_writable_bytes(std::span(all)), kPatience)));
      EXPECT_EQ(all, std::vector<std::uint64_t>(rt.size(), hash));
    }
  });
}

TEST_P(StaleTest, ATimeoutLosesNothingAndCountsOnce) {
  run([](Runtime& rt) {
    auto stale = make(rt, shape());
    Words sum(kCount);
    for (std::uint64_t call = 1; call <= 5; ++call) {
      const Words mine = given(rt.rank(), call, rt.size());
      auto once = [&] { return stale->allreduce_ssp(mine.data(), sum.data(), 1, Timeout::test()); };
      auto told = once();
      while (told.status().timed_out()) {
        if (rt.size() > 1) {
          EXPECT_TRUE(fails(stale->flush(sum.data(), kPatience), Code::busy, "timed out"));
        }
        let_others_run();
        told = once();
      }
      ASSERT_TRUE(ok(told));
      expect_true(sum, *told, rt, 1);
    }
  });
}

TEST_P(StaleTest, WhatCannotBeIsRefusedAndChangesNothing) {
  run([](Runtime& rt) {
    StaleSpec wrong = spec_of(shape());
    wrong.cells = 1;
    EXPECT_TRUE(fails(Stale::create(rt.world(), wrong, kPatience), Code::invalid_argument, "cells"));
    wrong = spec_of(shape());
    wrong.reduction.commutes = false;
    EXPECT_TRUE(fails(Stale::create(rt.world(), wrong, kPatience), Code::invalid_argument, "commute"));
    wrong = spec_of(shape());
    wrong.reduction.count = ~std::size_t{0} / 16;
    EXPECT_TRUE(fails(Stale::create(rt.world(), wrong, kPatience), Code::invalid_size));
    wrong = spec_of(shape());
    wrong.reduction.combine = {};
    EXPECT_TRUE(fails(Stale::create(rt.world(), wrong, kPatience), Code::invalid_argument, "function"));
    if (rt.size() > 1) {
      wrong = spec_of(shape());
      wrong.reduction.count += rt.rank() == 1;
      const auto made = Stale::create(rt.world(), wrong, kPatience);
      EXPECT_TRUE(fails(made, Code::invalid_argument, "count is 10"));
      EXPECT_TRUE(fails(made, Code::invalid_argument, rt.rank() == 1 ? "rank 0" : "rank 1"));
    }
    auto stale = make(rt, shape());
    Words mine(2 * kCount), sum(kCount);
    EXPECT_TRUE(fails(stale->allreduce_ssp(nullptr, sum.data(), 0, kPatience), Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(stale->allreduce_ssp(mine.data(), nullptr, 0, kPatience), Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(stale->flush(nullptr, kPatience), Code::invalid_argument, "null"));
    EXPECT_TRUE(
        fails(stale->allreduce_ssp(mine.data(), mine.data() + 1, 0, kPatience), Code::invalid_argument, "overlap"));
    const auto told = stale->allreduce_ssp(given(rt.rank(), 1, rt.size()).data(), sum.data(), 0, kPatience);
    ASSERT_TRUE(ok(told));
    EXPECT_EQ(told->clock, 1u);
    expect_true(sum, *told, rt, 0);
  });
}

TEST_P(StaleTest, AnotherSlackIsNamedAtAll) {
  run([](Runtime& rt) {
    if (rt.size() == 1) return;
    auto stale = make(rt, shape());
    Words sum(kCount);
    Status status;
    for (std::uint64_t call = 1; status.ok() && call < 100; ++call) {
      const std::uint64_t slack = call == 3 && rt.rank() == 1 ? 2 : 0;
      status = stale->allreduce_ssp(given(rt.rank(), call, rt.size()).data(), sum.data(), slack, kPatience).status();
    }
    EXPECT_TRUE(fails(status, Code::invalid_argument, "with another slack in call"));
    EXPECT_TRUE(fails(stale->flush(sum.data(), kPatience), Code::invalid_argument, "another slack"));
  });
}

TEST_P(StaleTest, AFunctionThatFailsFailsAtAll) {
  run([](Runtime& rt) {
    ReductionSpec spec = *reduction(Reduction::sum, DataType::uint64, kCount);
    const Combine add = spec.combine;
    int calls = 0;
    spec.combine = [&](const void* one, const void* two, void* result, std::size_t count) -> Status {
      if (rt.rank() == 0 && ++calls > 5) return {Code::out_of_memory, "no room for a sum"};
      return add(one, two, result, count);
    };
    auto made = Stale::create(rt.world(), {spec, shape()}, kPatience);
    ASSERT_TRUE(ok(made));
    Words sum(kCount);
    Status status;
    for (std::uint64_t call = 1; status.ok() && call < 100; ++call)
      status = (*made)->allreduce_ssp(given(rt.rank(), call, rt.size()).data(), sum.data(), 1, kPatience).status();
    EXPECT_TRUE(fails(status, Code::out_of_memory, rt.rank() == 0 ? "no room" : "combining failed at rank 0"));
  });
}

TEST_P(StaleTest, HalvesAreAddedAsFloats) {
  run([](Runtime& rt) {
    auto made = Stale::create(rt.world(), {*reduction(Reduction::sum, HalfType::bfloat16, 3), shape()}, kPatience);
    ASSERT_TRUE(ok(made));
    const std::uint16_t one = 0x3f80;  // 1.0
    const std::vector<std::uint16_t> mine(3, one);
    std::vector<std::uint16_t> sum(3);
    // In 8 bits 256 + 1 is 256; totals are floats.
    for (int call = 0; call < 300; ++call)
      ASSERT_TRUE(ok((*made)->allreduce_ssp(mine.data(), sum.data(), 3, kPatience)));
    ASSERT_TRUE(ok((*made)->flush(sum.data(), kPatience)));
    const float total = std::bit_cast<float>(std::uint32_t{sum[2]} << 16);
    EXPECT_NEAR(total, 300.0F * float(rt.size()), 300.0F * float(rt.size()) / 256);
  });
}

// ---- in virtual time ----

class StaleInTime : public testing::TestWithParam<std::tuple<SimulatedDevice, StaleShape>> {
 protected:
  static StaleShape shape() { return std::get<1>(GetParam()); }
  static SimulationOptions options() {
    const SimulatedDevice device = std::get<0>(GetParam());
    return {.device = device,
            .max_delay_ns = device == SimulatedDevice::direct ? 0 : 20'000,
            .runtime = {.timeout = kPatience},
            .deterministic = true};
  }
};
INSTANTIATE_TEST_SUITE_P(
    Devices, StaleInTime,
    testing::Combine(testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages),
                     testing::Values(StaleShape::hypercube, StaleShape::flat, StaleShape::sharded)));

// Without slack each iteration takes as long as the slowest of all members.
TEST_P(StaleInTime, SlackHidesThoseWhoAreLateNowAndThen) {
  const auto time_with = [&](std::uint64_t slack) {
    Simulation simulation(6, options());
    std::int64_t longest = 0;
    run_ranks(simulation, [&](Runtime& rt) {
      auto stale = make(rt, shape());
      Words sum(kCount);
      const std::int64_t begin = simulation.now_ns();
      for (std::uint64_t call = 1; call <= 60; ++call) {
        const bool is_late = call % rt.size() == rt.rank();
        // Members meet in the background, as real ones do by their helper.
        for (int part = 0; part < (is_late ? 50 : 10); ++part) {
          simulation.sleep(100'000);
          (void)rt.progress();
        }
        ASSERT_TRUE(ok(stale->allreduce_ssp(given(rt.rank(), call, rt.size()).data(), sum.data(), slack, kPatience)));
      }
      longest = std::max(longest, simulation.now_ns() - begin);
    });
    return longest;
  };
  const std::int64_t without = time_with(0), with = time_with(8);
  EXPECT_GT(without, 60 * 5'000'000);
  EXPECT_LT(with * 2, without);  // an iteration takes 1.67 ms on average
}

TEST_P(StaleInTime, ItSaysForWhomItWaited) {
  Simulation simulation(4, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto stale = make(rt, shape());
    Words sum(kCount);
    if (rt.rank() == 2) simulation.sleep(500'000'000);
    bool has_waited = false;
    for (std::uint64_t call = 1; call <= 5; ++call) {
      const auto told = stale->allreduce_ssp(given(rt.rank(), call, 4).data(), sum.data(), 2, kPatience);
      ASSERT_TRUE(ok(told));
      if (rt.rank() == 2 || told->waited < 100ms) continue;
      has_waited = true;
      ASSERT_EQ(call, 3u);
      EXPECT_GE(told->oldest, 1u);
      // Of those behind a partner or a keeper of a slice one knows what was so when it was last heard of.
      ASSERT_TRUE(told->waited_for.has_value());
      EXPECT_TRUE(told->waited_for == 2 || shape() != StaleShape::flat);
    }
    EXPECT_EQ(has_waited, rt.rank() != 2);
  });
}

// Its last totals find no cell, and it calls no more: they leave while it waits for something else.
TEST_P(StaleInTime, WhoHasMadeItsLastCallHoldsNobodyUp) {
  Simulation simulation(3, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto stale = make(rt, shape(), 2);
    Words sum(kCount);
    for (std::uint64_t call = 1; call <= 30; ++call) {
      if (rt.rank() == 1 && call < 20) simulation.sleep(5'000'000);
      const auto told = stale->allreduce_ssp(given(rt.rank(), call, 3).data(), sum.data(), 9, kPatience);
      ASSERT_TRUE(ok(told));
      expect_true(sum, *told, rt, 9);
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(StaleInTime, WhoEndsTooEarlyIsNamed) {
  Simulation simulation(3, options());
  std::uint64_t furthest = 0;
  run_ranks(simulation, [&](Runtime& rt) {
    auto stale = make(rt, shape());
    Words sum(kCount);
    const std::uint64_t calls = rt.rank() == 1 ? 4 : 100;
    Status status;
    std::uint64_t call = 0;
    while (status.ok() && call < calls)
      status = stale->allreduce_ssp(given(rt.rank(), ++call, 3).data(), sum.data(), 3, 2s).status();
    if (rt.rank() == 1) return;
    EXPECT_TRUE(fails(status, Code::peer_failed, "rank 1 has left"));
    EXPECT_GT(call, 4u);
    furthest = std::max(furthest, call);
  });
  EXPECT_EQ(furthest, 8u);  // the others have heard of it from this one
}

// Its sum is ready, but the last total has not left, for the other one still has to give a cell back.
TEST_P(StaleInTime, TheSumIsWrittenByACallThatSucceedsOnly) {
  Simulation simulation(2, options());
  run_ranks(simulation, [&](Runtime& rt) {
    auto stale = make(rt, shape(), 2);
    Words sum(kCount, 7);
    const Words mine(kCount, 1);
    const auto call = [&](std::uint64_t slack, Timeout timeout) {
      return stale->allreduce_ssp(mine.data(), sum.data(), slack, timeout);
    };
    for (int round = 0; round < 10; ++round) {
      if (rt.rank() == 0) simulation.sleep(300'000);
      ASSERT_TRUE(ok(call(8, kPatience)));
      ASSERT_TRUE(ok(call(8, kPatience)));
      if (rt.rank() == 1) simulation.sleep(2'000'000);
      const Words before = sum;
      auto told = call(0, rt.rank() == 1 ? kPatience : Timeout::test());
      while (told.status().timed_out()) {
        ASSERT_EQ(sum, before);
        simulation.sleep(500);
        told = call(0, Timeout::test());
      }
      ASSERT_TRUE(ok(told));
      EXPECT_EQ(sum, Words(kCount, std::uint64_t(6 * (round + 1))));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
}

TEST_P(StaleInTime, ADeathIsAnErrorAtEverySurvivor) {
  for (const std::uint64_t slack : {std::uint64_t{0}, std::uint64_t{2}, kManySlack}) {
    Simulation simulation(5, options());
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      auto stale = make(rt, shape());
      Words sum(kCount);
      Status status;
      for (std::uint64_t call = 1; status.ok() && call < StaleWords::kMost; ++call) {
        simulation.sleep(1'000'000);
        if (rt.rank() == 3 && call == 5) return simulation.kill(3);
        status = stale->allreduce_ssp(given(rt.rank(), call, 5).data(), sum.data(), slack, kPatience).status();
      }
      EXPECT_TRUE(fails(status, Code::peer_failed, "rank 3")) << rt.rank();
      EXPECT_TRUE(fails(stale->flush(sum.data(), kPatience), Code::peer_failed, "rank 3"));
    })));
  }
}

}  // namespace
}  // namespace polder::test
