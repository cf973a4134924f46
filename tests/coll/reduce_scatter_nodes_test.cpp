// Reduce-scatter of members on several nodes: parts of all sizes, orders, failures; and who gets nothing waits for nobody, on several
// nodes and over the network alone.
#include "coll/nodes.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace polder::test {
namespace {

class ReduceScatterOverNodes : public testing::TestWithParam<Nodes> {
 protected:
  void run(const std::function<void(Runtime&)>& body) const { run_ranks(GetParam().ranks, GetParam().options(), body); }
};

INSTANTIATE_TEST_SUITE_P(Nodes, ReduceScatterOverNodes,
                         testing::Values(Nodes{4, 2}, Nodes{4, 2, true}, Nodes{6, 4},
                                         Nodes{5, 3, false, SimulatedDevice::network, 100'000}, Nodes{7, 3, true},
                                         Nodes{6, 3, true, SimulatedDevice::messages},
                                         Nodes{13, 2, false, SimulatedDevice::messages}),
                         name_of_nodes);

using Counts = std::vector<std::size_t>;

// Elements of each member: about `most`, some fewer, some none.
Counts uneven(Rank ranks, std::size_t most) {
  Counts counts;
  for (Rank rank = 0; rank < ranks; ++rank) counts.push_back(rank % 4 == 2 ? 0 : most - most / 5 * (rank % 3));
  return counts;
}
// All of it goes to one.
Counts to_one(Rank ranks, Rank owner, std::size_t count) {
  Counts counts(ranks);
  counts[owner] = count;
  return counts;
}

ReductionSpec sum_of_words(const Counts& counts) {
  return *reduction(Reduction::sum, DataType::uint64, std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
}

void expect_sums(Runtime& rt, const Counts& counts, const std::vector<std::uint64_t>& part) {
  const std::size_t first = std::accumulate(counts.begin(), counts.begin() + rt.rank(), std::size_t{0});
  for (std::size_t i = 0; i < counts[rt.rank()]; ++i) {
    std::uint64_t expected = 0;
    for (Rank rank = 0; rank < rt.size(); ++rank) expected += sent_by(rank, first + i);
    ASSERT_EQ(part[i], expected) << "element " << i << " of rank " << rt.rank();
  }
}

// Three times, and then in the place of the vector.
void check(Runtime& rt, const Counts& counts) {
  const ReductionSpec spec = sum_of_words(counts);
  std::vector<std::uint64_t> mine(spec.count), part(counts[rt.rank()]);
  for (std::size_t i = 0; i < spec.count; ++i) mine[i] = sent_by(rt.rank(), i);
  auto made = Collective::reduce_scatter(rt.world(), spec, counts, mine.data(), part.data());
  ASSERT_TRUE(ok(made));
  EXPECT_EQ(made->algorithm(), "two_level");
  for (int time = 0; time < 3; ++time) {
    std::fill(part.begin(), part.end(), 0);
    ASSERT_TRUE(ok(made->run(kPatience)));
    expect_sums(rt, counts, part);
    for (std::size_t i = 0; i < spec.count; ++i) ASSERT_EQ(mine[i], sent_by(rt.rank(), i));
  }
  ASSERT_TRUE(ok(reduce_scatter(rt.world(), spec, counts, mine.data(), mine.data(), kPatience)));
  expect_sums(rt, counts, mine);
}

TEST_P(ReduceScatterOverNodes, GivesEachItsPart) {
  run([](Runtime& rt) {
    for (const std::size_t most : {0, 1, 9, 700, 9'000, 40'000}) check(rt, uneven(rt.size(), most));
  });
}

TEST_P(ReduceScatterOverNodes, GivesAllToOne) {
  run([](Runtime& rt) {
    for (Rank owner = 0; owner < rt.size(); ++owner)
      for (const std::size_t count : {1, 5'000}) check(rt, to_one(rt.size(), owner, count));
  });
}

// Nodes whose members do not follow each other are left out then.
TEST_P(ReduceScatterOverNodes, KeepsTheOrderOfFunctionsThatDoNotCommute) {
  run([](Runtime& rt) {
    for (const std::size_t most : {1, 10, 3'000}) {
      const Counts counts = uneven(rt.size(), most);
      const std::size_t count = std::accumulate(counts.begin(), counts.end(), std::size_t{0}),
                        first = std::accumulate(counts.begin(), counts.begin() + rt.rank(), std::size_t{0});
      std::vector<Matrix> values(count), part(counts[rt.rank()]);
      for (std::size_t i = 0; i < count; ++i) values[i] = matrix_of(rt.rank(), i);
      const ReductionSpec spec{.count = count, .element_size = sizeof(Matrix), .combine = multiply, .commutes = false};
      ASSERT_TRUE(ok(reduce_scatter(rt.world(), spec, counts, values.data(), part.data(), kPatience)));
      for (std::size_t i = 0; i < part.size(); ++i) {
        Matrix expected = matrix_of(0, first + i);
        for (Rank rank = 1; rank < rt.size(); ++rank) expected = times(expected, matrix_of(rank, first + i));
        ASSERT_EQ(part[i], expected) << "element " << i << " of " << part.size();
      }
    }
  });
}

// All who get something hear of it, nobody hangs, and the group lives on.
TEST_P(ReduceScatterOverNodes, TellsOfAFunctionThatFails) {
  run([](Runtime& rt) {
    for (const std::size_t most : {3, 8'000}) {
      const Counts counts = uneven(rt.size(), most);
      ReductionSpec spec = sum_of_words(counts);
      const std::vector<std::uint64_t> mine(spec.count, rt.rank());
      std::vector<std::uint64_t> part(counts[rt.rank()]);
      spec = {.count = spec.count, .element_size = sizeof mine[0], .combine = [](auto...) -> Status {
                return {Code::limit, "this one does not want to", Died::operation};
              }};
      const Status status = reduce_scatter(rt.world(), spec, counts, mine.data(), part.data(), kPatience);
      if (!part.empty()) {
        EXPECT_TRUE(fails(status, Code::limit, "does not want"));
      }
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
}

// The owner comes when all others have gone, and finds what they brought; by whatever algorithm, on nodes and on none.
void check_nobody_waits(const Nodes& nodes, const char* algorithm, Rank owner) {
  std::atomic<Rank> through{0};
  run_ranks(nodes.ranks, nodes.options(), [&](Runtime& rt) {
    const Counts counts = to_one(rt.size(), owner, 3);
    std::vector<std::uint64_t> mine(3), part(counts[rt.rank()]);
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = sent_by(rt.rank(), i);
    auto made = Collective::reduce_scatter(rt.world(), sum_of_words(counts), counts, mine.data(), part.data());
    ASSERT_TRUE(ok(made) && ok(made->use(algorithm)));
    while (rt.rank() == owner && through < rt.size() - 1 && !testing::Test::HasFailure()) rest(100us);
    ASSERT_TRUE(ok(made->run(kPatience))) << "rank " << rt.rank();
    expect_sums(rt, counts, part);
    ++through;
  });
}

TEST(WhoGetsNothingOfAReduceScatter, WaitsForNobody) {
  for (const char* algorithm : {"slices", "circulant", "two_level"})
    for (const Rank owner : {Rank{0}, Rank{3}, Rank{4}}) {
      SCOPED_TRACE(std::string(algorithm) + ", all to " + std::to_string(owner));
      check_nobody_waits({6, 2}, algorithm, owner);
      if (algorithm != std::string("two_level")) check_nobody_waits({5, 1}, algorithm, owner);
    }
}

// One member thinks that all goes to it, the others that each gets its part; on a node, on several nodes and on none. Those who meet it
// are told what differs, and the others that these have given up.
TEST(WhoTakesPartsOfAReduceScatterDifferently, IsTold) {
  for (const Nodes& nodes : {Nodes{4, 4}, Nodes{4, 2}, Nodes{4, 1}}) {
    std::atomic<int> told{0};
    run_ranks(nodes.ranks, nodes.options(), [&](Runtime& rt) {
      auto group = rt.create_group(std::vector<Rank>{0, 1, 2, 3});
      ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
      const Counts counts = rt.rank() == 1 ? to_one(rt.size(), 1, 8) : Counts{2, 2, 2, 2};
      const std::vector<std::uint64_t> mine(8, 1);
      std::vector<std::uint64_t> part(8);
      const Status status = reduce_scatter(**group, sum_of_words(counts), counts, mine.data(), part.data(), kPatience);
      const bool is_told = status.code() == Code::invalid_argument;
      told += is_told;
      EXPECT_TRUE(fails(status, is_told ? Code::invalid_argument : Code::peer_failed, is_told ? "parts: " : "given up"))
          << "rank " << rt.rank() << ": " << status.to_string();
      ASSERT_TRUE(
          ok(rt.world().barrier(kPatience)));  // those that are told later need the group of those that were told
    });
    EXPECT_GT(told, 0);
  }
}

}  // namespace
}  // namespace polder::test
