#include "trace/analyse/flows.hpp"

#include "trace/analyse/meetings.hpp"
#include "trace/analyse/sorter.hpp"
#include "trace/read/clock_fit.hpp"
#include "util/random.hpp"

#include "trace_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <malloc.h>

namespace polder::trace {
namespace {

Event post(std::int64_t at, Rank target, NotificationId id, NotificationValue value = 1) {
  return event_at(EventKind::put_notify, at, at + 1,
                  {.peer = target, .segment = 7, .notification = id, .value = value});
}
Event wait(std::int64_t begin, std::int64_t end, NotificationId id) {
  return event_at(EventKind::wait_some, begin, end, {.segment = 7, .notification = id});
}
Event reset(std::int64_t at, NotificationId id, NotificationValue value = 1) {
  return event_at(EventKind::reset, at, at + 1, {.segment = 7, .notification = id, .value = value});
}

// Matches what it is given in the order of time, as the survey of a job does.
class Matching {
 public:
  void add(Rank rank, const Event& event) {
    FlowEnd end;
    if (flow_end(rank, event.kind, event, end)) ends_.push_back(end);
  }
  std::vector<Flow> match() {
    std::vector<Flow> flows;
    FlowMatcher matcher([&](const Flow& flow) { flows.push_back(flow); });
    std::stable_sort(ends_.begin(), ends_.end());
    for (const FlowEnd& end : ends_) matcher.add(end);
    matcher.finish();
    return flows;
  }

 private:
  std::vector<FlowEnd> ends_;
};

TEST(FlowMatcher, LeadsFromThePostToTheWaitThatItEnded) {
  Matching matcher;
  matcher.add(0, post(10, 1, 3));
  matcher.add(1, wait(5, 15, 3));
  matcher.add(1, reset(20, 3));
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].from, 0u);
  EXPECT_EQ(flows[0].sent_ns, 10'000);
  EXPECT_EQ(flows[0].to, 1u);
  EXPECT_EQ(flows[0].received_ns, 15'000);
}

TEST(FlowMatcher, LeadsToTheResetIfNobodyWaited) {
  Matching matcher;
  matcher.add(0, post(10, 1, 3));
  matcher.add(1, reset(20, 3));
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].received_ns, 21'000);
}

TEST(FlowMatcher, TakesPostsOfOneFlagInTheirOrder) {
  Matching matcher;
  for (int i = 9; i >= 0; --i) matcher.add(0, post(100 * i, 1, 3));  // files need not be sorted
  for (int i = 0; i < 10; ++i) {
    matcher.add(1, wait(100 * i - 50, 100 * i + 20, 3));
    matcher.add(1, reset(100 * i + 30, 3));
  }
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 10u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(flows[std::size_t(i)].sent_ns, 100'000 * i);
    EXPECT_EQ(flows[std::size_t(i)].received_ns, 100'000 * i + 20'000);
  }
}

// Its post was before the records began.
TEST(FlowMatcher, AResetWithoutAPostLeadsNothingAstray) {
  Matching matcher;
  matcher.add(1, reset(5, 3));
  for (int i = 1; i <= 10; ++i) {
    matcher.add(0, post(100 * i, 1, 3));
    matcher.add(1, reset(100 * i + 30, 3));
  }
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 10u);
  for (int i = 1; i <= 10; ++i) {
    EXPECT_EQ(flows[std::size_t(i - 1)].sent_ns, 100'000 * i);
    EXPECT_EQ(flows[std::size_t(i - 1)].received_ns, 100'000 * i + 31'000);
  }
}

TEST(FlowMatcher, AMessageWhoseSendWasNotRecordedLeadsNothingAstray) {
  Matching matcher;
  matcher.add(1, event_at(EventKind::handler, 5, 6, {.peer = 0, .value = 3}));
  for (int i = 1; i <= 10; ++i) {
    matcher.add(0, event_at(EventKind::message, 100 * i, 100 * i + 1, {.peer = 1, .value = 3}));
    matcher.add(1, event_at(EventKind::handler, 100 * i + 30, 100 * i + 31, {.peer = 0, .value = 3}));
  }
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 10u);
  for (int i = 1; i <= 10; ++i) {
    EXPECT_EQ(flows[std::size_t(i - 1)].sent_ns, 100'000 * i);
    EXPECT_EQ(flows[std::size_t(i - 1)].received_ns, 100'000 * i + 30'000);
  }
}

TEST(FlowMatcher, KeepsFlagsRanksAndValuesApart) {
  Matching matcher;
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
      EXPECT_EQ(flow.sent_ns, 11'000);
    else if (flow.received_ns == 51'000)
      EXPECT_EQ(flow.sent_ns, 13'000);
    else
      EXPECT_EQ(flow.sent_ns, 12'000);
  }
}

// Bytes that the program holds; 0 where another allocator stands in for the C library's.
std::size_t bytes_held() {
  return ::mallinfo2().uordblks;
}

TEST(FlowMatcher, ForgetsValuesThatHaveBeenTaken) {
  constexpr std::uint32_t kValues = 100'000;
  std::size_t flows = 0;
  FlowMatcher matcher([&](const Flow&) { ++flows; });
  const auto add = [&](Rank rank, EventKind like, const Event& event) {
    FlowEnd end;
    if (flow_end(rank, like, event, end)) matcher.add(end);
  };
  const std::size_t before = bytes_held();
  for (std::uint32_t value = 1; value <= kValues; ++value) {
    add(0, EventKind::put_notify, post(10 * value, 1, 3, value));
    add(1, EventKind::reset, reset(10 * value + 5, 3, value));
  }
  EXPECT_EQ(flows, kValues);
  EXPECT_LT(bytes_held(), before + 1'000'000);  // a value that is kept takes more than 1,000
}

TEST(FlowMatcher, GivesUpTheOldestOfTooManyValues) {
  constexpr std::uint32_t kValues = 400'000, kKept = 131'072;
  std::size_t flows = 0;
  FlowMatcher matcher([&](const Flow&) { ++flows; });
  const auto add = [&](Rank rank, EventKind like, const Event& event) {
    FlowEnd end;
    if (flow_end(rank, like, event, end)) matcher.add(end);
  };
  for (std::uint32_t value = 1; value <= kValues; ++value) add(0, EventKind::put_notify, post(value, 1, 3, value));
  EXPECT_EQ(matcher.given_up(), kValues - kKept);
  for (std::uint32_t value = 1; value <= kValues; ++value) add(1, EventKind::reset, reset(kValues + value, 3, value));
  EXPECT_LE(flows, kKept);
}

TEST(FlowMatcher, LeavesAloneWhatDidNotHappen) {
  Matching matcher;
  Event failed = post(10, 1, 3);
  failed.outcome = Code::queue_full;
  matcher.add(0, failed);
  matcher.add(1, reset(20, 3, 0));  // found nothing
  matcher.add(1, wait(20, 30, 3));
  matcher.add(0, event_at(EventKind::put, 1, 2, {.peer = 1}));
  EXPECT_TRUE(matcher.match().empty());
}

TEST(FlowMatcher, LeadsToTheWaitIfNobodyResets) {
  Matching matcher;
  matcher.add(0, post(10, 1, 3));
  matcher.add(1, wait(5, 15, 3));
  matcher.add(0, post(30, 1, 3));
  matcher.add(1, wait(25, 35, 3));
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[1].sent_ns, 30'000);
  EXPECT_EQ(flows[1].received_ns, 35'000);
}

TEST(FlowMatcher, LeadsFromMessagesToTheirHandlers) {
  Matching matcher;
  matcher.add(0, event_at(EventKind::message, 1, 2, {.peer = 1, .bytes = 5, .value = 9}));
  matcher.add(0, event_at(EventKind::message, 3, 4, {.peer = 1, .bytes = 6, .value = 9}));
  matcher.add(1, event_at(EventKind::handler, 7, 8, {.peer = 0, .bytes = 5, .value = 9}));
  matcher.add(1, event_at(EventKind::handler, 9, 10, {.peer = 0, .bytes = 6, .value = 9}));
  const auto flows = matcher.match();
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[1].what, Flow::What::message);
  EXPECT_EQ(flows[1].sent_ns, 3000);
  EXPECT_EQ(flows[1].received_ns, 9000);
}

TEST(Sorter, SortsMoreThanItKeepsInMemory) {
  struct Item {
    std::uint32_t key, number;
    bool operator<(const Item& other) const { return key < other.key; }
  };
  Sorter<Item> sorter(100);
  std::uint32_t chance = 1;
  for (std::uint32_t i = 0; i < 10'000; ++i) sorter.push({(chance = chance * 1664525 + 1013904223) >> 24, i});
  std::vector<Item> sorted;
  sorter.for_each([&](const Item& item) { sorted.push_back(item); });
  ASSERT_EQ(sorted.size(), 10'000u);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    ASSERT_LE(sorted[i - 1].key, sorted[i].key);
    if (sorted[i - 1].key == sorted[i].key) {
      ASSERT_LT(sorted[i - 1].number, sorted[i].number) << "stable";
    }
  }
}

TEST(Roll, NumbersCollectivesAndJoinsThoseThatTookSeveralCalls) {
  Roll roll;
  Attendance attendance;
  const Event barrier = event_at(EventKind::barrier, 10, 20, {.segment = 5});
  Event timed_out = event_at(EventKind::barrier, 30, 40, {.segment = 5});
  timed_out.outcome = Code::timeout;
  ASSERT_TRUE(roll.take(0, EventKind::barrier, barrier, attendance));
  EXPECT_EQ(attendance.number, 1u);
  EXPECT_FALSE(roll.take(0, EventKind::barrier, timed_out, attendance));
  ASSERT_TRUE(roll.take(0, EventKind::barrier, event_at(EventKind::barrier, 50, 60, {.segment = 5}), attendance));
  EXPECT_EQ(attendance.number, 2u);
  EXPECT_EQ(attendance.begin_ns, 30'000);
  EXPECT_EQ(attendance.end_ns, 60'000);
}

// A machine whose clock is 5 ms ahead and gains 40 parts in a million; messages take 10 to 30 us.
TEST(ClockFit, FindsOffsetAndDriftFromMessagesOfBothDirections) {
  const auto theirs = [](double true_ns) { return true_ns + 5e6 + 40e-6 * true_ns; };
  ClockFit fit(0, 10'000'000'000);
  std::uint32_t chance = 7;
  const auto delay = [&] { return 10'000.0 + double((chance = chance * 1664525 + 1013904223) >> 16) / 65536 * 20'000; };
  for (double t = 0; t < 10e9; t += 5e6) {
    const double there = theirs(t + delay());  // from the first machine to that one
    fit.at_least(std::int64_t(there), std::int64_t(t - there));
    const double left = theirs(t);  // and back
    fit.at_most(std::int64_t(left), std::int64_t(t + delay() - left));
  }
  const ClockLine line = fit.line(0);
  EXPECT_GT(line.error_ns, 0) << "no message runs backwards";
  EXPECT_LT(line.error_ns, 60'000);
  for (const double t : {0.0, 5e9, 10e9})
    EXPECT_LT(std::abs(double(line.correct(std::int64_t(theirs(t)))) - t), line.error_ns + 2) << t;
}

// However few and lopsided the messages are: clocks that are the same never seem to differ by more than the error that is told.
TEST(ClockFit, SaysHowFarItMayBeWrong) {
  constexpr double kLength = 1e9;
  double most = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    util::Random random(seed);
    ClockFit fit(0, std::int64_t(kLength));
    const std::uint64_t messages = 2 + random.below(40);
    for (std::uint64_t i = 0; i < messages; ++i) {
      const auto time = std::int64_t(random.below(std::uint64_t(kLength)));
      const auto delay = std::int64_t(5'000 + random.below(random.below(4) == 0 ? 1'000'000 : 10'000));
      if (i % 2 == 0)
        fit.at_least(time, -delay);
      else
        fit.at_most(time, delay);
    }
    const ClockLine line = fit.line(0);
    for (const double t : {0.0, kLength / 2, kLength}) {
      const double wrong = std::abs(double(line.correct(std::int64_t(t))) - t);
      ASSERT_LE(wrong, line.error_ns + 2) << "seed " << seed << " at " << t;
      most = std::max(most, wrong / line.error_ns);
    }
  }
  EXPECT_GT(most, 0.3) << "what is told is not far from what may be";
}

}  // namespace
}  // namespace polder::trace
