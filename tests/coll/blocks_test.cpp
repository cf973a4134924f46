// Collectives of vectors that do not lie in one piece, and of those that become ready in parts.
#include "core/ranks.hpp"
#include "words.hpp"

#include <polder/collective.hpp>
#include <polder/partitioned.hpp>

namespace polder::test {
namespace {

class BlocksTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, BlocksTest, testing::ValuesIn(worlds({1, 2, 3, 8})), name_of_param);

// A column of a matrix of `width` words.
StridedPart column(std::size_t at, std::size_t height, std::size_t width) {
  return {8 * at, height, 8, 8 * width};
}

Words column_of(const Words& matrix, std::size_t at, std::size_t width) {
  Words all;
  for (std::size_t i = at; i < matrix.size(); i += width) all.push_back(matrix[i]);
  return all;
}

TEST_P(BlocksTest, VectorsInBlocks) {
  run([](Runtime& rt) {
    constexpr std::size_t kHeight = 900, kWidth = 3;
    const Rank root = rt.size() - 1;
    const Words mine = words(rt.rank(), kHeight * kWidth), theirs = words(root, kHeight * kWidth);
    const StridedPart first = column(0, kHeight, kWidth), last = column(kWidth - 1, kHeight, kWidth);
    // The first column of the root's matrix into the last one of everybody's, the root's too.
    Words matrix = mine;
    auto copy = Collective::broadcast(rt.world(), root, matrix.data(), 8 * kHeight);
    ASSERT_TRUE(ok(copy) && ok(copy->lay_out(nullptr, rt.rank() == root ? &first : &last)));
    for (int round = 0; round < 2; ++round) ASSERT_TRUE(ok(copy->run(kPatience)));
    ASSERT_EQ(column_of(matrix, rt.rank() == root ? 0 : kWidth - 1, kWidth), column_of(theirs, 0, kWidth));
    ASSERT_EQ(column_of(matrix, 1, kWidth), column_of(mine, 1, kWidth));  // nobody's
    // A column in its place; and one into a vector in one piece.
    Words in_place = mine, whole(kHeight);
    auto sums = Collective::allreduce(rt.world(), sum(kHeight), in_place.data(), in_place.data());
    ASSERT_TRUE(ok(sums) && ok(sums->lay_out(&first, &first)) && ok(sums->run(kPatience)));
    const Words total = column_of(sum_of(rt.size(), kHeight * kWidth), 0, kWidth);
    ASSERT_EQ(column_of(in_place, 0, kWidth), total);
    ASSERT_EQ(column_of(in_place, 1, kWidth), column_of(mine, 1, kWidth));
    auto reduced = Collective::reduce(rt.world(), root, sum(kHeight), mine.data(), whole.data());
    ASSERT_TRUE(ok(reduced) && ok(reduced->lay_out(&first, nullptr)) && ok(reduced->run(kPatience)));
    ASSERT_EQ(whole, rt.rank() == root ? total : Words(kHeight));
    // Member 0 has no result of an exscan: nothing of its blocks is touched.
    Words before = mine;
    auto scans = Collective::exscan(rt.world(), sum(kHeight), theirs.data(), before.data());
    ASSERT_TRUE(ok(scans) && ok(scans->lay_out(nullptr, &last)) && ok(scans->run(kPatience)));
    if (rt.rank() == 0) {
      ASSERT_EQ(before, mine);
    }
    // Turned back into one piece.
    ASSERT_TRUE(ok(reduced->lay_out(nullptr, nullptr)) && ok(reduced->run(kPatience)));
    const Words head = sum_of(rt.size(), kHeight);
    ASSERT_EQ(whole, rt.rank() == root ? head : Words(kHeight));
  });
}

// The transposition of a matrix whose rows are dealt to members: blocks are columns on one side and rows on the other.
TEST_P(BlocksTest, AlltoallOfBlocksOfAnyShape) {
  run([](Runtime& rt) {
    const std::size_t height = 40, width = rt.size();
    const Words mine = words(rt.rank(), height * width);
    std::vector<StridedPart> columns, rows;
    for (Rank other = 0; other < rt.size(); ++other) {
      columns.push_back(column(other, height, width));
      rows.push_back({8 * height * (rt.size() - 1 - other), 1, 8 * height, 0});
    }
    Words turned(mine.size());
    for (int round = 0; round < 3; ++round) {
      turned.assign(mine.size(), 0);
      ASSERT_TRUE(ok(alltoallw(rt.world(), mine.data(), columns, turned.data(), rows, kPatience)));
      for (Rank other = 0; other < rt.size(); ++other) {
        const auto begin = turned.begin() + std::ptrdiff_t(height * (rt.size() - 1 - other));
        ASSERT_EQ(Words(begin, begin + std::ptrdiff_t(height)),
                  column_of(words(other, height * width), rt.rank(), width));
      }
    }
    ASSERT_EQ(mine, words(rt.rank(), height * width));
  });
}

TEST_P(BlocksTest, PartsThatBecomeReadyInAnyOrder) {
  run([](Runtime& rt) {
    constexpr std::size_t kCount = 5000, kParts = 7;
    Words mine(kCount), all(kCount), copies(kCount);
    auto sums = Partitioned::allreduce(rt.world(), sum(kCount), mine.data(), all.data(), kParts);
    ASSERT_TRUE(ok(sums));
    ASSERT_EQ(sums->parts(), kParts);
    ASSERT_EQ(sums->begin_of(kParts), kCount);
    for (std::uint64_t round = 0; round < 6; ++round) {
      EXPECT_TRUE(fails(sums->wait(Timeout::test()), Code::invalid_argument, "is not ready"));
      for (std::size_t i = 0; i < kParts; ++i) {
        // Each member in another order, in each round.
        const std::size_t part = (i * (1 + (round + rt.rank()) % 6) + rt.rank()) % kParts;
        for (std::size_t at = sums->begin_of(part); at < sums->begin_of(part + 1); ++at)
          mine[at] = word(rt.rank(), at) + round;
        ASSERT_TRUE(ok(sums->ready(part)));
        EXPECT_TRUE(fails(sums->ready(part), Code::invalid_argument, "has been ready"));
      }
      EXPECT_TRUE(fails(sums->ready(kParts), Code::invalid_argument, "part 7 of 7"));
      while (!sums->test(kParts - 1)) let_others_run();
      Status status;
      do status = sums->wait(50us);
      while (status.timed_out());
      ASSERT_TRUE(ok(status));
      Words expected = sum_of(rt.size(), kCount);
      for (std::uint64_t& each : expected) each += round * rt.size();
      ASSERT_EQ(all, expected);
    }
    // Rooted ones; more parts than elements.
    const Rank root = rt.size() / 2;
    if (rt.rank() == root) copies = words(root, kCount);
    auto copy = Partitioned::broadcast(rt.world(), root, copies.data(), 8 * kCount, 3);
    ASSERT_TRUE(ok(copy) && ok(copy->ready_all()) && ok(copy->wait(kPatience)));
    ASSERT_EQ(copies, words(root, kCount));
    const Words few = words(rt.rank(), 3);
    Words result(3);
    auto reduced = Partitioned::reduce(rt.world(), root, sum(3), few.data(), result.data(), 5);
    ASSERT_TRUE(ok(reduced) && ok(reduced->ready_all()) && ok(reduced->wait(kPatience)));
    ASSERT_EQ(result, rt.rank() == root ? sum_of(rt.size(), 3) : Words(3));
  });
}

TEST(Blocks, RefusesWhatCannotBeRight) {
  run_ranks(2, World{SimulatedDevice::direct, 2}.options(), [](Runtime& rt) {
    Group& world = rt.world();
    Words data(16), other(16);
    // Blocks that overlap, are more or less than the buffer, or none that memory holds.
    auto sums = Collective::allreduce(world, sum(4), data.data(), other.data());
    ASSERT_TRUE(ok(sums));
    const StridedPart good{0, 4, 8, 16}, over{0, 4, 8, 4}, more{0, 5, 8, 16}, huge{8, 4, 8, ~std::size_t{0} / 3};
    EXPECT_TRUE(fails(sums->lay_out(&over, nullptr), Code::invalid_argument, "they overlap"));
    EXPECT_TRUE(
        fails(sums->lay_out(nullptr, &more), Code::invalid_size, "blocks of 40 bytes for a buffer to receive of 32"));
    EXPECT_TRUE(fails(sums->lay_out(&huge, nullptr), Code::invalid_size, "no memory holds"));
    auto near = Collective::allreduce(world, sum(2), data.data(), data.data() + 4);
    const StridedPart wide{0, 2, 8, 48};
    ASSERT_TRUE(ok(near));
    EXPECT_TRUE(fails(near->lay_out(&wide, nullptr), Code::invalid_argument, "overlap"));
    ASSERT_TRUE(ok(sums->lay_out(&good, nullptr)) && ok(sums->run(kPatience)));
    const std::vector<StridedPart> single{good}, pair{good, good}, odd{good, more}, laps{good, over};
    EXPECT_TRUE(fails(alltoallw(world, data.data(), single, other.data(), pair, kPatience), Code::invalid_argument,
                      "1 blocks to send and 2 to receive"));
    EXPECT_TRUE(fails(alltoallw(world, data.data(), laps, other.data(), pair, kPatience), Code::invalid_argument,
                      "they overlap"));
    const auto& mine_odd = rt.rank() == 1 ? odd : std::vector<StridedPart>{more, good};
    EXPECT_TRUE(fails(alltoallw(world, data.data(), mine_odd, other.data(), pair, kPatience), Code::invalid_argument,
                      "two sizes"));
    EXPECT_TRUE(fails(alltoallw(world, data.data(), pair, data.data(), pair, kPatience), Code::invalid_argument));
    EXPECT_TRUE(
        fails(Partitioned::allreduce(world, sum(4), data.data(), other.data(), 0), Code::invalid_size, "0 parts"));
    EXPECT_TRUE(fails(Partitioned::allreduce(world, sum(4), data.data(), other.data(), 2000), Code::invalid_size));
    EXPECT_TRUE(fails(Partitioned::broadcast(world, 7, data.data(), 8, 2), Code::invalid_rank));
  });
}

// A member that has said ready and died: the others hear of it in wait(), or where their parts begin.
TEST(Blocks, ADeathEndsThePartsOfAll) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages}) {
    Simulation simulation(3, World{device, 3}.options());
    static_cast<void>(simulation.run([&](Runtime& rt) {
      Words mine(300), all(300);
      auto sums = Partitioned::allreduce(rt.world(), sum(300), mine.data(), all.data(), 3);
      ASSERT_TRUE(ok(sums) && ok(sums->ready(0)));
      if (rt.rank() == 2) return simulation.kill(2);
      const Status begun = sums->ready_all();
      EXPECT_TRUE(begun.ok() || begun.code() == Code::peer_failed) << begun.to_string();
      EXPECT_TRUE(fails(sums->wait(kPatience), Code::peer_failed));
    }));
  }
}

}  // namespace
}  // namespace polder::test
