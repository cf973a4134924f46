#include "trace/record/recorder.hpp"

#include "trace_fixture.hpp"

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include <pthread.h>

namespace polder::trace {
namespace {

using RecorderTest = TraceTest;

Event numbered(std::uint64_t number) {
  return event_at(EventKind::put, 1, 2, {.bytes = number});
}

TEST_F(RecorderTest, HeaderAndEventsComeBackAsTheyWereWritten) {
  auto recorder = open(options(3, 8));
  const Event event =
      make_event(EventKind::put_notify, Phase::span, 1000, 2500,
                 {.peer = 5, .segment = 2, .bytes = 4096, .queue = 1, .notification = 9, .value = 77}, Code::timeout);
  recorder->record(event);
  ASSERT_TRUE(recorder->close().ok());

  const Contents contents = read(3);
  EXPECT_EQ(contents.file.rank(), 3u);
  EXPECT_EQ(contents.file.header.size, 8u);
  EXPECT_EQ(contents.file.header.job, 42u);
  EXPECT_EQ(contents.file.host(), "node7");
  EXPECT_TRUE(contents.file.finished);
  EXPECT_EQ(contents.file.damage, "");
  ASSERT_EQ(contents.events.size(), 1u);
  const Event& back = contents.events[0];
  EXPECT_EQ(back.begin_ns, 1000);
  EXPECT_EQ(back.end_ns, 2500);
  EXPECT_EQ(back.bytes, 4096u);
  EXPECT_EQ(back.peer, 5u);
  EXPECT_EQ(back.segment, 2u);
  EXPECT_EQ(back.notification, 9u);
  EXPECT_EQ(back.value, 77u);
  EXPECT_EQ(back.kind, EventKind::put_notify);
  EXPECT_EQ(back.queue, 1u);
  EXPECT_EQ(back.outcome, Code::timeout);
}

TEST_F(RecorderTest, FullRingIsWrittenOutByItsThread) {
  auto recorder = open(options());
  for (std::uint64_t i = 0; i < 15; ++i) recorder->record(numbered(i));
  EXPECT_EQ(read().events.size(), 0u) << "a ring that is not full stays in memory";
  recorder->record(numbered(15));
  EXPECT_EQ(read().events.size(), 0u);
  recorder->record(numbered(16));
  EXPECT_EQ(read().events.size(), 16u) << "the 17th event finds the ring of 16 full";
  for (std::uint64_t i = 17; i < 1000; ++i) recorder->record(numbered(i));
  ASSERT_TRUE(recorder->close().ok());
  const Contents contents = read();
  ASSERT_EQ(contents.events.size(), 1000u);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(contents.events[i].bytes, i);
}

TEST_F(RecorderTest, FlushWritesEachEventOnce) {
  auto recorder = open(options());
  for (std::uint64_t i = 0; i < 100; ++i) {
    recorder->record(numbered(i));
    if (i % 7 == 0) {
      ASSERT_TRUE(recorder->flush().ok());
      ASSERT_EQ(read().events.size(), i + 1);
    }
  }
  EXPECT_FALSE(read().file.finished);
  recorder.reset();
  const Contents contents = read();
  ASSERT_EQ(contents.events.size(), 100u);
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_EQ(contents.events[i].bytes, i);
  EXPECT_TRUE(contents.file.finished);
}

TEST_F(RecorderTest, ManyThreadsLoseNothingAndKeepTheirOrder) {
  constexpr int kThreads = 8, kEvents = 5000;
  auto recorder = open(options());
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEvents; ++i) recorder->record(numbered(std::uint64_t(t) << 32 | std::uint64_t(i)));
      });
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(recorder->flush().ok());  // races with the owners of the rings
  }
  ASSERT_TRUE(recorder->close().ok());
  const Contents contents = read();
  ASSERT_EQ(contents.events.size(), std::size_t(kThreads) * kEvents);
  std::map<std::uint64_t, std::uint64_t> next;           // by thread of the test
  std::map<std::uint64_t, std::set<std::uint16_t>> ids;  // the same, thread numbers in the trace
  for (const Event& event : contents.events) {
    const std::uint64_t thread = event.bytes >> 32;
    ASSERT_EQ(event.bytes & 0xffffffff, next[thread]++) << "thread " << thread;
    ids[thread].insert(event.thread);
  }
  std::set<std::uint16_t> all;
  for (const auto& [thread, numbers] : ids) {
    EXPECT_EQ(numbers.size(), 1u);
    all.insert(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(all.size(), std::size_t(kThreads)) << "two threads must not share a number";
}

TEST_F(RecorderTest, ThreadThatEndsHandsItsRingOver) {
  auto recorder = open(options());
  std::set<std::uint16_t> numbers;
  for (std::uint64_t i = 0; i < 100; ++i) std::thread([&] { recorder->record(numbered(i)); }).join();
  // 100 events went through one ring of 16: it was written 6 times, and 4 events are in it still.
  EXPECT_EQ(read().events.size(), 96u);
  ASSERT_TRUE(recorder->close().ok());
  const Contents contents = read();
  ASSERT_EQ(contents.events.size(), 100u);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(contents.events[i].bytes, i);
    numbers.insert(contents.events[i].thread);
  }
  EXPECT_EQ(numbers.size(), 100u) << "a ring is used again, a thread number is not";
}

TEST_F(RecorderTest, SeveralRecordersInOneThreadStayApart) {
  constexpr Rank kRanks = 4;
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (Rank rank = 0; rank < kRanks; ++rank) recorders.push_back(open(options(rank, kRanks)));
  for (std::uint64_t i = 0; i < 400; ++i) recorders[i % kRanks]->record(numbered(i));
  recorders.clear();
  for (Rank rank = 0; rank < kRanks; ++rank) {
    const Contents contents = read(rank);
    ASSERT_EQ(contents.events.size(), 100u);
    for (std::uint64_t i = 0; i < 100; ++i) ASSERT_EQ(contents.events[i].bytes, i * kRanks + rank);
  }
}

TEST_F(RecorderTest, RecorderAfterRecorderInOneThread) {
  // A new recorder often lies where the old one lay; the ring that the thread remembers must not be taken for its own.
  for (std::uint64_t i = 0; i < 50; ++i) {
    auto recorder = open(options());
    recorder->record(numbered(i));
    recorder.reset();
    const Contents contents = read();
    ASSERT_EQ(contents.events.size(), 1u);
    ASSERT_EQ(contents.events[0].bytes, i);
  }
}

TEST_F(RecorderTest, ThreadOutlivesItsRecorder) {
  auto recorder = open(options());
  std::atomic<int> step{0};
  std::thread thread([&] {
    recorder->record(numbered(1));
    step = 1;
    step.notify_all();
    step.wait(1);
  });
  step.wait(0);
  recorder.reset();
  step = 2;
  step.notify_all();
  thread.join();
  EXPECT_EQ(read().events.size(), 1u);
}

TEST_F(RecorderTest, EventsAfterCloseAreDropped) {
  auto recorder = open(options());
  recorder->record(numbered(0));
  ASSERT_TRUE(recorder->close().ok());
  for (std::uint64_t i = 1; i < 100; ++i) recorder->record(numbered(i));
  EXPECT_TRUE(recorder->flush().ok());
  EXPECT_TRUE(recorder->close().ok());
  recorder.reset();
  EXPECT_EQ(read().events.size(), 1u);
}

TEST_F(RecorderTest, CloseWhileThreadsRecord) {
  auto recorder = open(options());
  std::atomic<bool> stop{false};
  std::atomic<int> running{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; !stop; ++i) {
        recorder->record(numbered(i));
        if (i == 100) ++running;
      }
    });
  while (running < 4) std::this_thread::yield();
  EXPECT_TRUE(recorder->close().ok());
  stop = true;
  threads.clear();
  recorder.reset();
  const Contents contents = read();
  EXPECT_TRUE(contents.file.finished);
  EXPECT_EQ(contents.file.damage, "");
  std::map<std::uint16_t, std::uint64_t> next;
  for (const Event& event : contents.events) ASSERT_EQ(event.bytes, next[event.thread]++);
  EXPECT_EQ(next.size(), 4u);
}

TEST_F(RecorderTest, ModulesNameTheirKinds) {
  auto recorder = open(options());
  const EventKind mine = kind_of(EventKind::first_user, 3);
  const KindName names[] = {{mine, EventKind::region, "relax \"grid\"", "app"}};
  ASSERT_TRUE(recorder->name_kinds(names).ok());
  recorder.reset();
  const TraceFile file = read().file;
  ASSERT_TRUE(file.names.contains(std::uint16_t(mine)));
  EXPECT_EQ(file.names.at(std::uint16_t(mine)).name, "relax \"grid\"");
  EXPECT_EQ(file.names.at(std::uint16_t(mine)).category, "app");
  for (const KindName& shared : shared_kinds())
    EXPECT_EQ(file.names.at(std::uint16_t(shared.kind)).name, shared.name) << "the shared names are always there";
}

TEST_F(RecorderTest, WriterOfItsOwnEmptiesTheRings) {
  RecorderOptions real = options();
  real.clock = {};
  auto recorder = open(real);
  for (std::uint64_t i = 0; i < 10'000; ++i) recorder->record(numbered(i));
  while (read().events.size() < 10'000) std::this_thread::yield();
  const Contents contents = read();
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_EQ(contents.events[i].bytes, i);
  EXPECT_FALSE(contents.file.finished) << "nobody has flushed or closed";
  EXPECT_GE(contents.file.clocks.size(), 2u) << "the writer leaves readings of the clocks";
}

TEST_F(RecorderTest, FileStaysBelowItsLimit) {
  RecorderOptions small = options();
  small.file_limit = 4000;
  auto recorder = open(small);
  for (std::uint64_t i = 0; i < 1000; ++i) recorder->record(numbered(i));
  EXPECT_TRUE(recorder->close().ok()) << "a limit is no failure";
  const Contents contents = read();
  EXPECT_LE(std::filesystem::file_size(recorder->path()), 4000u + sizeof(ChunkHeader) + sizeof(FinishRecord));
  EXPECT_TRUE(contents.file.finished);
  EXPECT_GT(contents.events.size(), 0u);
  EXPECT_EQ(contents.file.omitted.beyond, 1000 - contents.events.size());
}

TEST_F(RecorderTest, WhatComesBehindTheLimitIsNotKeptHoweverSmall) {
  RecorderOptions small = options();
  small.ring_events = 1024;
  small.file_limit = 20'000;
  auto recorder = open(small);
  for (std::uint64_t i = 0; i < 1000; ++i) recorder->record(numbered(i));
  ASSERT_TRUE(recorder->flush().ok());
  for (std::uint64_t i = 1000; i < 1005; ++i) recorder->record(numbered(i));
  ASSERT_TRUE(recorder->close().ok());
  const Contents contents = read();
  ASSERT_GT(contents.events.size(), 0u);
  for (std::uint64_t i = 0; i < contents.events.size(); ++i) EXPECT_EQ(contents.events[i].bytes, i);
  EXPECT_EQ(contents.file.omitted.beyond, 1005 - contents.events.size());
}

TEST_F(RecorderTest, TheThreadThatOpensIsTheFirst) {
  RecorderOptions some = options();
  some.selection.set_kinds("message");
  auto recorder = open(some);
  recorder->record(numbered(0));  // not kept
  std::thread([&] { recorder->record(event_at(EventKind::progress, 1, 2)); }).join();
  recorder->record(event_at(EventKind::message, 3, 4));
  ASSERT_TRUE(recorder->close().ok());
  std::map<EventKind, std::uint16_t> threads;
  for (const Event& event : read().events) threads[event.kind] = event.thread;
  EXPECT_EQ(threads, (std::map<EventKind, std::uint16_t>{{EventKind::message, 0}, {EventKind::progress, 1}}));
}

TEST_F(RecorderTest, MemoryLimitLeavesThreadsOutAndCountsTheirEvents) {
  RecorderOptions small = options();
  small.memory_limit = 16 * sizeof(Event);
  auto recorder = open(small);
  recorder->record(numbered(0));
  std::thread([&] { recorder->record(numbered(1)); }).join();
  EXPECT_EQ(recorder->omitted().lost, 1u);
  EXPECT_EQ(recorder->close().code(), Code::out_of_memory);
  EXPECT_EQ(read().events.size(), 1u);
}

TEST_F(RecorderTest, KeepsWhatWasAskedForAndCountsTheRest) {
  RecorderOptions some = options();
  some.selection.set_kinds("put,setup,mine");
  some.selection.set_least_bytes(100);
  some.selection.set_window(1'000'000, 2'000'000);
  auto recorder = open(some);
  const KindName names[] = {{EventKind::first_user, EventKind::region, "relax", "mine"}};
  ASSERT_TRUE(recorder->name_kinds(names).ok());
  recorder->record(event_at(EventKind::put, 1500, 1501, {.bytes = 100}));
  recorder->record(event_at(EventKind::put, 1500, 1501, {.bytes = 99}));   // too small
  recorder->record(event_at(EventKind::get, 1500, 1501, {.bytes = 100}));  // not named
  recorder->record(event_at(EventKind::segment_create, 500, 1001));        // by its category; reaches into the window
  recorder->record(event_at(EventKind::segment_create, 500, 999));         // ends before the window
  recorder->record(event_at(EventKind::first_user, 1999, 3000));           // by its category, named late
  recorder->record(event_at(EventKind::first_user, 2001, 3000));           // begins after the window
  ASSERT_TRUE(recorder->close().ok());
  const Contents contents = read();
  ASSERT_EQ(contents.events.size(), 3u);
  EXPECT_EQ(contents.file.omitted.filtered, 4u);
}

TEST_F(RecorderTest, PausesAndSaysFromWhenToWhen) {
  auto recorder = open(options());
  recorder->record(numbered(0));
  time_.now = 5000;
  recorder->pause();
  recorder->record(numbered(1));
  time_.now = 9000;
  recorder->resume();
  recorder->record(numbered(2));
  ASSERT_TRUE(recorder->close().ok());
  const auto events = read().events;
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].kind, EventKind::recording_off);
  EXPECT_EQ(events[1].begin_ns, 5000);
  EXPECT_EQ(events[1].end_ns, 9000);
  EXPECT_EQ(events[2].bytes, 2u);
}

TEST_F(RecorderTest, GroupsAndSyncsComeBack) {
  auto recorder = open(options(0, 4));
  const Rank members[] = {3, 1};
  recorder->define_group(77, members);
  const SyncRecord sync{.peer = 2, .asked = 10, .answered = 20, .peer_ticks = 15};
  recorder->note_sync({&sync, 1});
  recorder.reset();
  const TraceFile file = read().file;
  ASSERT_TRUE(file.groups.contains(77));
  EXPECT_EQ(file.groups.at(77), (std::vector<Rank>{3, 1}));
  ASSERT_EQ(file.syncs.size(), 1u);
  EXPECT_EQ(file.syncs[0].peer_ticks, 15);
}

TEST(EventSelection, ReadsRanksAndWindows) {
  EXPECT_TRUE(*names_rank("", 5));
  EXPECT_TRUE(*names_rank("0,4-7", 5));
  EXPECT_FALSE(*names_rank("0,4-7", 3));
  EXPECT_FALSE(names_rank("all", 3).ok());
  EXPECT_EQ(window_of("2..5")->to_s, 5);
  EXPECT_EQ(window_of("..0.5")->from_s, 0);
  EXPECT_FALSE(window_of("5..2").ok());
  EXPECT_FALSE(window_of("5").ok());
}

TEST_F(RecorderTest, ThreadsAreNamed) {
  auto recorder = open(options());
  std::thread([&] {
    pthread_setname_np(pthread_self(), "from-system");
    recorder->record(numbered(0));
  }).join();
  std::thread([&] {
    recorder->name_thread("communication helper");
    recorder->record(numbered(1));
  }).join();
  recorder.reset();
  const Contents contents = read();
  EXPECT_EQ(get_text(contents.file.threads.at(contents.events[0].thread).name), "from-system");
  EXPECT_EQ(get_text(contents.file.threads.at(contents.events[1].thread).name), "communication helper");
}

}  // namespace
}  // namespace polder::trace
