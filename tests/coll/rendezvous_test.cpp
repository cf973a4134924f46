// Long letters between neighbours of one machine, which are read where they lie: in segments, and in private memory by the kernel.
#include "core/ranks.hpp"
#include "util/cross_attach.hpp"
#include "util/environment.hpp"
#include "words.hpp"

#include <polder/neighbours.hpp>
#include <polder/simulate.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace polder::test {
namespace {

constexpr std::size_t kLong = 100'000;  // bytes: more than the least, less than the cells of a letter hold

// Of all members of a group each finds out whether it reads the others, and then whether they do.
void meet(Runtime& rt) {
  const GridDimension ring{rt.size(), true};
  auto grid = Neighbours::grid(rt.world(), {&ring, 1});
  ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
  const std::vector<std::byte> sent(2 * kLong);
  std::vector<std::byte> received(2 * kLong);
  for (int round = 0; round < 4; ++round)
    ASSERT_TRUE(ok(neighbour_alltoall(*grid, kLong, sent.data(), received.data(), kPatience)));
}

Neighbours edge_from_zero_to_one(Runtime& rt) {
  const std::vector<Rank> none, zero{0}, one{1};
  auto edge = Neighbours::graph(rt.world(), rt.rank() == 1 ? zero : none, rt.rank() == 0 ? one : none);
  EXPECT_TRUE(ok(edge) && ok(edge->commit(kPatience)));
  return *std::move(edge);
}

// Bytes in private memory, or in a segment.
class Memory {
 public:
  Memory(Runtime& rt, std::size_t bytes, bool in_segment) : rt_(rt), private_(in_segment ? 0 : bytes) {
    data = private_.data();
    if (!in_segment) return;
    auto segment = rt.create_segment({.size = bytes});
    EXPECT_TRUE(ok(segment));
    data = segment->as<std::byte>().data();
    segment_ = segment->id;
  }
  ~Memory() {
    if (segment_) {
      EXPECT_TRUE(ok(rt_.delete_segment(*segment_)));
    }
  }
  Memory(const Memory&) = delete;

  std::byte* data = nullptr;

 private:
  Runtime& rt_;
  std::vector<std::byte> private_;
  std::optional<SegmentId> segment_;
};

class RendezvousTest : public OnRanks {
  const util::ScopedEnvironment copies_{"POLDER_COLL_PRIVATE", "once"};
};
INSTANTIATE_TEST_SUITE_P(Worlds, RendezvousTest, testing::ValuesIn(worlds({2, 5})), name_of_param);

// Lengths around those that go by cells; what is sent begins anywhere, and what comes goes into rows of a larger field.
TEST_P(RendezvousTest, LongLettersArriveWhole) {
  run([](Runtime& rt) {
    const GridDimension ring{rt.size(), true};
    auto grid = Neighbours::grid(rt.world(), {&ring, 1});
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    const Rank before = (rt.rank() + rt.size() - 1) % rt.size(), behind = (rt.rank() + 1) % rt.size();
    for (const bool in_segment : {false, true})
      for (const std::size_t rows : {32, 100, 512, 2000}) {
        constexpr std::size_t kRow = 1001, kStride = 1100;  // bytes
        const std::size_t bytes = rows * kRow;
        Memory send(rt, 2 * bytes + 1, in_segment);
        const auto sent = [&](Rank rank) { return noise(1000 * rank + rows, 2 * bytes); };
        std::copy_n(sent(rt.rank()).begin(), 2 * bytes, send.data + 1);
        const std::array<StridedPart, 2> out{{{1, 1, bytes, bytes}, {1 + bytes, 1, bytes, bytes}}};
        const std::array<StridedPart, 2> in{{{3, rows, kRow, kStride}, {3 + rows * kStride, rows, kRow, kStride}}};
        std::vector<std::byte> received(3 + 2 * rows * kStride, std::byte{0x5a}), expected = received;
        const auto expect = [&](std::size_t side, const std::byte* from) {
          for (std::size_t row = 0; row < rows; ++row)
            std::copy_n(from + row * kRow, kRow, expected.data() + in[side].offset + row * kStride);
        };
        expect(0, sent(before).data() + bytes);
        expect(1, sent(behind).data());
        ASSERT_TRUE(ok(neighbour_alltoallw(*grid, send.data, out, received.data(), in, kPatience)));
        ASSERT_TRUE(received == expected) << rows << " rows, " << (in_segment ? "in a segment" : "private");
      }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

// Ranks are threads of this process, which the kernel lets read itself unless a filter of system calls forbids it.
bool may_read_processes() {
  static const char byte = 1;
  return util::cross_attach_allowed(getpid(), std::bit_cast<std::uintptr_t>(&byte));
}

// Whether letters lie in a segment.
std::vector<bool> places() {
  return may_read_processes() ? std::vector<bool>{false, true} : std::vector<bool>{true};
}

constexpr SimulatedDevice kMapped[] = {SimulatedDevice::direct, SimulatedDevice::shm};

// The writer's call times out while its reader has not come, and goes on then; by cells it ends at once.
TEST(Rendezvous, WriterWaitsForItsReader) {
  for (const char* const copies : {"once", "twice"})
    for (const SimulatedDevice device : kMapped)
      for (const bool in_segment : places()) {
        const util::ScopedEnvironment environment("POLDER_COLL_PRIVATE", copies);
        std::atomic<bool> tried{false};
        run_ranks(2, World{device, 2}.options(), [&](Runtime& rt) {
          meet(rt);
          Neighbours edge = edge_from_zero_to_one(rt);
          Memory mine(rt, kLong, in_segment);
          const auto letter = noise(7, kLong);
          std::copy_n(letter.begin(), kLong, mine.data);
          if (rt.rank() == 0) {
            const Part part{0, kLong};
            const auto give = [&](Timeout timeout) {
              return neighbour_alltoallv(edge, mine.data, {&part, 1}, nullptr, {}, timeout);
            };
            const bool waits = in_segment || copies == std::string_view("once");
            const Status first = give(20ms);
            EXPECT_TRUE(waits ? first.timed_out() : first.ok()) << first.to_string();
            tried = true;
            if (waits) {
              EXPECT_TRUE(ok(give(kPatience)));
            }
          } else {
            while (!tried) let_others_run();
            std::vector<std::byte> received(kLong);
            const Part part{0, kLong};
            ASSERT_TRUE(ok(neighbour_alltoallv(edge, nullptr, {}, received.data(), {&part, 1}, kPatience)));
            EXPECT_TRUE(received == letter);
          }
          ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
        });
      }
}

// A writer that gives its call up has its memory for itself: its reader hears of it, and takes nothing.
TEST(Rendezvous, WhatIsGivenUpIsNotRead) {
  const util::ScopedEnvironment environment("POLDER_COLL_PRIVATE", "once");
  for (const SimulatedDevice device : kMapped)
    for (const bool in_segment : places()) {
      std::atomic<bool> given_up{false};
      run_ranks(2, World{device, 2}.options(), [&](Runtime& rt) {
        meet(rt);
        Neighbours edge = edge_from_zero_to_one(rt);
        Memory mine(rt, kLong, in_segment);
        const Part part{0, kLong};
        if (rt.rank() == 0) {
          {
            auto call = Collective::neighbour_alltoallv(edge, mine.data, {&part, 1}, nullptr, {});
            ASSERT_TRUE(ok(call) && ok(call->start()));
            EXPECT_TRUE(call->wait(20ms).timed_out());
          }
          std::fill_n(mine.data, kLong, std::byte{0x77});
          given_up = true;
        } else {
          while (!given_up) let_others_run();
          std::vector<std::byte> received(kLong, std::byte{0x5a});
          EXPECT_TRUE(fails(neighbour_alltoallv(edge, nullptr, {}, received.data(), {&part, 1}, kPatience),
                            Code::peer_failed, "rank 0 has given up the group"));
          EXPECT_TRUE(received == std::vector<std::byte>(kLong, std::byte{0x5a}));
        }
      });
    }
}

// A reader that has left the job since has taken its letter all the same.
TEST(Rendezvous, AReaderMayLeaveWithItsLetter) {
  const util::ScopedEnvironment environment("POLDER_COLL_PRIVATE", "once");
  for (const SimulatedDevice device : kMapped)
    for (const bool in_segment : places()) {
      Simulation simulation(2, World{device, 2}.options());
      std::atomic<bool> offered{false};
      static_cast<void>(simulation.run([&](Runtime& rt) {
        meet(rt);
        Neighbours edge = edge_from_zero_to_one(rt);
        Memory mine(rt, kLong, in_segment);
        const Part part{0, kLong};
        if (rt.rank() == 0) {
          const auto give = [&](Timeout timeout) {
            return neighbour_alltoallv(edge, mine.data, {&part, 1}, nullptr, {}, timeout);
          };
          EXPECT_TRUE(give(20ms).timed_out());
          offered = true;
          while (rt.health(1) == Health::healthy) let_others_run();
          EXPECT_TRUE(ok(give(kPatience)));
        } else {
          while (!offered) let_others_run();
          EXPECT_TRUE(ok(neighbour_alltoallv(edge, nullptr, {}, mine.data, {&part, 1}, kPatience)));
        }
      }));
    }
}

// Rank 0 tells ranks 1 and 2, of which 1 dies instead of reading: 2 has its letter, and 0 hears of the death.
TEST(Rendezvous, ADeadReaderEndsItAndTheOthersHaveTheirs) {
  const util::ScopedEnvironment environment("POLDER_COLL_PRIVATE", "once");
  for (const SimulatedDevice device : kMapped)
    for (const bool in_segment : places()) {
      Simulation simulation(3, World{device, 3}.options());
      std::atomic<bool> under_way{false};
      static_cast<void>(simulation.run([&](Runtime& rt) {
        meet(rt);
        const std::vector<Rank> none, zero{0}, others{1, 2};
        auto star = Neighbours::graph(rt.world(), rt.rank() == 0 ? none : zero, rt.rank() == 0 ? others : none);
        ASSERT_TRUE(ok(star) && ok(star->commit(kPatience)));
        Memory mine(rt, kLong, in_segment);
        const auto letter = noise(11, kLong);
        std::copy_n(letter.begin(), kLong, mine.data);
        const std::array<Part, 2> parts{{{0, kLong}, {0, kLong}}};
        if (rt.rank() == 0) {
          const auto give = [&](Timeout timeout) {
            return neighbour_alltoallv(*star, mine.data, parts, nullptr, {}, timeout);
          };
          EXPECT_TRUE(give(20ms).timed_out());
          under_way = true;
          EXPECT_TRUE(fails(give(kPatience), Code::peer_failed));
        } else {
          while (!under_way) let_others_run();
          if (rt.rank() == 1) return simulation.kill(1);
          std::vector<std::byte> received(kLong);
          ASSERT_TRUE(ok(neighbour_alltoallv(*star, nullptr, {}, received.data(), {parts.data(), 1}, kPatience)));
          EXPECT_TRUE(received == letter);
        }
        Result<Agreement> agreed = rt.world().agree(1, kPatience);
        EXPECT_TRUE(ok(agreed));
      }));
    }
}

}  // namespace
}  // namespace polder::test
