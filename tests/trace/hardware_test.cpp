// Counters of regions: those that the machine offers, those that it refuses, and what becomes of them in a report.
#include "trace/record/hardware.hpp"

#include "trace/analyse/analysis.hpp"
#include "trace/report/stats.hpp"
#include "trace_fixture.hpp"

#include <gmock/gmock.h>

#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <vector>

namespace polder::trace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<HardwareCounter> counters(std::string_view names) {
  auto found = hardware_counters(names);
  EXPECT_TRUE(found.ok()) << found.status().to_string();
  return found ? *std::move(found) : std::vector<HardwareCounter>();
}

int forbidden(const HardwareCounter&) {
  errno = EACCES;
  return -1;
}

int missing(const HardwareCounter&) {
  errno = ENOENT;
  return -1;
}

int all_but_cycles(const HardwareCounter& counter) {
  return std::string_view(counter.name) == "cycles" ? missing(counter) : open_hardware_counter(counter);
}

class HardwareTest : public TraceTest {
 protected:
  // The readings of kind `n` that a recorder has kept.
  std::vector<std::uint64_t> readings(std::uint16_t n) {
    std::vector<std::uint64_t> values;
    for (const Event& event : read().events)
      if (event.kind == kind_of(kFirstHardware, n)) values.push_back(event.bytes);
    return values;
  }
};

TEST_F(HardwareTest, NamesAreThoseOfATable) {
  EXPECT_THAT(counters(""), IsEmpty());
  const auto two = counters("cycles,cache-misses");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_STREQ(two[1].name, "cache-misses");
  const auto wrong = hardware_counters("cycles,miracles");
  EXPECT_EQ(wrong.status().code(), Code::invalid_argument);
  EXPECT_THAT(wrong.status().to_string(), HasSubstr("no counter 'miracles'; there are cycles, instructions"));
  EXPECT_EQ(hardware_counters("cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles,cycles").status().code(),
            Code::invalid_argument);
}

TEST_F(HardwareTest, WhatIsRefusedIsSaidAndLeftOut) {
  Hardware hardware(counters("cycles,instructions"), forbidden);
  EXPECT_THAT(hardware.prepare(), HasSubstr("not counted: cycles, instructions; the system forbids it "
                                            "(kernel.perf_event_paranoid is "));
  EXPECT_THAT(Hardware(counters("cycles"), missing).prepare(), HasSubstr("this machine does not offer it"));
  auto recorder = open(options());
  hardware.record(*recorder, 5);
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_THAT(read().events, IsEmpty());
}

TEST_F(HardwareTest, WhatIsOfferedIsCountedForThisThread) {
  Hardware hardware(counters("cycles,page-faults,task-clock"), all_but_cycles);
  const std::string refused = hardware.prepare();
  if (refused.find("page-faults") != std::string::npos) GTEST_SKIP() << refused;
  EXPECT_THAT(refused, HasSubstr("not counted: cycles; "));
  auto recorder = open(options());
  hardware.record(*recorder, 5);
  constexpr std::size_t kPages = 100, kBytes = kPages * 4096;
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(madvise(memory, kBytes, MADV_NOHUGEPAGE), 0);
  for (std::size_t at = 0; at < kBytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
  hardware.record(*recorder, 9);
  munmap(memory, kBytes);
  ASSERT_TRUE(recorder->close().ok());
  EXPECT_THAT(readings(0), IsEmpty());
  const auto faults = readings(1), clock = readings(2);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_GE(faults[1] - faults[0], kPages);
  ASSERT_EQ(clock.size(), 2u);
  EXPECT_GT(clock[1], clock[0]);
}

TEST_F(HardwareTest, ARegionHasWhatWasCountedWithinIt) {
  constexpr EventKind kOuter = EventKind::first_user, kInner = kind_of(EventKind::first_user, 1);
  constexpr KindName kNames[] = {{kOuter, EventKind::region, "outer", "user"},
                                 {kInner, EventKind::region, "inner", "user"}};
  auto recorder = open(options());
  Hardware hardware(counters("cycles,instructions"), missing);
  ASSERT_TRUE(recorder->name_kinds(kNames).ok());
  ASSERT_TRUE(recorder->name_kinds(hardware.names()).ok());
  const auto at = [&](std::int64_t us, std::uint64_t cycles, std::uint64_t instructions) {
    const std::int64_t ns = us * 1000;
    recorder->record(make_event(kFirstHardware, Phase::counter, ns, ns, {.bytes = cycles}));
    recorder->record(make_event(kind_of(kFirstHardware, 1), Phase::counter, ns, ns, {.bytes = instructions}));
  };
  at(10, 1000, 5000);  // outer begins
  for (const std::int64_t begin : {20, 40}) {
    at(begin, 1000 + 100 * std::uint64_t(begin), 6000);
    at(begin + 10, 1500 + 100 * std::uint64_t(begin), 6600);
    recorder->record(event_at(kInner, begin, begin + 10));
  }
  at(60, 11'000, 25'000);
  recorder->record(event_at(kOuter, 10, 60));
  ASSERT_TRUE(recorder->close().ok());
  const auto analysis = analyse_directory(directory_);
  ASSERT_TRUE(analysis.ok()) << analysis.status().to_string();
  ASSERT_EQ(analysis->hardware.size(), 2u);
  const RegionCounts& outer = analysis->hardware.at("outer");
  const RegionCounts& inner = analysis->hardware.at("inner");
  EXPECT_EQ(outer.times, 1u);
  EXPECT_EQ(outer.counts.at("cycles"), 10'000u);
  EXPECT_EQ(outer.counts.at("instructions"), 20'000u);
  EXPECT_EQ(inner.times, 2u);
  EXPECT_EQ(inner.counts.at("cycles"), 1000u);
  EXPECT_EQ(inner.counts.at("instructions"), 1200u);
  EXPECT_THAT(stats_text(*analysis),
              HasSubstr("  outer, 1 times: cycles 10000 instructions 20000, 2.00 instructions a cycle\n"));
  EXPECT_THAT(stats_json(*analysis), HasSubstr("\"inner\":{\"times\":2,\"cycles\":1000,\"instructions\":1200}"));
}

}  // namespace
}  // namespace polder::trace
