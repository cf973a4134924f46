// Letters over the wire of a runtime, short ones in envelopes and long ones in cells: contents of every short length, what
// combines them, failures, and slots that change hands.
#include "coll/letters/letter_cell.hpp"
#include "core/group/letter_room.hpp"
#include "core/ranks.hpp"
#include "words.hpp"

#include <polder/neighbours.hpp>
#include <polder/simulate.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace polder::test {
namespace {

class LettersTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, LettersTest, testing::ValuesIn(worlds({2, 5})), name_of_param);

// Begins where no word does, so that neither side is aligned.
TEST_P(LettersTest, EveryShortLengthArrives) {
  run([](Runtime& rt) {
    const GridDimension ring{rt.size(), true};
    auto grid = Neighbours::grid(rt.world(), {&ring, 1});
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    const Rank before = (rt.rank() + rt.size() - 1) % rt.size(), behind = (rt.rank() + 1) % rt.size();
    for (std::size_t bytes = 0; bytes <= 2 * coll::Envelope::kContent; ++bytes) {
      const auto sent = [&](Rank rank) { return noise(1000 * rank + bytes, 2 * bytes + 1); };
      const auto mine = sent(rt.rank()), first = sent(before), second = sent(behind);
      std::vector<std::byte> received(2 * bytes + 2, std::byte{0x5a}), expected = received;
      ASSERT_TRUE(ok(neighbour_alltoall(*grid, bytes, mine.data() + 1, received.data() + 1, kPatience)));
      std::copy_n(first.begin() + 1 + std::ptrdiff_t(bytes), bytes, expected.begin() + 1);
      std::copy_n(second.begin() + 1, bytes, expected.begin() + 1 + std::ptrdiff_t(bytes));
      ASSERT_EQ(received, expected) << bytes;
    }
  });
}

// The largest alignment of a type that anybody is to combine.
constexpr std::size_t kAligned = 16;

struct alignas(kAligned) Pair {
  std::uint64_t sum = 0, rank = 0;
};

// Of the first rank of a row; sums modulo 2^64.
Status add(const void* one, const void* two, void* result, std::size_t count) {
  for (const void* place : {one, two, static_cast<const void*>(result)})
    if (reinterpret_cast<std::uintptr_t>(place) % kAligned != 0) return {Code::invalid_argument, "not aligned"};
  for (std::size_t i = 0; i < count; ++i) {
    const Pair left = static_cast<const Pair*>(one)[i], right = static_cast<const Pair*>(two)[i];
    static_cast<Pair*>(result)[i] = {left.sum + right.sum, left.rank};
  }
  return {};
}

TEST_P(LettersTest, WhatIsCombinedIsAligned) {
  run([](Runtime& rt) {
    for (const char* algorithm : {"whole", "doubling", "reduce_broadcast"})
      for (const std::size_t count : {1, 4, 5, 4000}) {
        std::vector<Pair> mine(count), all(count);
        for (std::size_t i = 0; i < count; ++i) mine[i] = {word(rt.rank(), i), rt.rank()};
        auto call = Collective::allreduce(rt.world(), {count, sizeof(Pair), add, false}, mine.data(), all.data());
        ASSERT_TRUE(ok(call) && ok(call->use(algorithm)));
        ASSERT_TRUE(ok(call->run(kPatience))) << algorithm << " of " << count;
        const Words expected = sum_of(rt.size(), count);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(all[i].sum, expected[i]) << algorithm << " of " << count;
          ASSERT_EQ(all[i].rank, 0u) << algorithm << " of " << count;
        }
      }
  });
}

// A reason is longer than what an envelope holds, and goes with a letter that has less; the next letters have contents again.
TEST_P(LettersTest, AFailureIsToldInsteadOfWhatIsShort) {
  run([](Runtime& rt) {
    const Combine fails_at_first = [](const void*, const void*, void*, std::size_t) -> Status {
      return {Code::invalid_argument, "the first function has had enough, says a sentence of some length"};
    };
    const std::uint64_t mine = rt.rank() + 1;
    for (int round = 0; round < 3; ++round) {
      std::uint64_t all = 0;
      auto failing = Collective::allreduce(rt.world(), {1, 8, fails_at_first}, &mine, &all);
      ASSERT_TRUE(ok(failing) && ok(failing->use("doubling")));
      const Status status = failing->run(kPatience);
      EXPECT_TRUE(fails(status, Code::invalid_argument));
      EXPECT_NE(status.to_string().find("a sentence of some length"), std::string::npos) << status.to_string();
      auto adding = Collective::allreduce(rt.world(), sum(1), &mine, &all);
      ASSERT_TRUE(ok(adding) && ok(adding->use("doubling")));
      ASSERT_TRUE(ok(adding->run(kPatience)));
      EXPECT_EQ(all, std::uint64_t(rt.size()) * (rt.size() + 1) / 2);
    }
  });
}

class ManyLettersTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, ManyLettersTest, testing::ValuesIn(worlds({2})), name_of_param);

// Rounds of cells are told apart by 255 marks. Long letters leave out the flags of cells that the one of the same number is read from
// when the marks have come round.
TEST_P(ManyLettersTest, WhatAFlagSaidLongAgoIsNotBelieved) {
  run([](Runtime& rt) {
    constexpr unsigned kLanes = core::LetterRoom::kLanes, kCells = core::LetterRoom::kCells, kMarks = 255;
    constexpr std::size_t kLong = core::LetterRoom::kCell + 100;  // two cells, which count as a place
    constexpr unsigned kPlaces = kCells / core::LetterRoom::kMappedSpan;
    std::vector<std::byte> data(kLong);
    std::uint64_t number = 0;
    // As many letters in each lane.
    const auto send = [&](std::size_t bytes, unsigned letters) {
      auto call = Collective::broadcast(rt.world(), 0, data.data(), bytes);
      ASSERT_TRUE(ok(call) && ok(call->use("binomial")));
      for (unsigned i = 0; i < letters * kLanes; ++i) {
        const auto expected = noise(++number, 8);
        if (rt.rank() == 0) std::copy_n(expected.begin(), 8, data.begin());
        ASSERT_TRUE(ok(call->run(kPatience))) << "letter " << number;
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), data.begin())) << "letter " << number;
      }
    };
    send(8, 2);
    send(kLong, kMarks * kPlaces);
    send(8, 2);
  });
}

// Whoever needs nothing of its readers goes on without them, by as many short letters as there are cells in all lanes, and no further.
TEST_P(ManyLettersTest, AWriterGoesOnByAsManyLettersAsThereAreCells) {
  run([](Runtime& rt) {
    constexpr std::uint64_t kRoom = core::LetterRoom::kLanes * core::LetterRoom::kCells;
    std::uint64_t number = 0;
    auto call = Collective::broadcast(rt.world(), 0, &number, sizeof number);
    ASSERT_TRUE(ok(call) && ok(call->use("binomial")));
    const bool is_writer = rt.rank() == 0;
    for (number = 0; is_writer && number < kRoom; ++number)
      ASSERT_TRUE(ok(call->run(kPatience))) << "letter " << number;
    if (is_writer) {
      EXPECT_TRUE(call->run(1ms).timed_out());
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (std::uint64_t expected = 0; !is_writer && expected < kRoom; ++expected) {
      ASSERT_TRUE(ok(call->run(kPatience)));
      ASSERT_EQ(number, expected);
    }
    ASSERT_TRUE(ok(call->run(kPatience)));
    EXPECT_EQ(number, kRoom);
  });
}

// Some letters to and fro, which bring each other's credits, and some one way, whose credits go alone; behind each number of either a long
// letter, which finds no more room than they have left.
TEST_P(ManyLettersTest, CreditsThatWaitForALetterAreNotWaitedFor) {
  run([](Runtime& rt) {
    constexpr std::size_t kNumbers[] = {0,  1,  2,  7,  8,  9,  15,
                                        16, 17, 24, 25, 31, 32, 33};  // around halves, and halves of these
    constexpr std::size_t kMany = core::LetterRoom::kCells + 2;
    std::vector<std::byte> data(5 * core::LetterRoom::kSpan * core::LetterRoom::kCell);
    for (const std::size_t turns : kNumbers)
      for (const std::size_t one_way : kNumbers) {
        std::uint64_t mine = rt.rank() + turns, sum = 0;
        for (std::size_t i = 0; i < turns; ++i)
          ASSERT_TRUE(ok(allreduce(rt.world(), Reduction::sum, DataType::uint64, &mine, &sum, 1, kPatience)));
        ASSERT_TRUE(turns == 0 || sum == 2 * turns + 1);
        const Rank root = Rank((turns + one_way) % 2);
        for (std::size_t i = 0; i < one_way; ++i) {
          std::uint64_t word = rt.rank() == root ? 7 * i + 1 : 0;
          ASSERT_TRUE(ok(broadcast(rt.world(), root, &word, sizeof word, kPatience)));
          ASSERT_EQ(word, 7 * i + 1);
        }
        const auto value = std::byte(turns * kMany + one_way);
        if (rt.rank() != root) std::fill(data.begin(), data.end(), value);
        ASSERT_TRUE(ok(broadcast(rt.world(), 1 - root, data.data(), data.size(), kPatience)));
        ASSERT_TRUE(data.front() == value && data.back() == value);
        // As the letters that went one way do, to be combined: in chunks, of which each takes cells.
        if ((turns + one_way) % 3 != 0) continue;
        const Words ones(data.size() / 8, one_way + 1);
        Words all(ones.size());
        ASSERT_TRUE(ok(reduce(rt.world(), 1 - root, test::sum(ones.size()), ones.data(), all.data(), kPatience)));
        ASSERT_TRUE(rt.rank() == root || (all.front() == 2 * (one_way + 1) && all.back() == all.front()));
      }
  });
}

// Edges of neighbours that are gone leave their slots to the next ones: what lies there in envelopes is not theirs.
TEST(Letters, OfEarlierNeighboursAreNotReadAgain) {
  constexpr Rank kRanks = 40;  // some distances have no slot of their own
  run_ranks(kRanks, World{SimulatedDevice::direct, kRanks}.options(), [](Runtime& rt) {
    for (const Rank distance : {Rank{33}, Rank{35}, Rank{33}, Rank{37}}) {
      const std::vector<Rank> source{(rt.rank() + kRanks - distance) % kRanks};
      const std::vector<Rank> destination{(rt.rank() + distance) % kRanks};
      auto neighbours = Neighbours::graph(rt.world(), source, destination);
      ASSERT_TRUE(ok(neighbours) && ok(neighbours->commit(kPatience)));
      for (std::uint64_t round = 0; round < 40; ++round) {
        const std::uint64_t mine = 100 * rt.rank() + round + 10'000 * distance;
        std::uint64_t theirs = 0;
        ASSERT_TRUE(ok(neighbour_allgather(*neighbours, 8, &mine, &theirs, kPatience)));
        ASSERT_EQ(theirs, 100 * source[0] + round + 10'000 * distance);
      }
    }
  });
}

// The root has the letter of a member that has sent all that it had to send, and has deleted the group: the cells need not be given back.
// It looks for that member again and again meanwhile, since another one is late.
TEST(Letters, AreReadOfAWriterThatHasDeletedTheGroup) {
  constexpr Rank kRanks = 8, kGone = 5, kLate = 2;  // the root and the one that is gone were no partners when they met
  constexpr std::size_t kBytes = 200'000;           // of cells enough that some are given back
  run_ranks(kRanks, World{SimulatedDevice::network, kRanks, 100'000, 1, true}.options(), [&](Runtime& rt) {
    std::vector<Rank> all(kRanks);
    std::iota(all.begin(), all.end(), Rank{0});
    auto group = rt.create_group(all);
    ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
    if (rt.rank() == 0) rest(200ms);
    if (rt.rank() == kLate) rest(1500ms);
    const auto mine = noise(rt.rank(), kBytes);
    std::vector<std::byte> gathered(rt.rank() == 0 ? kRanks * kBytes : 0);
    {
      auto call = Collective::gather(**group, 0, std::vector(kRanks, kBytes), mine.data(), gathered.data());
      ASSERT_TRUE(ok(call) && ok(call->use("spread")));
      EXPECT_TRUE(ok(call->run(kPatience))) << "rank " << rt.rank();
    }
    if (rt.rank() == kGone) group->reset();
    for (Rank from = 0; rt.rank() == 0 && from < kRanks; ++from)
      EXPECT_TRUE(copy_of(gathered.data() + from * kBytes, kBytes) == noise(from, kBytes)) << "from rank " << from;
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
