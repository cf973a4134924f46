#include "trace/span.hpp"

#include "trace_fixture.hpp"
#include "util/deadline.hpp"

#include <algorithm>

namespace polder::trace {
namespace {

using SpanTest = TraceTest;

TEST_F(SpanTest, RecordsItsScope) {
  auto recorder = open(options());
  const std::int64_t before = util::now_ns();
  {
    Span outer(recorder.get(), Kind::wait_some, {.segment = 4});
    { Span inner(recorder.get(), Kind::put, {.peer = 1, .bytes = 10}); }
    outer.details().notification = 12;
    outer.set_outcome(Code::timeout);
  }
  const std::int64_t after = util::now_ns();
  recorder.reset();
  const auto events = read().events;
  ASSERT_EQ(events.size(), 2u);
  const Event &inner = events[0], &outer = events[1];
  EXPECT_EQ(inner.kind, Kind::put);
  EXPECT_EQ(inner.peer, 1u);
  EXPECT_EQ(inner.bytes, 10u);
  EXPECT_EQ(outer.kind, Kind::wait_some);
  EXPECT_EQ(outer.segment, 4u);
  EXPECT_EQ(outer.notification, 12u);
  EXPECT_EQ(outer.outcome, Code::timeout);
  EXPECT_EQ(outer.peer, kNoPeer);
  EXPECT_LE(before, outer.begin_ns);
  EXPECT_LE(outer.begin_ns, inner.begin_ns);
  EXPECT_LE(inner.begin_ns, inner.end_ns);
  EXPECT_LE(inner.end_ns, outer.end_ns);
  EXPECT_LE(outer.end_ns, after);
}

TEST_F(SpanTest, MarksAndCounters) {
  auto recorder = open(options());
  mark(recorder.get(), Kind::peer_failed, {.peer = 3});
  count(recorder.get(), Kind::first_user, 17);
  recorder.reset();
  const auto events = read().events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].phase, Phase::mark);
  EXPECT_EQ(events[0].peer, 3u);
  EXPECT_EQ(events[0].begin_ns, events[0].end_ns);
  EXPECT_EQ(events[1].phase, Phase::counter);
  EXPECT_EQ(events[1].bytes, 17u);
}

// The shortest of many runs: others may use the cores, but not all the time.
template <class Body>
std::int64_t shortest_ns(Body&& body) {
  std::int64_t best = INT64_MAX;
  for (int round = 0; round < 50; ++round) {
    const std::int64_t begin = util::now_ns();
    for (int i = 0; i < 2000; ++i) body(i);
    best = std::min(best, util::now_ns() - begin);
  }
  return best;
}

TEST(SpanCost, NothingIsReadOrKeptWithoutARecorder) {
  Recorder* volatile none = nullptr;
  const std::int64_t off = shortest_ns([&](int i) {
    Span span(none, Kind::put, {.peer = Rank(i), .bytes = 8});
    mark(none, Kind::notify, {.peer = Rank(i)});
    count(none, Kind::first_user, 1);
  });
  volatile std::int64_t sink = 0;
  const std::int64_t one_clock = shortest_ns([&](int) { sink = util::now_ns(); });
  EXPECT_LT(off, one_clock) << "a span, a mark and a counter that are off cost more than reading the clock once";
}

}  // namespace
}  // namespace polder::trace
