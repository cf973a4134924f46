// Members of a stale-synchronous allreduce that fail while others still have something to send them.
#include "core/ranks.hpp"

#include <polder/stale.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace polder::test {
namespace {

// Rank 0 has the totals of all, and sends its own to rank 1, which has no cell for it: it would give one back when it has taken the one
// before, which is late. Rank 1 hears of the failure of rank 2 first, and takes nothing any more.
TEST(StaleFailures, WhoHasAllTotalsDoesNotWaitForRoomAtOneThatFailed) {
  constexpr std::uint64_t kSlack = 8;
  constexpr std::int64_t kMillisecond = 1'000'000;
  SimulationOptions options{.max_delay_ns = 20'000, .detection_ns = 1000 * kMillisecond, .deterministic = true};
  options.device = SimulatedDevice::network;
  Simulation simulation(3, options);
  run_ranks(simulation, [&](Runtime& rt) {
    std::optional<std::int64_t> fails_at;  // gives up for a while before that
    ReductionSpec sum = *reduction(Reduction::sum, DataType::uint64, 10);
    sum.combine = [&, add = sum.combine](const void* one, const void* two, void* result, std::size_t count) -> Status {
      if (!fails_at) return add(one, two, result, count);
      if (simulation.now_ns() < *fails_at) return Code::timeout;
      return {Code::system, "the function has had enough"};
    };
    auto stale = Stale::create(rt.world(), {sum, StaleShape::flat, 3}, kPatience);
    ASSERT_TRUE(ok(stale));
    const std::vector<std::uint64_t> mine(10, 1);
    std::vector<std::uint64_t> all(10);
    const auto call = [&](std::uint64_t slack, Timeout timeout) {
      return (*stale)->allreduce_ssp(mine.data(), all.data(), slack, timeout);
    };
    // Rank 0 takes what the others have sent in three calls, and gives their cells back, before nothing of it reaches rank 1 any more.
    const std::int64_t begin = simulation.now_ns();
    if (rt.rank() == 0) simulation.sleep(5 * kMillisecond);
    for (int early = 0; early < 3; ++early) {
      ASSERT_TRUE(ok(call(kSlack, kPatience)));
      simulation.sleep(kMillisecond);
      if (rt.rank() == 0 && early == 0) simulation.cut(0, 1);
    }
    simulation.sleep(begin + 20 * kMillisecond - simulation.now_ns());
    Status outcome = Code::timeout;
    if (rt.rank() == 2) {
      fails_at = simulation.now_ns() + 10 * kMillisecond;
      while (outcome.timed_out()) outcome = (*stale)->flush(all.data(), 1ms).status();
    } else {
      outcome = call(0, 2s).status();
    }
    EXPECT_TRUE(fails(outcome, Code::system, rt.rank() == 2 ? "enough" : "combining failed at rank 2"))
        << "rank " << rt.rank();
    if (rt.rank() == 1) simulation.heal(0, 1);
  });
}

// Rank 1 has waited for ten seconds with a total for which there is no cell, and has given its memory back.
TEST(StaleFailures, WhoIsGoneAfterTheEndIsNamed) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages})
    for (const StaleShape shape : {StaleShape::hypercube, StaleShape::flat, StaleShape::sharded}) {
      Simulation simulation(2, {.device = device, .runtime = {.timeout = kPatience}, .deterministic = true});
      run_ranks(simulation, [&](Runtime& rt) {
        auto made = Stale::create(
            rt.world(), {.reduction = *reduction(Reduction::sum, DataType::float64, 4), .shape = shape, .cells = 2},
            kPatience);
        ASSERT_TRUE(ok(made));
        const std::vector<double> mine(4, 1);
        std::vector<double> sum(4);
        if (rt.rank() == 0) simulation.sleep(30'000'000'000);
        for (int call = 0; call < 10; ++call)
          if (Status status = (*made)->allreduce_ssp(mine.data(), sum.data(), 100, 20s).status(); !status.ok()) {
            EXPECT_TRUE(fails(status, Code::peer_failed, "rank 1"));
            return;
          }
        if (rt.rank() == 0) {
          EXPECT_TRUE(fails((*made)->flush(sum.data(), 20s), Code::peer_failed, "rank 1")) << int(device) << int(shape);
        }
        (*made).reset();
        if (rt.rank() == 1) simulation.sleep(30'000'000'000);
      });
    }
}

// Wherever the function fails: also where a member goes on for others when it has its result.
TEST(StaleFailures, ACallThatFailsLeavesTheBufferAlone) {
  for (const StaleShape shape : {StaleShape::hypercube, StaleShape::flat, StaleShape::sharded})
    for (int last = 0; last < 72; ++last) {
      Simulation simulation(3, {.device = SimulatedDevice::network, .max_delay_ns = 20'000, .deterministic = true});
      run_ranks(simulation, [&](Runtime& rt) {
        int combined = 0;
        ReductionSpec add = *reduction(Reduction::sum, DataType::uint64, 6);
        add.operation = ReductionSpec::kUserFunction;
        add.combine = [&, sum = add.combine](const void* one, const void* two, void* result,
                                             std::size_t count) -> Status {
          if (rt.rank() == Rank(last % 3) && combined++ == last / 3)
            return {Code::system, "the function has had enough"};
          return sum(one, two, result, count);
        };
        auto stale = Stale::create(rt.world(), {add, shape}, kPatience);
        ASSERT_TRUE(ok(stale));
        const std::vector<std::uint64_t> mine(6, 1), before(6, 77);
        for (std::uint64_t call = 0; call < 20; ++call) {
          std::vector<std::uint64_t> sum = before;
          const auto told = (*stale)->allreduce_ssp(mine.data(), sum.data(), 3, kPatience);
          if (told.ok()) continue;
          EXPECT_EQ(sum, before) << "rank " << rt.rank() << ", call " << call << ", " << last;
          return;
        }
      });
    }
}

}  // namespace
}  // namespace polder::test
