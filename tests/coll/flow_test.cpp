// Every algorithm in virtual time: right results for all sizes of groups, roots and vectors.
#include "algorithm_cases.hpp"

#include "coll/model/flow.hpp"

#include <deque>

namespace polder::coll::test {
namespace {

class FlowTest : public testing::TestWithParam<Case> {
 protected:
  static void run(FlowModel& flow, Rank members, Rank root, std::size_t count, std::uint64_t seed) {
    const Case& c = GetParam();
    std::deque<Member> all;
    for (Rank me = 0; me < members; ++me) all.emplace_back(c, me, members, root, count, seed);
    const auto outcome = flow.run([&](Wire& wire) {
      wire.elements = {sizeof(Affine), &combine_of(c)};
      return all[wire.me].run(wire);
    });
    ASSERT_TRUE(outcome.ok()) << c.name << " of " << members << ": " << outcome.status().to_string();
    for (Member& member : all) member.check();
  }
};
INSTANTIATE_TEST_SUITE_P(All, FlowTest, testing::ValuesIn(cases()), name_of_case);

TEST_P(FlowTest, IsRightForAnyGroupRootAndSize) {
  for (const Rank members : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17}) {
    FlowModel flow(members);
    for (const Rank root : {Rank{0}, members / 3, members - 1})
      for (const std::size_t count : {0, 1, 2, 7, 50}) run(flow, members, root, count, members + count);
  }
}

TEST_P(FlowTest, IsRightForManyMembers) {
  for (const Rank members : {31, 33, 70}) {
    if (members > GetParam().most) continue;
    FlowModel flow(members);
    run(flow, members, members / 2, 3, members);
  }
}

TEST_P(FlowTest, LongVectors) {
  for (const Rank members : {2, 5}) {
    FlowModel flow(members);
    run(flow, members, 1, 20'000, 5);
  }
}

// The members enter at any time, in virtual time: the same results.
TEST_P(FlowTest, DelaysChangeNothing) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Rank members = 2 + Rank(util::mix(seed) % 20);
    FlowOptions options;
    options.begins = [seed](Rank member) { return double(util::mix(seed * 100 + member) % 1000); };
    FlowModel flow(members, options);
    run(flow, members, Rank(seed) % members, 20, seed);
  }
}

TEST(FlowModel, SaysWhoWaitsInVain) {
  FlowModel flow(2);
  const auto outcome =
      flow.run([](Wire& wire) -> Task { return binomial_broadcast(wire, wire.me == 0 ? 1 : 0, nullptr, 0); });
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.status().to_string().find("waits for a letter"), std::string::npos);
}

TEST(FlowModel, SaysWhichLetterHasTheWrongLength) {
  FlowModel flow(2);
  char data[8] = {};
  const auto outcome =
      flow.run([&](Wire& wire) -> Task { return binomial_broadcast(wire, 0, data, wire.me == 0 ? 8 : 4); });
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.status().to_string().find("expected 4 bytes of member 0 and got 8"), std::string::npos)
      << outcome.status().to_string();
}

}  // namespace
}  // namespace polder::coll::test
