// What is left out on demand, and what the trace says of it.
#include "trace/record/selection.hpp"

#include "trace/record/options.hpp"
#include "trace_fixture.hpp"
#include "util/environment.hpp"

#include <thread>
#include <utility>

namespace polder::trace {
namespace {

using SelectionTest = TraceTest;

std::int64_t off_ns(const std::vector<Event>& events) {
  std::int64_t sum = 0;
  for (const Event& event : events)
    if (event.kind == EventKind::recording_off) sum += event.end_ns - event.begin_ns;
  return sum;
}

TEST_F(SelectionTest, CallsOfDoorsAreKeptAsWhatTheyAreLike) {
  RecorderOptions some = options();
  some.selection.set_kinds("put,sync");
  some.selection.set_least_bytes(100);
  auto recorder = open(some);
  constexpr EventKind kWrite = kind_of(EventKind::first_door, 1), kWait = kind_of(EventKind::first_door, 2),
                      kRead = kind_of(EventKind::first_door, 3);
  const KindName names[] = {{kWrite, EventKind::put, "gaspi_write", "gaspi"},
                            {kWait, EventKind::queue_wait, "gaspi_wait", "gaspi"},
                            {kRead, EventKind::get, "gaspi_read", "gaspi"}};
  ASSERT_TRUE(recorder->name_kinds(names).ok());
  recorder->record(event_at(kWrite, 1, 2, {.bytes = 100}));
  recorder->record(event_at(kWrite, 1, 2, {.bytes = 8}));  // too small
  recorder->record(event_at(kWait, 1, 2));
  recorder->record(event_at(kRead, 1, 2, {.bytes = 100}));  // not named
  ASSERT_TRUE(recorder->close().ok());
  const Contents contents = read();
  ASSERT_EQ(contents.events.size(), 2u);
  EXPECT_EQ(contents.events[0].kind, kWrite);
  EXPECT_EQ(contents.events[1].kind, kWait);
}

TEST_F(SelectionTest, WordsThatNoEventIsCalledAreTold) {
  RecorderOptions some = options();
  some.selection.set_kinds("foo,put,gaspi,gaspi_raed,user");
  testing::internal::CaptureStderr();
  auto recorder = open(some);
  const KindName name = {kind_of(EventKind::first_door, 1), EventKind::put, "gaspi_write", "gaspi"};
  ASSERT_TRUE(recorder->name_kinds({&name, 1}).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "others may come";
  testing::internal::CaptureStderr();
  ASSERT_TRUE(recorder->close().ok());
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "polder: warning: POLDER_TRACE_KINDS: foo,gaspi_raed: no event that this rank knows, nor a category, has "
            "this name\n");
}

TEST_F(SelectionTest, OneRankOfTheTracedOnesTellsOfWords) {
  const util::ScopedEnvironment directory("POLDER_TRACE", directory_.c_str()), kinds("POLDER_TRACE_KINDS", "foo"),
      ranks("POLDER_TRACE_RANKS", "2,1");
  const auto tells = [&](Rank rank) {
    RecorderOptions read = options(rank, 3);
    EXPECT_TRUE(read_environment(read).value_or(false));
    return read.tells_unknown_words;
  };
  EXPECT_TRUE(tells(1));
  EXPECT_FALSE(tells(2));
}

TEST_F(SelectionTest, WhatLiesOutsideOfTheWindowIsOff) {
  time_.now = 500;
  RecorderOptions some = options();
  some.selection.set_window(1000, 2000);
  auto recorder = open(some);
  time_.now = 9000;
  ASSERT_TRUE(recorder->close().ok());
  const auto events = read().events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, EventKind::recording_off);
  EXPECT_EQ(events[0].begin_ns, 500);
  EXPECT_EQ(events[0].end_ns, 1000);
  EXPECT_EQ(events[1].begin_ns, 2000);
  EXPECT_EQ(events[1].end_ns, 9000);
}

TEST_F(SelectionTest, APauseThatNothingEndsLastsUntilTheTraceIsClosed) {
  auto recorder = open(options());
  time_.now = 3000;
  recorder->pause();
  time_.now = 9000;
  ASSERT_TRUE(recorder->close().ok());
  const auto events = read().events;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::recording_off);
  EXPECT_EQ(events[0].begin_ns, 3000);
  EXPECT_EQ(events[0].end_ns, 9000);
}

// One pause before the window, one that reaches into it, one that reaches out of it.
TEST_F(SelectionTest, WhatWasOffInAPauseAndOutsideOfTheWindowCountsOnce) {
  RecorderOptions some = options();
  some.selection.set_window(10'000, 20'000);
  auto recorder = open(some);
  for (const auto& [from, to] : {std::pair(1000, 5000), {8000, 11'000}, {19'000, 25'000}}) {
    time_.now = from;
    recorder->pause();
    time_.now = to;
    recorder->resume();
  }
  time_.now = 30'000;
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_EQ(off_ns(read().events), 30'000 - 10'000 + 2 * 1000);
}

// A process that ends without closing flushes; what it does until then is told, and what follows only once.
TEST_F(SelectionTest, AFlushTellsWhatWasOffSoFar) {
  RecorderOptions some = options();
  some.selection.set_window(1000, 20'000);
  auto recorder = open(some);
  time_.now = 15'000;
  recorder->pause();
  time_.now = 16'000;
  ASSERT_TRUE(recorder->flush().ok());
  EXPECT_EQ(off_ns(read().events), 1000 + 1000);
  time_.now = 25'000;
  ASSERT_TRUE(recorder->flush().ok());
  EXPECT_EQ(off_ns(read().events), 1000 + 10'000);
  time_.now = 26'000;
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_EQ(off_ns(read().events), 1000 + 11'000);
}

// As at the end of a process, when the memory of its first thread is gone before what flushes.
TEST_F(SelectionTest, AThreadThatEndsTellsWhatWasOff) {
  struct AtTheEnd {
    ~AtTheEnd() { (void)recorder->flush(); }
    Recorder* recorder = nullptr;
  };
  auto recorder = open(options());
  time_.now = 3000;
  std::thread([&] {
    thread_local AtTheEnd at_the_end;  // made before what this thread remembers of recorders, so it goes later
    at_the_end.recorder = recorder.get();
    recorder->pause();
    recorder->resume();
    recorder->record(event_at(EventKind::put, 1, 2));
    time_.now = 4000;
    recorder->pause();
    recorder->record(event_at(EventKind::put, 4, 5));
    time_.now = 9000;
  }).join();
  EXPECT_EQ(off_ns(read().events), 5000);
}

}  // namespace
}  // namespace polder::trace
