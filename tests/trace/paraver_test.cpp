#include "trace/convert/convert.hpp"

#include "trace_fixture.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#ifndef POLDER_TEST_SOURCE
#error the folder of this file is needed
#endif

namespace polder::trace {
namespace {

constexpr EventKind kWriteNotify = kind_of(EventKind::first_door, 1), kWaitsome = kind_of(EventKind::first_door, 2),
                    kReset = kind_of(EventKind::first_door, 3), kBarrier = kind_of(EventKind::first_door, 4),
                    kSolve = EventKind::first_user, kLevel = kind_of(EventKind::first_user, 1);
constexpr KindName kNames[] = {{kWriteNotify, EventKind::put_notify, "gaspi_write_notify", "gaspi"},
                               {kWaitsome, EventKind::wait_some, "gaspi_notify_waitsome", "gaspi"},
                               {kReset, EventKind::reset, "gaspi_notify_reset", "gaspi"},
                               {kBarrier, EventKind::barrier, "gaspi_barrier", "gaspi"},
                               {kSolve, EventKind::region, "solve", "user"},
                               {kLevel, EventKind::region, "residual", "user"}};

class ParaverTest : public TraceTest {
 protected:
  void write_job() {
    auto first = open(options(0, 2)), second = open(options(1, 2));
    for (const auto* recorder : {&first, &second}) ASSERT_TRUE((*recorder)->name_kinds(kNames).ok());
    const Rank members[] = {1};
    second->define_group(9, members);
    first->record(event_at(kSolve, 5, 50));
    first->record(event_at(kWriteNotify, 10, 12,
                           {.peer = 1, .segment = 7, .bytes = 64, .queue = 2, .notification = 3, .value = 9}));
    first->record(make_event(kLevel, Phase::counter, 20'000, 20'000, {.bytes = 17}));
    first->record(make_event(kLevel, Phase::mark, 21'000, 21'000, {.bytes = 18}));
    first->record(event_at(EventKind::put, 30, 30, {.peer = 1, .segment = 7, .bytes = 8, .queue = 0}));  // took no time
    first->record(event_at(EventKind::queue_wait, 32, 33, {.queue = 0}));
    first->record(event_at(kBarrier, 60, 70, {.segment = 4}));
    second->record(event_at(kWaitsome, 2, 15, {.segment = 7, .notification = 3}));
    second->record(event_at(kReset, 16, 17, {.segment = 7, .notification = 3, .value = 9}));
    second->record(make_event(kWaitsome, Phase::span, 20'000, 25'000, {.segment = 7}, Code::timeout));
    second->record(event_at(kBarrier, 40, 71, {.segment = 4}));
  }

  std::string text_of(const std::string& suffix) const {
    std::ifstream in(directory_ + "/trace" + suffix);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool has_line(const std::string& line) const { return text_of(".prv").find("\n" + line + "\n") != std::string::npos; }

  // What the strict checker says; empty if all is well.
  std::string check() const {
    const std::string command =
        "PYTHONDONTWRITEBYTECODE=1 python3 " POLDER_TEST_SOURCE "/check_paraver.py " + directory_ + "/trace 2>&1";
    std::string output;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return "popen failed";
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, got);
    return ::pclose(pipe) == 0 ? "" : output;
  }
};

TEST_F(ParaverTest, CallsHaveExtraesNumbersAndParametersAndMessagesAreCommunication) {
  write_job();
  const auto report = convert(directory_, "paraver", "");
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_EQ(check(), "") << text_of(".prv");
  EXPECT_EQ(report->events, 11u);
  const std::string prv = text_of(".prv");
  EXPECT_NE(prv.find("):71000_ns:1(1):1:2(1:1,1:1),2\nc:1:1:2:1:2\nc:1:2:1:2\n"), std::string::npos) << prv;
  EXPECT_TRUE(has_line("2:0:1:1:1:10000:69000000:21:69000002:2:69000001:64:69000003:3:69000004:4")) << prv;
  EXPECT_TRUE(has_line("2:0:1:1:1:12000:69000000:0")) << prv;
  EXPECT_TRUE(has_line("1:0:1:1:1:10000:12000:25")) << prv;
  EXPECT_TRUE(has_line("2:0:1:2:1:15000:69000000:0:69000004:4")) << "the id is known at the end: " << prv;
  EXPECT_TRUE(has_line("2:0:1:2:1:17000:69000000:0:69000004:10")) << "a reset carries the old value: " << prv;
  EXPECT_TRUE(has_line("2:0:1:2:1:25000:69000000:0:69500005:1")) << "and none after a timeout: " << prv;
  EXPECT_TRUE(has_line("2:0:1:2:1:71000:69000000:0:69500005:0")) << "an outcome holds until the next one: " << prv;
  EXPECT_TRUE(has_line("3:0:1:1:1:10000:12000:0:1:2:1:2000:15000:64:3")) << "notification and wait: " << prv;
  EXPECT_TRUE(has_line("3:0:1:1:1:30000:30000:0:1:2:1:33000:33000:8:1000000")) << "a put that was waited for: " << prv;
  EXPECT_TRUE(has_line("3:0:1:1:1:60000:60000:0:1:2:1:40000:71000:0:9000" + std::to_string(int(EventKind::barrier))))
      << prv;
  EXPECT_TRUE(has_line("2:0:1:1:1:30001:69500000:0")) << "a call that took no time lasts a nanosecond: " << prv;
  EXPECT_NE(text_of(".pcf").find("69500005    Polder outcome\nVALUES\n0    End\n1    timeout"), std::string::npos);
  EXPECT_NE(text_of(".pcf").find("User counter residual"), std::string::npos);
  EXPECT_NE(text_of(".row").find("LEVEL NODE SIZE 1\nnode7\n"), std::string::npos) << text_of(".row");
}

TEST_F(ParaverTest, ManyEventsOfManyThreadsAndAMissingRank) {
  for (const Rank rank : {0, 2}) {
    auto recorder = open(options(rank, 3));
    std::uint32_t chance = rank + 1;
    for (std::int64_t at = 0; at < 40'000; ++at) {
      chance = chance * 1664525 + 1013904223;
      const std::int64_t length = chance >> 30;
      recorder->record(make_event(chance % 3 == 0 ? EventKind::put_notify : EventKind::wait_some, Phase::span, at * 2,
                                  at * 2 + length,
                                  {.peer = 2 - rank, .segment = 1, .notification = chance >> 28, .value = 1}));
    }
    std::thread([&] { recorder->record(event_at(EventKind::progress, 5, 6)); }).join();
  }
  const auto report = convert(directory_, "paraver", "");
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_EQ(check(), "");
  ASSERT_EQ(report->remarks.size(), 1u);
  EXPECT_EQ(report->remarks[0], "rank 1: no trace file");
}

TEST_F(ParaverTest, NothingIsLeftOfAConversionThatFails) {
  write_job();
  EXPECT_EQ(convert(directory_, "paraver", directory_ + "/none/trace").status().code(), Code::system);
  EXPECT_EQ(convert(directory_ + "/none", "paraver", "").status().code(), Code::system);
  EXPECT_EQ(text_of(".prv"), "");
}

TEST_F(ParaverTest, CsvHasALineForEachEvent) {
  write_job();
  const auto report = convert(directory_, "csv", "");
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  const std::string csv = text_of(".csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 12);
  EXPECT_NE(csv.find("\n0,0,gaspi_write_notify,gaspi,span,10000,12000,1,7,64,2,3,9,ok,\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n1,0,gaspi_notify_waitsome,gaspi,span,20000,25000,,7,0,,,0,timeout,\n"), std::string::npos)
      << csv;
}

// Walks the protobuf, which consists of packets only: a reader of ours that knows nothing of the writer.
std::size_t packets_of(std::string_view bytes, bool& whole) {
  const auto varint = [&]() -> std::uint64_t {
    std::uint64_t value = 0;
    for (int shift = 0; !bytes.empty() && shift < 64; shift += 7) {
      const auto byte = std::uint8_t(bytes[0]);
      bytes.remove_prefix(1);
      value |= std::uint64_t(byte & 127) << shift;
      if (byte < 128) return value;
    }
    whole = false;
    return 0;
  };
  std::size_t packets = 0;
  whole = true;
  while (!bytes.empty() && whole) {
    whole = varint() == (1 << 3 | 2);
    const std::uint64_t length = varint();
    whole = whole && length <= bytes.size();
    if (whole) bytes.remove_prefix(length), ++packets;
  }
  return packets;
}

TEST_F(ParaverTest, PerfettoHasAPacketForEachMoment) {
  write_job();
  const auto report = convert(directory_, "perfetto", "");
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  const std::string bytes = text_of(".perfetto-trace");
  bool whole = false;
  // Tracks: 2 ranks with a thread each, the user's counter, bytes under way, two queues. 9 spans, a mark, a level, a flow
  // with both ends and two changes of the bytes under way, three of what queues hold.
  EXPECT_EQ(packets_of(bytes, whole), 4u + 4 + 9 * 2 + 1 + 1 + 2 + 2 + 3);
  EXPECT_TRUE(whole);
  for (const char* text : {"gaspi_write_notify", "rank 1 on node7", "residual", "bytes under way", "timeout",
                           "queue 0: posted since the last wait", "queue 2: posted since the last wait"})
    EXPECT_NE(bytes.find(text), std::string::npos) << text;
}

}  // namespace
}  // namespace polder::trace
