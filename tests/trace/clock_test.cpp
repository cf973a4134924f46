// Two machines whose clocks are shifted against each other, and of which one runs too fast: what the program sent back
// and forth brings them together.
#include "trace/analyse/survey.hpp"
#include "trace/read/job.hpp"
#include "trace_fixture.hpp"

#include <cstdlib>

namespace polder::trace {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kTravel = 3'000, kCall = 1'000;
constexpr std::uint32_t kMessages = 500;

// What the clock of rank 1's machine shows where that of rank 0 shows `ns`.
struct OtherClock {
  std::int64_t shift_ns = 0;
  double drift = 0;
  std::int64_t at(std::int64_t ns) const { return ns + shift_ns + std::int64_t(double(ns - 5 * kSecond) * drift); }
};

class ClocksTest : public TraceTest, public testing::WithParamInterface<OtherClock> {
 protected:
  std::int64_t clock_of(Rank rank, std::int64_t ns) const { return rank == 0 ? ns : GetParam().at(ns); }

  void start() {
    for (const Rank rank : {0, 1}) {
      RecorderOptions here = options(rank, 2);
      here.host = "machine" + std::to_string(rank);
      time_.now = clock_of(rank, 5 * kSecond);
      ranks_[rank] = open(here);
    }
  }
  void finish() {
    for (const Rank rank : {0, 1}) {
      time_.now = clock_of(rank, 6 * kSecond);
      ranks_[rank].reset();
    }
  }

  void record(Rank rank, EventKind kind, std::int64_t begin, std::int64_t end, const Details& details) {
    ranks_[rank]->record(make_event(kind, Phase::span, clock_of(rank, begin), clock_of(rank, end), details));
  }
  // Posted at `at`, seen after its travel by one that waited.
  void notify(Rank from, std::int64_t at, std::uint32_t value) {
    const Rank to = 1 - from;
    record(from, EventKind::put_notify, at, at + kCall,
           {.peer = to, .segment = 1, .bytes = 8, .notification = 0, .value = value});
    record(to, EventKind::wait_some, at - kCall, at + kTravel, {.segment = 1, .notification = 0});
    record(to, EventKind::reset, at + kTravel, at + kTravel + kCall, {.segment = 1, .notification = 0, .value = value});
  }

  // A question for the other's clock, and its answer.
  void ask(std::int64_t at) {
    const SyncRecord sync{.peer = 0,
                          .asked = clock_of(1, at),
                          .answered = clock_of(1, at + 2 * kTravel),
                          .peer_ticks = clock_of(0, at + kTravel)};
    ranks_[1]->note_sync({&sync, 1});
  }

  // With a value of its own each time, or always the same.
  void talk(bool counts = true) {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const std::int64_t at = 5 * kSecond + std::int64_t(i + 1) * (kSecond / (kMessages + 2));
      notify(0, at, counts ? i + 1 : 1);
      notify(1, at + 100 * kCall, counts ? i + 1 : 1);
    }
  }

  void check_flows();

  std::unique_ptr<Recorder> ranks_[2];
};

TEST_P(ClocksTest, NothingIsReceivedBeforeItWasSent) {
  start();
  talk();
  finish();
  check_flows();
}

// What was posted before the records began was taken when they had begun.
TEST_P(ClocksTest, WhatWasNotRecordedLeadsNothingAstray) {
  start();
  ask(5 * kSecond);
  for (const Rank rank : {0, 1})
    record(rank, EventKind::reset, 5 * kSecond + kTravel, 5 * kSecond + 2 * kTravel,
           {.segment = 1, .notification = 0, .value = 1});
  talk(false);
  ask(6 * kSecond - 2 * kTravel);
  finish();
  check_flows();
}

void ClocksTest::check_flows() {
  auto job = Job::open(directory_);
  ASSERT_TRUE(job.ok()) << job.status().to_string();
  ASSERT_TRUE(align_clocks(*job).ok());
  std::int64_t shortest = INT64_MAX, longest = INT64_MIN;
  const auto counts = survey(*job, {.flow =
                                        [&](const Flow& flow) {
                                          shortest = std::min(shortest, flow.received_ns - flow.sent_ns);
                                          longest = std::max(longest, flow.received_ns - flow.sent_ns);
                                        },
                                    .meeting = {}});
  ASSERT_TRUE(counts.ok()) << counts.status().to_string();
  EXPECT_EQ(counts->flows, 2 * kMessages);
  EXPECT_EQ(counts->most_backwards_ns, 0);
  // Each way took 3 us in truth; the error that remains is at most that.
  EXPECT_GE(shortest, 0);
  EXPECT_LE(longest, 2 * kTravel);
  const std::vector<std::string> remarks = job->remarks();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].find("the clock of machine1"), std::string::npos) << remarks[0];
  EXPECT_NE(remarks[0].find(", right to "), std::string::npos) << remarks[0];
}

INSTANTIATE_TEST_SUITE_P(Shifts, ClocksTest,
                         testing::Values(OtherClock{0, 0}, OtherClock{-kSecond, 0}, OtherClock{kSecond * 3600, 0},
                                         OtherClock{-kSecond, 100e-6}, OtherClock{7 * kSecond, -250e-6},
                                         OtherClock{12'345, 1e-6}));

}  // namespace
}  // namespace polder::trace
