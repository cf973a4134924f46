// What stands in the traces of programs that run: bytes, outcomes, and nothing under names that are none.
#include "core/ranks.hpp"
#include "trace/analyse/analysis.hpp"
#include "trace/read/job.hpp"
#include "trace/report/stats.hpp"

#include <polder/trace.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace polder::test {
namespace {

using trace::Event;
using trace::EventKind;

class Recorded : public testing::Test {
 protected:
  Recorded() {
    std::string pattern = (std::filesystem::temp_directory_path() / "polder-recorded-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    directory_ = pattern;
    setenv("POLDER_TRACE", pattern.c_str(), 1);
  }
  ~Recorded() override {
    unsetenv("POLDER_TRACE");
    std::filesystem::remove_all(directory_);
  }

  template <class Body>
  static void run(Rank ranks, Body&& body) {
    const World world{SimulatedDevice::network, ranks, 2000, 0, true};
    Simulation simulation(world.ranks, world.options());
    run_ranks(simulation, [&](Runtime& rt) { body(rt, simulation); });
  }

  // Of `kind` at `rank`.
  std::vector<Event> events_of(Rank rank, EventKind kind) const {
    std::vector<Event> found;
    const auto file = trace::read_trace(trace::file_path(directory_, rank), [&](std::span<const Event> events) {
      for (const Event& event : events)
        if (event.kind == kind) found.push_back(event);
    });
    EXPECT_TRUE(ok(file));
    return found;
  }

  std::string directory_;
};

TEST_F(Recorded, StridedTransfersAndListsHaveTheirBytes) {
  constexpr int kPuts = 20;
  constexpr std::size_t kRow = 1 << 12, kRows = 16;
  run(2, [&](Runtime& rt, Simulation&) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 1 << 20, .id = 1, .notifications = 64}, rt.world(), kPatience)));
    std::vector<std::byte> mine(1 << 18);  // until all of it has arrived
    if (rt.rank() == 0) {
      const std::array<std::size_t, 1> counts = {kRows};
      const std::array<std::ptrdiff_t, 1> strides = {2 * kRow};
      const Strided rows{kRow, counts, strides, strides};
      const std::array<ListItem, 2> items = {{{0, 0, 64}, {128, 256, 8}}};
      for (int i = 0; i < kPuts; ++i) ASSERT_TRUE(ok(rt.put(mine.data(), {1, 1, 0}, rows, kPatience)));
      ASSERT_TRUE(ok(rt.get(mine.data(), {1, 1, 0}, std::span<const ListItem>(items), kPatience)));
      ASSERT_TRUE(ok(rt.put_notify(mine.data(), {1, 1, 0}, rows, {.id = 3}, kPatience)));
      ASSERT_TRUE(ok(rt.accumulate({Reduction::sum, DataType::uint64}, mine.data(), {1, 1, 0}, rows, kPatience)));
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
  const auto puts = events_of(0, EventKind::put), gets = events_of(0, EventKind::get);
  ASSERT_EQ(puts.size(), std::size_t{kPuts});
  for (const Event& put : puts) EXPECT_EQ(put.bytes, kRow * kRows);
  ASSERT_EQ(gets.size(), 1u);
  EXPECT_EQ(gets[0].bytes, 72u);
  for (const EventKind kind : {EventKind::put_notify, EventKind::accumulate}) {
    ASSERT_EQ(events_of(0, kind).size(), 1u);
    EXPECT_EQ(events_of(0, kind)[0].bytes, kRow * kRows);
  }
  const auto analysis = trace::analyse_directory(directory_);
  ASSERT_TRUE(ok(analysis));
  for (const trace::Loss& loss : analysis->losses)
    EXPECT_NE(loss.cause, trace::Cause::tiny_puts) << stats_text(*analysis);
}

TEST_F(Recorded, WhatTimedOutOrFailedIsNotOk) {
  run(2, [](Runtime& rt, Simulation& simulation) {
    if (rt.rank() == 1) simulation.sleep(1'000'000'000);
    auto group = rt.create_group(0, 2);
    ASSERT_TRUE(ok(group));
    Status status = (*group)->commit(std::chrono::milliseconds(1));
    while (status.timed_out()) status = (*group)->commit(kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(rt.send(0, kMessageIdLimit, {}, kPatience).code(), Code::invalid_argument);
    EXPECT_EQ(rt.delete_segment(99).code(), Code::invalid_segment);
    EXPECT_EQ(rt.reset(99, 0).status().code(), Code::invalid_segment);
  });
  const auto outcomes = [&](EventKind kind) {
    std::vector<Code> codes;
    for (const Event& event : events_of(0, kind)) codes.push_back(event.outcome);
    return codes;
  };
  EXPECT_EQ(outcomes(EventKind::group_create), (std::vector<Code>{Code::ok, Code::timeout, Code::ok}));
  EXPECT_EQ(outcomes(EventKind::message), std::vector<Code>{Code::invalid_argument});
  EXPECT_EQ(outcomes(EventKind::reset), std::vector<Code>{Code::invalid_segment});
  EXPECT_EQ(outcomes(EventKind::segment_delete), std::vector<Code>{Code::invalid_segment});
}

TEST_F(Recorded, ANameThatIsNoneLeavesNothing) {
  run(1, [](Runtime& rt, Simulation&) {
    const TraceName none(std::string(300, 'x').c_str());
    ASSERT_EQ(none.number(), 0);
    const Trace trace = Trace::of(rt);
    ASSERT_TRUE(trace.active());
    const TraceRegion region(trace, none);
    trace.mark(none, 7);
    trace.count(none, 8);
  });
  EXPECT_TRUE(events_of(0, EventKind::none).empty());
}

}  // namespace
}  // namespace polder::test
