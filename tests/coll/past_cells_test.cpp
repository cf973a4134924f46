// Long letters between machines, whose rest goes past the cells into memory that the reader shows.
#include "past_cells.hpp"
#include "coll/port/wire.hpp"
#include "core/group/letter_room.hpp"
#include "core/ranks.hpp"
#include "own_memory.hpp"
#include "words.hpp"

#include <polder/collective.hpp>
#include <polder/neighbours.hpp>
#include <polder/simulate.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace polder::test {
namespace {

class PastCellsTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, PastCellsTest, testing::ValuesIn(worlds({2, 3})), name_of_param);

// Lengths around those from which letters go past the cells, on all lanes and with all roots.
TEST_P(PastCellsTest, LettersOfEveryLengthArriveWhole) {
  run([](Runtime& rt) {
    std::uint64_t number = 0;
    for (const std::size_t bytes : {4 * kFrame - 1, 4 * kFrame, 4 * kFrame + 1, 6 * kFrame, kLong, 30 * kFrame + 7})
      for (Rank root = 0; root < rt.size(); ++root) {
        const auto expected = noise(++number, bytes);
        constexpr std::size_t kMargin = 64;
        std::vector<std::byte> data(bytes + 2 * kMargin, std::byte{0x5a});
        if (rt.rank() == root) std::copy(expected.begin(), expected.end(), data.begin() + kMargin);
        auto call = Collective::broadcast(rt.world(), root, data.data() + kMargin, bytes);
        ASSERT_TRUE(ok(call) && ok(call->use("binomial")) && ok(call->run(kPatience)));
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), data.begin() + kMargin)) << bytes;
        const auto is_free = [](std::byte byte) { return byte == std::byte{0x5a}; };
        ASSERT_TRUE(std::all_of(data.begin(), data.begin() + kMargin, is_free) &&
                    std::all_of(data.end() - kMargin, data.end(), is_free))
            << bytes;
      }
  });
}

// Both ways at once, between all; each block of another length.
TEST_P(PastCellsTest, ExchangesArriveWhole) {
  run([](Runtime& rt) {
    const std::size_t bytes = 5 * kFrame + 24;
    std::vector<std::byte> sent = noise(rt.rank(), bytes * rt.size()), received(sent.size());
    for (int round = 0; round < 6; ++round) {
      std::fill(received.begin(), received.end(), std::byte{});
      ASSERT_TRUE(ok(alltoall(rt.world(), bytes, sent.data(), received.data(), kPatience)));
      for (Rank from = 0; from < rt.size(); ++from) {
        const auto theirs = noise(from, bytes * rt.size());
        ASSERT_TRUE(std::equal(received.begin() + std::ptrdiff_t(from * bytes),
                               received.begin() + std::ptrdiff_t((from + 1) * bytes),
                               theirs.begin() + std::ptrdiff_t(rt.rank() * bytes)))
            << round;
      }
    }
  });
}

class ShortExchangesTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, ShortExchangesTest, testing::ValuesIn(worlds({2, 5})), name_of_param);

// Blocks around the length from which letters wait for their readers' windows: these are there first, or too late, and then the
// letter goes by the cells. Each member is late in its turn; calls time out meanwhile and go on.
TEST_P(ShortExchangesTest, ArriveWholeWhoeverIsLate) {
  run([](Runtime& rt) {
    constexpr std::size_t kFew = coll::window_from(3), kTwo = coll::window_from(2);  // of so many letters
    std::uint64_t number = 0;
    for (const std::size_t bytes : {kFew - 1, kFew, kTwo - 1, kTwo, kFrame + 8})
      for (Rank late = 0; late <= rt.size(); ++late, ++number) {
        const auto noise_of = [&](Rank rank) { return noise(100 * number + rank, bytes * rt.size()); };
        const auto sent = noise_of(rt.rank());
        std::vector<std::byte> swapped(sent.size()), gathered(sent.size());
        if (rt.rank() == late) rest(3ms);
        auto swap = Collective::alltoall(rt.world(), bytes, sent.data(), swapped.data());
        const std::vector<std::size_t> parts(rt.size(), bytes);
        auto gather = Collective::allgather(rt.world(), parts, sent.data(), gathered.data());
        for (auto* call : {&swap, &gather}) {
          ASSERT_TRUE(ok(*call) && ok((*call)->use("spread")) && ok((*call)->start()));
          Status status;
          do status = (*call)->wait(Timeout(20us));
          while (status.timed_out());
          ASSERT_TRUE(ok(status));
        }
        for (Rank from = 0; from < rt.size(); ++from) {
          const auto theirs = noise_of(from);
          const auto place = std::ptrdiff_t(from * bytes), end = place + std::ptrdiff_t(bytes);
          ASSERT_TRUE(std::equal(swapped.begin() + place, swapped.begin() + end,
                                 theirs.begin() + std::ptrdiff_t(rt.rank() * bytes)))
              << bytes << " bytes of " << from << ", late: " << late;
          ASSERT_TRUE(std::equal(gathered.begin() + place, gathered.begin() + end, theirs.begin()))
              << bytes << " bytes of " << from << ", late: " << late;
        }
      }
  });
}

// Blocks of nothing, of some bytes and of such a length that two are under way at a time, so that members differ in what they have
// under way; in each round between other pairs.
TEST_P(ShortExchangesTest, UnequalBlocksArriveWhole) {
  run([](Runtime& rt) {
    constexpr std::size_t kSizes[] = {0, 8, 70'000, 600'000, 1'300'000};
    for (Rank round = 0; round < std::size(kSizes); ++round) {
      const auto bytes = [&](Rank from, Rank to) { return kSizes[(3 * from + to + round) % std::size(kSizes)]; };
      const auto block = [&](Rank from, Rank to) { return noise(100 * round + 10 * from + to, bytes(from, to)); };
      std::vector<Part> sent, received;
      std::vector<std::byte> mine, theirs, expected;
      for (Rank other = 0; other < rt.size(); ++other) {
        sent.push_back({mine.size(), bytes(rt.rank(), other)});
        received.push_back({expected.size(), bytes(other, rt.rank())});
        const auto out = block(rt.rank(), other), in = block(other, rt.rank());
        mine.insert(mine.end(), out.begin(), out.end());
        expected.insert(expected.end(), in.begin(), in.end());
      }
      theirs.resize(expected.size());
      if (rt.rank() == round % rt.size()) rest(3ms);
      auto call = Collective::alltoallv(rt.world(), mine.data(), sent, theirs.data(), received);
      ASSERT_TRUE(ok(call) && ok(call->use("spread")) && ok(call->start()));
      Status status;
      do status = call->wait(Timeout(20us));
      while (status.timed_out());
      ASSERT_TRUE(ok(status));
      ASSERT_TRUE(theirs == expected) << "round " << round;
    }
  });
}

// Letters that go one way, of a length at which their writers wait for a window, and one below. Each member is the root in its turn, and
// each is late; calls time out meanwhile and go on.
TEST_P(PastCellsTest, WhatGoesOneWayArrivesWholeWhoeverIsLate) {
  run([](Runtime& rt) {
    std::uint64_t number = 0;
    for (const std::size_t bytes : {coll::kWindowOfAny - 8, coll::kWindowOfAny, coll::kWindowOfAny + kFrame + 8})
      for (Rank late = 0; late <= rt.size(); ++late) {
        const Rank root = Rank(++number % rt.size());
        const auto part_of = [&](Rank rank) { return noise(100 * number + rank, bytes); };
        const auto mine = part_of(rt.rank());
        std::vector<std::byte> parts, told(mine), gathered(bytes * rt.size()), given(bytes), combined(bytes);
        for (Rank rank = 0; rank < rt.size(); ++rank) {
          const auto theirs = part_of(rank);
          parts.insert(parts.end(), theirs.begin(), theirs.end());
        }
        const std::vector<std::size_t> sizes(rt.size(), bytes);
        const auto either = reduction(Reduction::bit_xor, DataType::uint64, bytes / 8);
        ASSERT_TRUE(ok(either));
        auto broadcast = Collective::broadcast(rt.world(), root, told.data(), bytes);
        auto gather = Collective::gather(rt.world(), root, sizes, mine.data(), gathered.data());
        auto scatter = Collective::scatter(rt.world(), root, sizes, parts.data(), given.data());
        auto reduce = Collective::reduce(rt.world(), root, *either, mine.data(), combined.data());
        if (rt.rank() == late) rest(3ms);
        const std::pair<Result<Collective>*, const char*> calls[] = {
            {&broadcast, "binomial"}, {&gather, "spread"}, {&scatter, "spread"}, {&reduce, "whole"}};
        for (const auto& [call, algorithm] : calls) {
          ASSERT_TRUE(ok(*call) && ok((*call)->use(algorithm)) && ok((*call)->start()));
          Status status;
          do status = (*call)->wait(Timeout(20us));
          while (status.timed_out());
          ASSERT_TRUE(ok(status)) << algorithm;
        }
        EXPECT_TRUE(told == part_of(root)) << bytes << ", late: " << late;
        EXPECT_TRUE(given == mine) << bytes << ", late: " << late;
        if (rt.rank() != root) continue;
        EXPECT_TRUE(gathered == parts) << bytes << ", late: " << late;
        std::vector<std::byte> expected(bytes);
        for (std::size_t i = 0; i < parts.size(); ++i) expected[i % bytes] ^= parts[i];
        EXPECT_TRUE(combined == expected) << bytes << ", late: " << late;
      }
  });
}

// A reader that never comes, and one that dies meanwhile: its writers wait for no window, and say what has happened.
TEST(ShortExchanges, EndWhereAReaderNeverComes) {
  Simulation simulation(3, {.device = SimulatedDevice::network});
  std::atomic<int> timed_out{0};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    constexpr std::size_t kBytes = coll::window_from(2);
    std::vector<std::byte> sent(3 * kBytes), received(3 * kBytes);
    ASSERT_TRUE(ok(alltoall(rt.world(), kBytes, sent.data(), received.data(), kPatience)));
    if (rt.rank() == 2) {
      while (timed_out != 2) let_others_run();
      simulation.kill(2);
      return;
    }
    auto call = Collective::alltoall(rt.world(), kBytes, sent.data(), received.data());
    ASSERT_TRUE(ok(call) && ok(call->start()));
    EXPECT_TRUE(fails(call->wait(20ms), Code::timeout));
    ++timed_out;
    EXPECT_TRUE(fails(call->wait(kPatience), Code::peer_failed));
  })));
}

// Nor do the writers of the only letter of a step, whose reader would show where it goes.
TEST(PastCells, ARootWhoseReaderNeverComesSaysSo) {
  for (const bool gathers : {false, true}) {
    Simulation simulation(2, {.device = SimulatedDevice::network});
    std::atomic<bool> timed_out{false};
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      const std::vector<std::size_t> parts(2, 2 * coll::kWindowOfAny);
      std::vector<std::byte> mine(parts[0]), all(2 * parts[0]);
      const auto letter = [&] {
        return gathers ? Collective::gather(rt.world(), 1, parts, mine.data(), all.data())
                       : Collective::broadcast(rt.world(), 0, mine.data(), mine.size());
      };
      auto first = letter();
      ASSERT_TRUE(ok(first) && ok(first->run(kPatience)));
      if (rt.rank() == 1) {
        while (!timed_out) let_others_run();
        simulation.kill(1);
        return;
      }
      auto call = letter();
      ASSERT_TRUE(ok(call) && ok(call->start()));
      EXPECT_TRUE(fails(call->wait(20ms), Code::timeout));
      timed_out = true;
      EXPECT_TRUE(fails(call->wait(kPatience), Code::peer_failed));
    })));
  }
}

// `rows` of a field, so many bytes each, are packed by the neighbours of a ring, and the other way round.
void expect_rows(Runtime& rt, std::size_t row, std::size_t rows) {
  const GridDimension ring{rt.size(), true};
  auto grid = Neighbours::grid(rt.world(), {&ring, 1});
  ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
  const std::size_t stride = row + row / 10, bytes = row * rows;
  const Rank before = previous_of(rt), behind = next_of(rt);
  const std::array<StridedPart, 2> packed{{{0, 1, bytes, bytes}, {bytes, 1, bytes, bytes}}};
  const std::array<StridedPart, 2> field{{{0, rows, row, stride}, {rows * stride, rows, row, stride}}};
  for (const bool out_in_rows : {false, true}) {
    const auto sent = [&](Rank rank) { return noise(rank + 10, 2 * (out_in_rows ? rows * stride : bytes)); };
    const auto mine = sent(rt.rank());
    std::vector<std::byte> received(2 * (out_in_rows ? bytes : rows * stride));
    ASSERT_TRUE(ok(neighbour_alltoallw(*grid, mine.data(), out_in_rows ? field : packed, received.data(),
                                       out_in_rows ? packed : field, kPatience)));
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const auto theirs = sent(side == 0 ? before : behind);
      const StridedPart &from = (out_in_rows ? field : packed)[1 - side], &to = (out_in_rows ? packed : field)[side];
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t there = from.offset + (out_in_rows ? i * stride : i * row);
        const std::size_t here = to.offset + (out_in_rows ? i * row : i * stride);
        ASSERT_TRUE(std::equal(theirs.begin() + std::ptrdiff_t(there), theirs.begin() + std::ptrdiff_t(there + row),
                               received.begin() + std::ptrdiff_t(here)));
      }
    }
  }
}

// Rows of a field, at either end; the other end's memory is in one piece. Short ones go by the cells, and of long ones each goes on its own.
// Of 130 kB one end may have a window and the other one none.
TEST_P(PastCellsTest, RowsMeetMemoryInOnePiece) {
  run([](Runtime& rt) {
    for (const std::size_t rows : {std::size_t{900}, std::size_t{7}}) expect_rows(rt, 900'900 / rows, rows);
    for (const std::size_t rows : {std::size_t{5}, std::size_t{1}}) expect_rows(rt, 130'000 / rows, rows);
  });
}

// A call is resumed until it has ended, and whoever is late finds a window or a letter.
TEST_P(PastCellsTest, CallsGoOnWhereTheyTimedOut) {
  run([](Runtime& rt) {
    for (const Rank late : {Rank{0}, Rank{1}, rt.size()})
      for (int round = 0; round < 3; ++round) {
        const auto expected = noise(10 * late + std::uint64_t(round), kLong);
        std::vector<std::byte> data(kLong);
        if (rt.rank() == 0) data = expected;
        if (rt.rank() == late) rest(3ms);
        auto call = Collective::broadcast(rt.world(), 0, data.data(), data.size());
        ASSERT_TRUE(ok(call) && ok(call->start()));
        Status status;
        do status = call->wait(Timeout(20us));
        while (status.timed_out());
        ASSERT_TRUE(ok(status));
        ASSERT_EQ(data, expected);
      }
  });
}

// Short and long ones in turn: marks of cells come round more than once, and letters are not taken for others.
TEST_P(PastCellsTest, LongAndShortLettersKeepTheirOrder) {
  run([](Runtime& rt) {
    if (GetParam().ranks != 2) return;
    std::vector<std::byte> data(4 * kFrame + 8);
    for (std::uint64_t number = 0; number < 4 * 80; ++number) {
      const std::size_t bytes = number % 3 == 0 ? 8 : number % 3 == 1 ? data.size() : core::LetterRoom::kCell + 100;
      const auto expected = noise(number + 1, 8);
      if (rt.rank() == 0) std::copy_n(expected.begin(), 8, data.begin() + std::ptrdiff_t(bytes - 8));
      auto call = Collective::broadcast(rt.world(), 0, data.data(), bytes);
      ASSERT_TRUE(ok(call) && ok(call->use("binomial")) && ok(call->run(kPatience))) << number;
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), data.begin() + std::ptrdiff_t(bytes - 8))) << number;
    }
  });
}

// Who is told another length than its writer is says so, and nothing is written beyond what it has given.
TEST_P(PastCellsTest, ALetterOfAnotherLengthIsRefused) {
  run([](Runtime& rt) {
    if (rt.size() != 2) return;
    for (const std::size_t expected : {kLong - 8, kLong + 8}) {
      auto group = rt.create_group(std::vector<Rank>{0, 1});
      ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
      std::vector<std::byte> data(kLong + 64, std::byte{0x5a});
      const std::size_t mine = rt.rank() == 0 ? kLong : 0, theirs = rt.rank() == 0 ? 0 : expected;
      const std::array<std::size_t, 2> parts{rt.rank() == 0 ? kLong : theirs, 8};
      std::vector<std::byte> sent(std::max<std::size_t>(mine, 8), std::byte{1});
      const Status status = allgather(**group, parts, sent.data(), data.data(), 10s);
      EXPECT_FALSE(status.ok());
      EXPECT_TRUE(
          std::all_of(data.begin() + kLong + 16, data.end(), [](std::byte byte) { return byte == std::byte{0x5a}; }));
      EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
}

// Its writer comes later, and finds what it was offered.
TEST(PastCells, WhoGivesUpHasItsMemoryForItself) {
  std::atomic<bool> has_given_up{false}, is_through{false};
  run_ranks(3, World{SimulatedDevice::network, 3}.options(), [&](Runtime& rt) {
    if (rt.rank() == 2) return;
    auto group = rt.create_group(std::vector<Rank>{0, 1});
    ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
    std::vector<std::byte> data(kLong);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(ok(broadcast(**group, 0, data.data(), kLong, kPatience)));
    if (rt.rank() == 1) {
      EXPECT_TRUE(fails(Collective::broadcast(**group, 0, data.data(), kLong)->run(20ms), Code::timeout));
      std::fill(data.begin(), data.end(), std::byte{0x77});
      has_given_up = true;
      while (!is_through) let_others_run();
      EXPECT_EQ(data, std::vector<std::byte>(kLong, std::byte{0x77}));
    } else {
      while (!has_given_up) let_others_run();
      static_cast<void>(broadcast(**group, 0, data.data(), kLong, 200ms));
      is_through = true;
    }
  });
}

TEST(PastCells, NothingIsWrittenOnceACallHasEnded) {
  expect_own_memory_once_a_call_has_ended(3, kLong / 8, [](Runtime& rt, const Words& mine, Words& all) {
    return [&rt, &mine, &all] {
      const Status status = reduce(rt.world(), 0, sum(all.size()), mine.data(), all.data(), kPatience);
      return status.ok() ? broadcast(rt.world(), 1, all.data(), 8 * all.size(), kPatience) : status;
    };
  });
}

}  // namespace
}  // namespace polder::test
