// Letters whose contents a network reads where they lie: once a call has returned the memory is the caller's again.
#include "core/ranks.hpp"
#include "words.hpp"

#include <polder/collective.hpp>
#include <polder/neighbours.hpp>
#include <polder/simulate.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::test {
namespace {

// Around what a network copies at once (256 bytes with even seeds), a cell, and a frame.
constexpr std::size_t kLengths[] = {1, 192, 193, 4000, 7616, 7617, 30'000, 122'816, 122'817, 200'000};

SimulationOptions network(std::uint64_t seed) {
  SimulationOptions options;
  options.device = SimulatedDevice::network;
  options.min_delay_ns = 1'000;
  options.max_delay_ns = 300'000;
  options.seed = seed;
  options.deterministic = true;
  return options;
}

class SentInPlace : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, SentInPlace, testing::Range(std::uint64_t{1}, std::uint64_t{7}));

// Members are late in turn, so that some letters wait for room and others for their readers.
TEST_P(SentInPlace, MemoryIsTheCallersOnceABroadcastReturns) {
  run_ranks(4, network(GetParam()), [](Runtime& rt) {
    std::uint64_t number = 0;
    for (const char* const way : {"binomial", "spread", "chain"})
      for (const std::size_t bytes : kLengths)
        for (Rank root = 0; root < rt.size(); ++root) {
          const auto expected = noise(++number, bytes);
          std::vector<std::byte> data(bytes);
          if (rt.rank() == root) data = expected;
          if (number % rt.size() == rt.rank()) rest(500us);
          auto call = Collective::broadcast(rt.world(), root, data.data(), bytes);
          ASSERT_TRUE(ok(call) && ok(call->use(way)) && ok(call->run(kPatience)));
          EXPECT_EQ(data, expected) << way << ", " << bytes << " bytes from " << root;
          std::fill(data.begin(), data.end(), std::byte{0xee});  // whoever reads it still is found out
        }
  });
}

TEST_P(SentInPlace, MemoryIsTheCallersOnceAnAlltoallReturns) {
  run_ranks(3, network(GetParam()), [](Runtime& rt) {
    for (const std::size_t bytes : kLengths)
      for (Rank late = 0; late < rt.size(); ++late) {
        std::vector<std::byte> sent = noise(bytes + rt.rank(), bytes * rt.size()), received(sent.size());
        if (late == rt.rank()) rest(500us);
        ASSERT_TRUE(ok(alltoall(rt.world(), bytes, sent.data(), received.data(), kPatience)));
        std::fill(sent.begin(), sent.end(), std::byte{0xee});
        for (Rank from = 0; from < rt.size(); ++from) {
          const auto theirs = noise(bytes + from, bytes * rt.size());
          ASSERT_TRUE(std::equal(received.begin() + std::ptrdiff_t(from * bytes),
                                 received.begin() + std::ptrdiff_t((from + 1) * bytes),
                                 theirs.begin() + std::ptrdiff_t(rt.rank() * bytes)))
              << bytes << " bytes from " << from;
        }
      }
  });
}

// Members change in each step what they have sent in the one before.
TEST_P(SentInPlace, StepsOfAnAllreduceDoNotOvertakeIt) {
  run_ranks(4, network(GetParam()), [](Runtime& rt) {
    for (const char* const way : {"whole", "doubling", "circulant", "ring", "slices"})
      for (const std::size_t bytes : kLengths) {
        const std::size_t count = bytes / sizeof(std::uint64_t) + 1;
        Words mine(count), all(count);
        for (std::size_t i = 0; i < count; ++i) mine[i] = i * (rt.rank() + 1);
        if (bytes % rt.size() == rt.rank()) rest(500us);
        auto call = Collective::allreduce(rt.world(), sum(count), mine.data(), all.data());
        ASSERT_TRUE(ok(call) && ok(call->use(way)) && ok(call->run(kPatience))) << way;
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(all[i], 10 * i) << way << ", " << count << " words";
      }
  });
}

// Its reader comes late; the writer looks again and again.
TEST_P(SentInPlace, MemoryIsTheCallersOnceACallThatWasResumedReturns) {
  run_ranks(2, network(GetParam()), [](Runtime& rt) {
    for (const std::size_t bytes : kLengths) {
      std::vector<std::byte> data = noise(bytes, bytes), there(bytes);
      if (rt.rank() == 0) {
        auto call = Collective::broadcast(rt.world(), 0, data.data(), bytes);
        ASSERT_TRUE(ok(call));
        Status status = call->run(50us);
        for (int i = 0; i < 1000 && status.timed_out(); ++i) status = call->wait(50us);
        ASSERT_TRUE(ok(status)) << bytes;
        std::fill(data.begin(), data.end(), std::byte{0xee});
      } else {
        rest(2ms);
        ASSERT_TRUE(ok(broadcast(rt.world(), 0, there.data(), bytes, kPatience)));
        EXPECT_EQ(there, data) << bytes;
      }
    }
  });
}

// Rank 2 tells rank 1, which tells rank 0. That one has what it was to have and is gone before rank 1 looks again, which has yet to hear
// from rank 2: it sent all that it had to send.
TEST_P(SentInPlace, AReaderMayLeaveWithItsLetter) {
  for (const std::size_t bytes : kLengths) {
    if (bytes > 30'000) break;  // some of it waits for room at the reader
    Simulation simulation(3, network(GetParam()));
    std::atomic<bool> has_left{false};
    ASSERT_TRUE(ok(simulation.run([&](Runtime& rt) {
      const std::vector<Rank> none, behind{rt.rank() + 1}, before{rt.rank() - 1};
      auto chain = Neighbours::graph(rt.world(), rt.rank() == 2 ? none : behind, rt.rank() == 0 ? none : before);
      ASSERT_TRUE(ok(chain) && ok(chain->commit(kPatience)));
      std::vector<std::byte> sent = noise(rt.rank(), bytes), received(bytes);
      const auto exchange = [&](Timeout timeout) {
        return neighbour_alltoall(*chain, bytes, sent.data(), received.data(), timeout);
      };
      if (rt.rank() == 1) {
        EXPECT_TRUE(exchange(1us).timed_out());
        while (rt.health(0) == Health::healthy) rest(100us);
        has_left = true;
      } else if (rt.rank() == 2) {
        while (!has_left) rest(100us);
      }
      EXPECT_TRUE(ok(exchange(kPatience))) << bytes << " bytes at rank " << rt.rank();
      if (rt.rank() != 2) {
        EXPECT_EQ(received, noise(rt.rank() + 1, bytes)) << bytes << " bytes";
      }
    })));
  }
}

}  // namespace
}  // namespace polder::test
