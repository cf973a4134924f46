#include "trace/analyse/flows.hpp"

#include "trace_fixture.hpp"

namespace polder::trace {
namespace {

Event post(std::int64_t at, Rank target, NotificationId id, NotificationValue value = 1) {
  return event_at(Kind::put_notify, at, at + 1, {.peer = target, .segment = 7, .notification = id, .value = value});
}
Event wait(std::int64_t begin, std::int64_t end, NotificationId id) {
  return event_at(Kind::wait_some, begin, end, {.segment = 7, .notification = id});
}
Event reset(std::int64_t at, NotificationId id, NotificationValue value = 1) {
  return event_at(Kind::reset, at, at + 1, {.segment = 7, .notification = id, .value = value});
}

TEST(FlowMatcher, LeadsFromThePostToTheWaitThatItEnded) {
  FlowMatcher matcher;
  matcher.add(0, post(10, 1, 3));
  matcher.add(1, wait(5, 15, 3));
  matcher.add(1, reset(20, 3));
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].from, 0u);
  EXPECT_EQ(flows[0].from_ns, 10'000);
  EXPECT_EQ(flows[0].to, 1u);
  EXPECT_EQ(flows[0].to_ns, 15'000);
}

TEST(FlowMatcher, LeadsToTheResetIfNobodyWaited) {
  FlowMatcher matcher;
  matcher.add(0, post(10, 1, 3));
  matcher.add(1, reset(20, 3));
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].to_ns, 21'000);
}

TEST(FlowMatcher, TakesPostsOfOneFlagInTheirOrder) {
  FlowMatcher matcher;
  for (int i = 9; i >= 0; --i) matcher.add(0, post(100 * i, 1, 3));  // files need not be sorted
  for (int i = 0; i < 10; ++i) {
    matcher.add(1, wait(100 * i - 50, 100 * i + 20, 3));
    matcher.add(1, reset(100 * i + 30, 3));
  }
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 10u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(flows[std::size_t(i)].from_ns, 100'000 * i);
    EXPECT_EQ(flows[std::size_t(i)].to_ns, 100'000 * i + 20'000);
  }
}

TEST(FlowMatcher, KeepsFlagsRanksAndValuesApart) {
  FlowMatcher matcher;
  matcher.add(0, post(10, 1, 3));
  matcher.add(0, post(11, 2, 3));
  matcher.add(0, post(12, 1, 4));
  matcher.add(0, post(13, 1, 3, 99));
  matcher.add(1, reset(50, 3, 99));
  matcher.add(2, reset(60, 3));
  matcher.add(1, reset(70, 4));
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 3u);
  for (const Flow& flow : flows) {
    if (flow.to == 2)
      EXPECT_EQ(flow.from_ns, 11'000);
    else if (flow.to_ns == 51'000)
      EXPECT_EQ(flow.from_ns, 13'000);
    else
      EXPECT_EQ(flow.from_ns, 12'000);
  }
}

TEST(FlowMatcher, LeavesAloneWhatDidNotHappen) {
  FlowMatcher matcher;
  Event failed = post(10, 1, 3);
  failed.outcome = Code::queue_full;
  matcher.add(0, failed);
  matcher.add(1, reset(20, 3, 0));  // found nothing
  matcher.add(1, wait(20, 30, 3));
  matcher.add(0, event_at(Kind::put, 1, 2, {.peer = 1}));
  EXPECT_TRUE(matcher.match().empty());
}

}  // namespace
}  // namespace polder::trace
