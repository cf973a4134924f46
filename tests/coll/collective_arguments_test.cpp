// Arguments of collectives at their edges: what is of no bytes may be null, what differs does not go on, what overlaps is refused.
#include "core/ranks.hpp"
#include "nodes.hpp"
#include "words.hpp"

#include <polder/collective.hpp>
#include <polder/partitioned.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
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

// The totals are the same, so only the parts tell. Who needs nothing of the other one may be through.
TEST(CollectiveArguments, OtherPartsOfOneTotalAreNamed) {
  using Counts = std::vector<std::size_t>;
  struct Case {
    Counts here, there;
  };
  for (const Nodes& nodes : {Nodes{2, 2}, Nodes{2, 1}})
    for (const Case& parts :
         {Case{{8, 16}, {16, 8}}, Case{{40, 40}, {20, 60}}, Case{{70'000, 10'000}, {40'000, 40'000}}})
      for (const int kind : {0, 1, 2}) {
        std::atomic<int> told{0};
        run_ranks(2, nodes.options(), [&](Runtime& rt) {
          auto group = rt.create_group(std::vector<Rank>{0, 1});
          ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
          const Counts& mine = rt.rank() == 0 ? parts.here : parts.there;
          std::vector<std::byte> from(80'000), to(80'000);
          const Status status = kind == 0   ? allgather(**group, mine, from.data(), to.data(), kPatience)
                                : kind == 1 ? gather(**group, 0, mine, from.data(), to.data(), kPatience)
                                            : scatter(**group, 0, mine, from.data(), to.data(), kPatience);
          const bool is_told = status.code() == Code::invalid_argument;
          told += is_told;
          const bool may_be_through = kind != 0 && status.ok();
          EXPECT_TRUE(may_be_through || fails(status, is_told ? Code::invalid_argument : Code::peer_failed,
                                              is_told ? "parts: " : "given up"))
              << "rank " << rt.rank() << ", kind " << kind << ": " << status.to_string();
          ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
        });
        EXPECT_GT(told, 0) << "kind " << kind << ", " << parts.here[0] << " bytes";
      }
}

TEST(CollectiveArguments, OtherBlocksDoNotGoOn) {
  run_ranks(2, kBoth.front().options(), [](Runtime& rt) {
    const std::vector<StridedPart> blocks{{0, 1, 8, 8}, {8, 1, 8, 8}}, turned{{8, 1, 8, 8}, {0, 1, 8, 8}};
    const Words mine{10 + rt.rank(), 20 + rt.rank()};
    Words all(2);
    const auto exchanged = [&](const std::vector<StridedPart>& to, Timeout timeout) {
      return alltoallw(rt.world(), mine.data(), blocks, all.data(), to, timeout);
    };
    if (rt.rank() == 0) {
      ASSERT_TRUE(exchanged(blocks, Timeout::test()).timed_out());
      EXPECT_TRUE(fails(exchanged(turned, kPatience), Code::busy));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(exchanged(blocks, kPatience)));
    EXPECT_EQ(all, rt.rank() == 0 ? (Words{10, 11}) : (Words{20, 21}));
  });
}

// Between nodes it is an allreduce of what the members have put in their places.
TEST(CollectiveArguments, AnAllgatherThatIsBusyChangesNothing) {
  const Nodes apart{2, 1};
  run_ranks(2, apart.options(), [](Runtime& rt) {
    std::uint64_t word = rt.rank();
    Words all{7 + rt.rank(), 9};
    const auto bytes = std::as_writable_bytes(std::span(all));
    const auto gathered = [&] { return rt.world().allgather(bytes.first(8), bytes, kPatience); };
    if (rt.rank() == 0) {
      ASSERT_TRUE(broadcast(rt.world(), 1, &word, sizeof word, Timeout::test()).timed_out());
      EXPECT_TRUE(fails(gathered(), Code::busy));
      EXPECT_EQ(all, (Words{7, 9}));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(broadcast(rt.world(), 1, &word, sizeof word, kPatience)));
    EXPECT_EQ(word, 1u);
    ASSERT_TRUE(ok(gathered()));
    EXPECT_EQ(all, (Words{7, 8}));
  });
}

// What no part covers stays, where the algorithm needs all that comes one behind the other and where it does not.
TEST(CollectiveArguments, BlocksThatNobodySendsStay) {
  for (const World& world : kBoth)
    run_ranks(2, world.options(), [](Runtime& rt) {
      const Words mine{10 + rt.rank(), 20 + rt.rank()};
      Words all(5, 5);
      const std::vector<Part> sent{{0, 8}, {8, 8}}, received{{0, 8}, {16, 8}};
      auto exchange = Collective::alltoallv(rt.world(), mine.data(), sent, all.data(), received);
      ASSERT_TRUE(ok(exchange));
      const StridedPart apart{0, 3, 8, 16};
      ASSERT_TRUE(ok(exchange->lay_out(nullptr, &apart)));
      ASSERT_TRUE(ok(exchange->run(kPatience)));
      EXPECT_EQ(all, rt.rank() == 0 ? (Words{10, 5, 5, 5, 11}) : (Words{20, 5, 5, 5, 21}));
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
