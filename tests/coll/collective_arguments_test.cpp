// Arguments of collectives at their edges: what is of no bytes may be null, what differs does not go on, what overlaps is refused.
#include "core/ranks.hpp"
#include "nodes.hpp"
#include "words.hpp"

#include <polder/collective.hpp>
#include <polder/partitioned.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace polder::test {
namespace {

const std::vector<World> kBoth{{SimulatedDevice::direct, 2}, {SimulatedDevice::network, 2}};

TEST(CollectiveArguments, TheFirstMemberOfAnExscanNeedsNoMemory) {
  for (const World& world : {World{SimulatedDevice::direct, 3}, World{SimulatedDevice::network, 3}})
    run_ranks(3, world.options(), [](Runtime& rt) {
      for (const std::size_t count : {1, 500, 20'000, 100'000}) {
        const Words mine = words(rt.rank(), count);
        Words before(rt.rank() == 0 ? 0 : count);
        ASSERT_TRUE(
            ok(exscan(rt.world(), sum(count), mine.data(), rt.rank() == 0 ? nullptr : before.data(), kPatience)));
        if (rt.rank() != 0) {
          ASSERT_EQ(before, sum_of(rt.rank(), count));
        }
      }
    });
}

TEST(CollectiveArguments, PartsOfNoBytesMayLieAnywhere) {
  for (const World& world : kBoth)
    run_ranks(2, world.options(), [](Runtime& rt) {
      const std::vector<Part> nothing{{1 << 20, 0}, {~std::size_t{0}, 0}};
      EXPECT_TRUE(ok(alltoallv(rt.world(), nullptr, nothing, nullptr, nothing, kPatience)));
      Words data(4, rt.rank());
      // The part of no bytes would reach into the other buffer.
      const Rank other = 1 - rt.rank();
      std::vector<Part> sent(2), received(2);
      sent[other] = received[other] = {0, 16};
      sent[rt.rank()] = received[rt.rank()] = {1000, 0};
      ASSERT_TRUE(ok(alltoallv(rt.world(), data.data(), sent, data.data() + 2, received, kPatience)));
      EXPECT_EQ(data, (Words{rt.rank(), rt.rank(), other, other}));
    });
}

TEST(CollectiveArguments, NoPartsAreAWrongNumberOfThem) {
  run_ranks(2, kBoth.front().options(), [](Runtime& rt) {
    EXPECT_TRUE(fails(alltoallv(rt.world(), nullptr, {}, nullptr, {}, kPatience), Code::invalid_argument, "no blocks"));
    EXPECT_TRUE(fails(alltoallw(rt.world(), nullptr, {}, nullptr, {}, kPatience), Code::invalid_argument, "no blocks"));
    EXPECT_TRUE(fails(Collective::alltoallv(rt.world(), nullptr, {}, nullptr, {}).status(), Code::invalid_argument,
                      "no blocks"));
  });
}

TEST(CollectiveArguments, APartitionedOneIsCheckedAsAWhole) {
  run_ranks(2, kBoth.front().options(), [](Runtime& rt) {
    Words data(16);
    // Each of the two parts would be right.
    EXPECT_TRUE(fails(Partitioned::allreduce(rt.world(), sum(8), data.data(), data.data() + 4, 2).status(),
                      Code::invalid_argument, "overlap"));
    EXPECT_TRUE(
        fails(Partitioned::allreduce(rt.world(), sum(std::size_t{1} << 62), data.data(), data.data(), 1024).status(),
              Code::invalid_size));
  });
}

// One that timed out goes on when it is called again; another one is not taken for it.
TEST(CollectiveArguments, AnotherReductionOrRootDoesNotGoOn) {
  for (const World& world : kBoth)
    run_ranks(2, world.options(), [](Runtime& rt) {
      const Words mine = words(rt.rank(), 8);
      Words all(8);
      const ReductionSpec sums = *reduction(Reduction::sum, DataType::uint64, 8);
      const auto reduced = [&](const ReductionSpec& spec, Rank root, Timeout timeout) {
        return reduce(rt.world(), root, spec, mine.data(), all.data(), timeout);
      };
      if (rt.rank() == 0) {
        ASSERT_TRUE(reduced(sums, 0, Timeout::test()).timed_out());
        EXPECT_TRUE(fails(reduced(*reduction(Reduction::max, DataType::uint64, 8), 0, kPatience), Code::busy));
        EXPECT_TRUE(fails(reduced(*reduction(Reduction::sum, DataType::int64, 8), 0, kPatience), Code::busy));
        EXPECT_TRUE(fails(reduced(sums, 1, kPatience), Code::busy));
      }
      // The other one waits until this one has tried.
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      ASSERT_TRUE(ok(reduced(sums, 0, kPatience)));
      if (rt.rank() == 0) {
        EXPECT_EQ(all, sum_of(2, 8));
      }
    });
}

TEST(CollectiveArguments, OtherPartsDoNotGoOn) {
  run_ranks(2, kBoth.front().options(), [](Runtime& rt) {
    const Words mine(4, rt.rank() + 1);
    Words all(8);
    const auto gathered = [&](const std::vector<std::size_t>& parts, Timeout timeout) {
      return allgather(rt.world(), parts, mine.data(), all.data(), timeout);
    };
    if (rt.rank() == 0) {
      ASSERT_TRUE(gathered({16, 16}, Timeout::test()).timed_out());
      EXPECT_TRUE(fails(gathered({16, 8}, kPatience), Code::busy));
      EXPECT_TRUE(fails(gathered({8, 24}, kPatience), Code::busy));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(gathered({16, 16}, kPatience)));
    EXPECT_EQ(all, (Words{1, 1, 2, 2, 0, 0, 0, 0}));
  });
}

// Where members are dealt to nodes in turn those of a node do not follow each other.
TEST(CollectiveArguments, AnAllreduceThatDoesNotCommuteKeepsTheOrderOfMembers) {
  const Nodes dealt{6, 3, true};
  run_ranks(dealt.ranks, dealt.options(), [](Runtime& rt) {
    for (const std::size_t count : {1, 700, 5000}) {
      std::vector<Matrix> values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = matrix_of(rt.rank(), i);
      ReductionSpec spec{count, sizeof(Matrix), multiply};
      spec.commutes = false;
      ASSERT_TRUE(ok(Allreduce(rt.world(), spec, values.data(), values.data()).run(kPatience)));
      for (std::size_t i = 0; i < count; ++i) {
        Matrix expected = matrix_of(0, i);
        for (Rank rank = 1; rank < rt.size(); ++rank) expected = times(expected, matrix_of(rank, i));
        ASSERT_EQ(values[i], expected) << "element " << i << " of " << count;
      }
    }
  });
}

TEST(CollectiveArguments, AnAllgatherOfAGroupMayBeInPlace) {
  for (const Nodes& nodes : {Nodes{4, 4}, Nodes{4, 2}, Nodes{4, 1}})
    run_ranks(nodes.ranks, nodes.options(), [](Runtime& rt) {
      Words all(rt.size());
      all[rt.rank()] = rt.rank() + 7;
      const auto mine = std::as_bytes(std::span(&all[rt.rank()], 1));
      ASSERT_TRUE(ok(rt.world().allgather(mine, std::as_writable_bytes(std::span(all)), kPatience)));
      for (Rank rank = 0; rank < rt.size(); ++rank) EXPECT_EQ(all[rank], rank + 7);
    });
}

}  // namespace
}  // namespace polder::test
