#include "trace/record/span.hpp"

#include "trace_fixture.hpp"

namespace polder::trace {
namespace {

using SpanTest = TraceTest;

TEST_F(SpanTest, RecordsItsScope) {
  RecorderOptions real = options();
  real.clock = {};
  auto recorder = open(real);
  const std::int64_t before = recorder->now();
  {
    Span outer(recorder.get(), EventKind::region, {.segment = 4});
    { Span inner(recorder.get(), EventKind::put, {.peer = 1, .bytes = 10}); }
    outer.details().notification = 12;
    outer.set_outcome(Code::timeout);
  }
  const std::int64_t after = recorder->now();
  recorder.reset();
  const auto events = read().events;
  ASSERT_EQ(events.size(), 2u);
  const Event &inner = events[0], &outer = events[1];
  EXPECT_EQ(inner.kind, EventKind::put);
  EXPECT_EQ(inner.peer, 1u);
  EXPECT_EQ(inner.bytes, 10u);
  EXPECT_EQ(outer.kind, EventKind::region);
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

TEST_F(SpanTest, CallsInsideACallOfADoorAddToItInsteadOfBeingRecorded) {
  auto recorder = open(options());
  OpenCall call;
  open_call = &call;
  {
    Span put(recorder.get(), EventKind::put, {.peer = 1, .bytes = 8});
    Span handler(recorder.get(), EventKind::handler, {.peer = 2});
    { Span inside(recorder.get(), EventKind::notify, {.peer = 3}); }
  }
  open_call = nullptr;
  recorder.reset();
  const auto events = read().events;
  ASSERT_EQ(events.size(), 2u) << "what a handler calls is its own";
  EXPECT_EQ(events[0].kind, EventKind::notify);
  EXPECT_EQ(events[1].kind, EventKind::handler);
  EXPECT_EQ(call.details.peer, 1u);
  EXPECT_EQ(call.details.bytes, 8u);
}

TEST_F(SpanTest, MarksAndCounters) {
  auto recorder = open(options());
  mark(recorder.get(), EventKind::peer_failed, {.peer = 3});
  count(recorder.get(), EventKind::first_user, 17);
  recorder.reset();
  const auto events = read().events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].phase, Phase::mark);
  EXPECT_EQ(events[0].peer, 3u);
  EXPECT_EQ(events[0].begin_ns, events[0].end_ns);
  EXPECT_EQ(events[1].phase, Phase::counter);
  EXPECT_EQ(events[1].bytes, 17u);
}

TEST_F(SpanTest, NoClockIsReadWithoutARecorder) {
  const auto reads = [this](Recorder* recorder) {
    const unsigned before = time_.reads;
    {
      Span span(recorder, EventKind::put, {.peer = 1, .bytes = 8});
      mark(recorder, EventKind::notify, {.peer = 1});
      count(recorder, EventKind::first_user, 1);
    }
    return time_.reads - before;
  };
  EXPECT_EQ(reads(nullptr), 0u);
  const auto recorder = open(options());
  EXPECT_EQ(reads(recorder.get()), 4u) << "the test sees the reading";
}

}  // namespace
}  // namespace polder::trace
