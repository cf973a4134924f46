// Groups by colour, of nodes, and who is where.
#include "core/ranks.hpp"

#include <numeric>

namespace polder::test {
namespace {

class Splits : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Splits, testing::ValuesIn(worlds({1, 4, 6})), name_of_param);

TEST_P(Splits, KeysOrderTheMembersOfAColour) {
  run([](Runtime& rt) {
    const std::int64_t colour = rt.rank() % 2;
    auto group = rt.split(rt.world(), colour, -std::int64_t(rt.rank()), kPatience);
    ASSERT_TRUE(ok(group));
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    std::vector<Rank> expected;
    for (Rank rank = rt.size(); rank-- > 0;)
      if (rank % 2 == colour) expected.push_back(rank);
    EXPECT_EQ(std::vector<Rank>((*group)->ranks().begin(), (*group)->ranks().end()), expected);
    EXPECT_EQ(expected[(*group)->index()], rt.rank());
    for (Rank place = 0; place < expected.size(); ++place) {
      EXPECT_EQ((*group)->absolute(place), expected[place]);
      EXPECT_EQ((*group)->relative(expected[place]), place);
    }
    if (rt.size() > 1) {
      EXPECT_EQ((*group)->relative(Rank(1 - colour)), std::nullopt);
    }
    std::vector<Rank> gathered(expected.size());
    const Rank mine = rt.rank();
    ASSERT_TRUE(ok((*group)->allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(gathered)),
                                       kPatience)));
    EXPECT_EQ(gathered, expected) << "an allgather follows the order of the group";
    EXPECT_TRUE(ok((*group)->barrier(kPatience)));
    // A group of a group, in the parent's order where keys are equal.
    auto inner = rt.split(**group, 7, 0, kPatience);
    ASSERT_TRUE(ok(inner));
    ASSERT_TRUE(ok((*inner)->commit(kPatience)));
    EXPECT_EQ(std::vector<Rank>((*inner)->ranks().begin(), (*inner)->ranks().end()), expected);
    EXPECT_EQ((*inner)->parent(), group->get());
  });
}

TEST_P(Splits, ARankMayJoinNone) {
  run([](Runtime& rt) {
    auto group = rt.split(rt.world(), rt.rank() == 0 ? kNoColour : 3, 0, kPatience);
    ASSERT_TRUE(ok(group));
    EXPECT_EQ(*group == nullptr, rt.rank() == 0);
    if (rt.rank() == 0) return;
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    EXPECT_EQ((*group)->size(), rt.size() - 1);
  });
}

TEST_P(Splits, TheRanksOfANode) {
  const Rank per_node = GetParam().ranks_per_node == 0 ? GetParam().ranks : GetParam().ranks_per_node;
  run([&](Runtime& rt) {
    const Rank first = rt.rank() / per_node * per_node;
    std::vector<Rank> expected(std::min(per_node, rt.size() - first));
    std::iota(expected.begin(), expected.end(), first);
    EXPECT_EQ(rt.node_ranks(), expected);
    for (Rank rank = 0; rank < rt.size(); ++rank) {
      EXPECT_EQ(rt.same_node(rank), rank / per_node == rt.rank() / per_node);
      auto node = rt.node(rank);
      if (node.ok()) {
        EXPECT_EQ(*node, rank / per_node * per_node);
      }
      const auto host = rt.host(rank, kPatience);
      ASSERT_TRUE(ok(host));
      EXPECT_EQ(*host == rt.host(), rt.same_node(rank));
    }
    EXPECT_TRUE(fails(rt.host(rt.size()), Code::invalid_rank));
    EXPECT_TRUE(fails(rt.node(rt.size()), Code::invalid_rank));
    EXPECT_FALSE(rt.same_node(rt.size()));
    auto group = rt.create_node_group();
    ASSERT_TRUE(ok(group));
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    EXPECT_EQ((*group)->size(), rt.local_size());
    EXPECT_EQ((*group)->index(), rt.local_rank());
    EXPECT_TRUE(ok((*group)->barrier(kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
