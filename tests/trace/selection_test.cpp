// What is left out on demand, and what the trace says of it.
#include "trace/record/selection.hpp"

#include "trace_fixture.hpp"

namespace polder::trace {
namespace {

using SelectionTest = TraceTest;

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

}  // namespace
}  // namespace polder::trace
