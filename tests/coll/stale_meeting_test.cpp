// Calls of the stale-synchronous allreduce with slack 0, one after the other: they are consistent allreduces, in what
// they cost and in how they fail.
#include "core/ranks.hpp"

#include <polder/collective.hpp>
#include <polder/stale.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <vector>

namespace polder::test {
namespace {

using Integers = std::vector<std::int64_t>;

std::unique_ptr<Stale> make_stale(Runtime& rt, StaleShape shape, std::size_t count) {
  auto made = Stale::create(rt.world(), {*reduction(Reduction::sum, DataType::int64, count), shape}, kPatience);
  EXPECT_TRUE(ok(made));
  return *std::move(made);
}

class StaleMeeting : public testing::TestWithParam<std::tuple<SimulatedDevice, StaleShape>> {
 protected:
  static StaleShape shape() { return std::get<1>(GetParam()); }
  static void run(Rank ranks, const std::function<void(Runtime&, Simulation&)>& body) {
    const SimulatedDevice device = std::get<0>(GetParam());
    Simulation simulation(ranks, {.device = device,
                                  .max_delay_ns = device == SimulatedDevice::direct ? 0 : 20'000,
                                  .runtime = {.timeout = kPatience},
                                  .deterministic = true});
    run_ranks(simulation, [&](Runtime& rt) { body(rt, simulation); });
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, StaleMeeting,
                         testing::Combine(testing::Values(SimulatedDevice::direct, SimulatedDevice::network),
                                          testing::Values(StaleShape::hypercube, StaleShape::flat,
                                                          StaleShape::sharded)));

// More calls than those for which totals grow, then calls with slack, and back.
TEST_P(StaleMeeting, EverythingIsInTheSumOnce) {
  run(3, [](Runtime& rt, Simulation&) {
    auto stale = make_stale(rt, shape(), 100);
    const Integers one(100, 1);
    Integers sum(one.size());
    std::int64_t given = 0;
    const auto check = [&](std::int64_t least) {
      const auto [low, high] = std::ranges::minmax(sum);
      ASSERT_GE(low, least);
      ASSERT_LE(high, 3 * (given + 5));
    };
    for (const std::uint64_t slack : {0, 2, 0}) {
      for (int call = 0; call < (slack == 0 ? 270 : 5); ++call) {
        ASSERT_TRUE(ok(stale->allreduce_ssp(one.data(), sum.data(), slack, kPatience)));
        ++given;
        check(slack == 0 ? 3 * given : given);
        if (slack == 0) {
          ASSERT_EQ(sum[17], 3 * given);
          ASSERT_EQ(sum.back(), 3 * given);
        }
      }
      for (int flush = 0; flush < 2; ++flush) {
        std::ranges::fill(sum, 0);
        const auto told = stale->flush(sum.data(), kPatience);
        ASSERT_TRUE(ok(told));
        EXPECT_EQ(told->oldest, told->clock);
        EXPECT_EQ(sum, Integers(sum.size(), 3 * given));
      }
    }
  });
}

TEST_P(StaleMeeting, WhereNobodyHasGivenAnythingTheSumStaysAsItIs) {
  run(3, [](Runtime& rt, Simulation&) {
    auto stale = make_stale(rt, shape(), 4);
    Integers sum(4, 77);
    for (int call = 0; call < 3; ++call) ASSERT_TRUE(ok(stale->flush(sum.data(), kPatience)));
    EXPECT_EQ(sum, Integers(4, 77));
  });
}

TEST_P(StaleMeeting, HalvesAreAddedAsFloats) {
  run(2, [](Runtime& rt, Simulation&) {
    auto made = Stale::create(rt.world(), {*reduction(Reduction::sum, HalfType::bfloat16, 3), shape()}, kPatience);
    ASSERT_TRUE(ok(made));
    const std::vector<std::uint16_t> one(3, 0x3f80);
    std::vector<std::uint16_t> sum(3);
    for (int call = 0; call < 512; ++call)
      ASSERT_TRUE(ok((*made)->allreduce_ssp(one.data(), sum.data(), 0, kPatience)));
    EXPECT_EQ(sum, std::vector<std::uint16_t>(3, 0x4480));  // 1024; in 8 bits 256 + 1 is 256
  });
}

// In virtual time, in which only messages take any: no more than a tenth beyond the consistent allreduce.
TEST_P(StaleMeeting, ItTakesAsLongAsTheConsistentAllreduce) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{512}, std::size_t{40'000}}) {
    run(5, [&](Runtime& rt, Simulation& simulation) {
      auto stale = make_stale(rt, shape(), count);
      const Integers mine(count, 1);
      Integers sum(count);
      auto consistent = Collective::allreduce(rt.world(), *reduction(Reduction::sum, DataType::int64, count),
                                              mine.data(), sum.data());
      ASSERT_TRUE(ok(consistent));
      const auto time_of = [&](auto&& call) {
        EXPECT_TRUE(ok(call()));
        EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
        const std::int64_t begun = simulation.now_ns();
        for (int i = 0; i < 200; ++i) EXPECT_TRUE(ok(call()));
        EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
        return simulation.now_ns() - begun;
      };
      const std::int64_t plain = time_of([&] { return consistent->run(kPatience); });
      const std::int64_t with_totals =
          time_of([&] { return stale->allreduce_ssp(mine.data(), sum.data(), 0, kPatience).status(); });
      EXPECT_LE(double(with_totals), 1.1 * double(plain)) << count << " elements";
    });
  }
}

TEST_P(StaleMeeting, AFunctionThatFailsFailsAtAll) {
  run(3, [](Runtime& rt, Simulation&) {
    ReductionSpec spec = *reduction(Reduction::sum, DataType::int64, 10);
    const Combine add = spec.combine;
    int calls = 0;
    spec.combine = [&](const void* one, const void* two, void* result, std::size_t count) -> Status {
      if (rt.rank() == 0 && ++calls > 8) return {Code::out_of_memory, "no room for a sum"};
      return add(one, two, result, count);
    };
    auto made = Stale::create(rt.world(), {spec, shape()}, kPatience);
    ASSERT_TRUE(ok(made));
    const Integers mine(10, 1);
    Integers sum(10);
    Status status;
    for (int call = 1; status.ok() && call < 100; ++call)
      status = (*made)->allreduce_ssp(mine.data(), sum.data(), 0, kPatience).status();
    EXPECT_TRUE(fails(status, Code::out_of_memory)) << rt.rank();
    EXPECT_TRUE(fails((*made)->flush(sum.data(), kPatience), Code::out_of_memory));
  });
}

TEST_P(StaleMeeting, WhoGivesNothingWhereOthersDoIsNamed) {
  run(3, [](Runtime& rt, Simulation&) {
    auto stale = make_stale(rt, shape(), 10);
    const Integers mine(10, 1);
    Integers sum(10);
    ASSERT_TRUE(ok(stale->flush(sum.data(), kPatience)));
    const Status status = rt.rank() == 1 ? stale->flush(sum.data(), kPatience).status()
                                         : stale->allreduce_ssp(mine.data(), sum.data(), 0, kPatience).status();
    EXPECT_TRUE(fails(status, Code::invalid_argument, "rank ")) << rt.rank();
    EXPECT_TRUE(fails(stale->flush(sum.data(), kPatience), Code::invalid_argument));
  });
}

TEST_P(StaleMeeting, WhoGoesOnWithSlackIsNamed) {
  run(3, [](Runtime& rt, Simulation&) {
    auto stale = make_stale(rt, shape(), 10);
    const Integers mine(10, 1);
    Integers sum(10);
    Status status;
    for (int call = 1; status.ok() && call < 1000; ++call)
      status =
          stale->allreduce_ssp(mine.data(), sum.data(), call > 3 && rt.rank() == 1 ? 2'000 : 0, kPatience).status();
    // Which waits for nobody, so it may come to its end before it hears of it.
    EXPECT_TRUE((rt.rank() == 1 && status.ok()) ||
                fails(status, Code::invalid_argument, "rank 1 called with another slack"));
  });
}

TEST_P(StaleMeeting, WhoHasLeftIsNamed) {
  run(3, [](Runtime& rt, Simulation&) {
    auto stale = make_stale(rt, shape(), 10);
    const Integers mine(10, 1);
    Integers sum(10);
    Status status;
    for (int call = 1; status.ok() && call < (rt.rank() == 1 ? 5 : 100); ++call)
      status = stale->allreduce_ssp(mine.data(), sum.data(), 0, kPatience).status();
    if (rt.rank() == 1) return;
    EXPECT_TRUE(fails(status, Code::peer_failed, "rank 1 has left"));
  });
}

// Another object of the group, and a collective of the program, in between.
TEST_P(StaleMeeting, ItIsNoneOfTheGroupsCollectives) {
  run(4, [](Runtime& rt, Simulation&) {
    auto one = make_stale(rt, shape(), 3), two = make_stale(rt, shape(), 3);
    const Integers mine(3, 1);
    Integers sum(3), sums(3);
    auto under_way =
        Collective::allreduce(rt.world(), *reduction(Reduction::sum, DataType::int64, 3), mine.data(), sums.data());
    ASSERT_TRUE(ok(under_way));
    for (std::int64_t call = 1; call <= 5; ++call) {
      // Half of them begin the program's before those two, half behind them.
      const bool is_first = rt.rank() % 2 == 0;
      if (is_first) {
        ASSERT_TRUE(ok(under_way->start()));
      }
      for (Stale* stale : {one.get(), two.get()}) {
        ASSERT_TRUE(ok(stale->allreduce_ssp(mine.data(), sum.data(), 0, kPatience)));
        EXPECT_EQ(sum, Integers(3, 4 * call));
      }
      if (!is_first) {
        ASSERT_TRUE(ok(under_way->start()));
      }
      ASSERT_TRUE(ok(under_way->wait(kPatience)));
      EXPECT_EQ(sums, Integers(3, 4));
    }
  });
}

}  // namespace
}  // namespace polder::test
