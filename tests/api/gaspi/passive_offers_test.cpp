// Offers that a receive is at, over a network in threads.
#include "api/gaspi/messages/passive.hpp"
#include "core/ranks.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace polder::test {
namespace {

constexpr std::int64_t kOneWayNs = 20'000'000;

SimulationOptions slow_network(Rank ranks) {
  SimulationOptions options =
      World{.device = SimulatedDevice::network, .ranks = ranks, .delay_ns = kOneWayNs}.options();
  options.min_delay_ns = kOneWayNs;
  return options;
}

// Rank 1 offers, rank 2 takes the offer back in its name while rank 0 gets the data, and rank 0 runs out of time.
TEST(PassiveOffers, stayWithdrawnWhereTheReceiveAtThemRunsOutOfTime) {
  Simulation simulation(3, slow_network(3));
  EXPECT_TRUE(ok(simulation.run([](Runtime& rt) {
    gaspi::PassiveOffers offers;
    std::atomic<bool> withdrawn{false}, asked{false};
    const gaspi::OfferMessage offer{.token = 1, .offset = 0, .size = 8, .segment = 5};
    EXPECT_TRUE(ok(rt.register_handler(gaspi::kWithdraw, [&](Rank, std::span<const std::byte>) {
      offers.withdraw(1, {1});
      withdrawn = true;
    })));
    EXPECT_TRUE(ok(rt.register_handler(gaspi::kPing, [&](Rank, std::span<const std::byte>) { asked = true; })));
    EXPECT_TRUE(ok(rt.create_segment({.size = 64, .id = SegmentId(5)}).status()));
    EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
    const std::uint64_t word = 0;
    if (rt.rank() == 2) {
      while (!asked) rt.progress();
      EXPECT_TRUE(ok(rt.send(0, gaspi::kWithdraw, std::as_bytes(std::span(&word, 1)), kPatience)));
    }
    if (rt.rank() == 0) {
      std::array<std::byte, 8> memory{};
      Rank source = 0;
      offers.arrive(1, offer);
      EXPECT_TRUE(ok(rt.send(2, gaspi::kPing, std::as_bytes(std::span(&word, 1)), kPatience)));
      const auto first = offers.receive(rt, memory.data(), 8, source, gaspi::Deadline(60));
      while (!withdrawn) rt.progress();
      if (first == GASPI_TIMEOUT) {
        EXPECT_EQ(offers.receive(rt, memory.data(), 8, source, gaspi::Deadline(200)), GASPI_TIMEOUT);
      }
    }
    EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
    offers.let_go();
  })));
}

TEST(PassiveOffers, stayWhereThereIsNoMemoryForThem) {
  if (POLDER_SANITIZED) GTEST_SKIP() << "a sanitizer's operator new does not throw, it ends the process";
  constexpr std::size_t kTooMuch = std::size_t{1} << 60;
  Simulation simulation(2, World{.device = SimulatedDevice::network}.options());
  EXPECT_TRUE(ok(simulation.run([](Runtime& rt) {
    EXPECT_TRUE(ok(rt.create_segment({.size = 64, .id = SegmentId(5)}).status()));
    EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) {
      gaspi::PassiveOffers offers;
      std::array<std::byte, 8> memory{};
      Rank source = 0;
      offers.arrive(1, {.token = 1, .offset = 0, .size = kTooMuch, .segment = 5});
      EXPECT_EQ(offers.receive(rt, memory.data(), kTooMuch, source, gaspi::Deadline(GASPI_BLOCK)), GASPI_ERR_MEMALLOC);
      EXPECT_EQ(offers.receive(rt, memory.data(), 8, source, gaspi::Deadline(GASPI_BLOCK)), GASPI_ERR_INV_SIZE);
    }
    EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
  })));
}

}  // namespace
}  // namespace polder::test
