#include "trace/record/span.hpp"

#include "trace_fixture.hpp"
#include "util/deadline.hpp"

#include <atomic>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {
std::atomic<unsigned> clock_reads{0};
}

// Stands before the C library's, for this program alone, and counts.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  clock_reads.fetch_add(1, std::memory_order_relaxed);
  return int(syscall(SYS_clock_gettime, clock, time));
}

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

TEST_F(SpanTest, NoClockIsReadWithoutARecorder) {
  const auto reads = [](Recorder* recorder) {
    const unsigned before = clock_reads.load();
    {
      Span span(recorder, Kind::put, {.peer = 1, .bytes = 8});
      mark(recorder, Kind::notify, {.peer = 1});
      count(recorder, Kind::first_user, 1);
    }
    return clock_reads.load() - before;
  };
  EXPECT_EQ(reads(nullptr), 0u);
  const auto recorder = open(options());
  EXPECT_GE(reads(recorder.get()), 4u) << "the test sees the reading";
}

}  // namespace
}  // namespace polder::trace
