// What is written as OTF2, read back by that library's own programs. Skipped where they are not installed.
#include "trace/convert/convert.hpp"

#include "trace_fixture.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#ifndef POLDER_TEST_SOURCE
#error the folder of this file is needed
#endif

namespace polder::trace {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr EventKind kSolve = EventKind::first_user, kLevel = kind_of(EventKind::first_user, 1),
                    kMark = kind_of(EventKind::first_user, 2);
constexpr KindName kNames[] = {{kSolve, EventKind::region, "solve", "user"},
                               {kLevel, EventKind::user_counter, "residual", "user"},
                               {kMark, EventKind::user_mark, "here", "user"}};

std::pair<int, std::string> outcome_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, got);
  const int status = ::pclose(pipe);
  return {WEXITSTATUS(status), output};
}

class Otf2Test : public TraceTest {
 protected:
  // What the strict reader finds, a line each; begins with "skip" where it is not there.
  std::string contents() const {
    const auto [code, text] =
        outcome_of("PYTHONDONTWRITEBYTECODE=1 python3 " POLDER_TEST_SOURCE "/check_otf2.py " + archive());
    if (code == 77) return "skip";
    return code == 0 ? "\n" + text : "DEFECTS\n" + text;
  }
  std::string archive() const { return directory_ + "/trace.otf2"; }
  bool can_write() const { return convert(directory_, "otf2", "").status().code() != Code::unsupported; }

  void write_job() {
    auto first = open(options(0, 3)), second = open(options(1, 3)), third = open(options(2, 3));
    for (const auto* recorder : {&first, &second, &third}) ASSERT_TRUE((*recorder)->name_kinds(kNames).ok());
    const Rank members[] = {0, 2};
    first->define_group(9, members);
    first->record(event_at(EventKind::put, 10, 12, {.peer = 1, .segment = 7, .bytes = 64, .queue = 2}));
    first->record(event_at(EventKind::put_notify, 14, 15,
                           {.peer = 1, .segment = 7, .bytes = 8, .queue = 2, .notification = 3, .value = 9}));
    first->record(event_at(EventKind::queue_wait, 16, 18, {.queue = 2}));
    first->record(make_event(EventKind::put, Phase::span, 19'000, 20'000,
                             {.peer = 1, .segment = 7, .bytes = 64, .queue = 2}, Code::queue_full));
    first->record(event_at(EventKind::get, 21, 22, {.peer = 2, .segment = 8, .bytes = 16}));
    first->record(event_at(EventKind::atomic, 23, 24, {.peer = 2, .segment = 8, .bytes = 8}));
    first->record(event_at(kSolve, 5, 30));
    first->record(event_at(EventKind::barrier, 40, 60, {.segment = 9}));
    first->record(event_at(EventKind::lock, 70, 75, {.peer = 2, .value = 4}));
    first->record(event_at(EventKind::unlock, 76, 77, {.peer = 2, .value = 4}));
    first->record(make_event(kLevel, Phase::counter, 25'000, 25'000, {.bytes = 17}));
    first->record(make_event(kMark, Phase::mark, 26'000, 26'000, {.bytes = 18}));
    second->record(event_at(EventKind::wait_some, 2, 16, {.segment = 7, .notification = 3}));
    second->record(event_at(EventKind::reset, 16, 17, {.segment = 7, .notification = 3, .value = 9}));
    third->record(event_at(EventKind::barrier, 45, 60, {.segment = 9}));
    third->record(make_event(EventKind::allreduce, Phase::async, 62'000, 90'000, {.segment = 1, .bytes = 8}));
    third->record(event_at(kSolve, 65, 95));
  }
};

TEST_F(Otf2Test, CallsAreRegionsWithOneSidedRecords) {
  write_job();
  const auto report = convert(directory_, "otf2", "");
  if (report.status().code() == Code::unsupported) GTEST_SKIP() << report.status().to_string();
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_EQ(report->events, 17u);
  EXPECT_EQ(report->flows, 1u);
  const std::string found = contents();
  if (found == "skip") GTEST_SKIP() << "python3-otf2 is not installed";
  EXPECT_THAT(found, HasSubstr("\nEnter 15\n"));
  EXPECT_THAT(found, HasSubstr("\nLeave 15\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaPut 2\n")) << "that which failed has moved nothing";
  EXPECT_THAT(found, HasSubstr("\nRmaOpCompleteNonBlocking 2\n")) << "both, by the wait for their queue";
  EXPECT_THAT(found, HasSubstr("\nRmaGet 1\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaAtomic 1\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaOpCompleteBlocking 2\n"));
  EXPECT_THAT(found, HasSubstr("\nnotified 1\n"));
  EXPECT_THAT(found, HasSubstr("\nseen 1\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaWaitChange 1\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaCollectiveBegin 3\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaCollectiveEnd 3\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaRequestLock 1\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaAcquireLock 1\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaReleaseLock 1\n"));
  EXPECT_THAT(found, HasSubstr("\nMetric 1\n"));
  EXPECT_THAT(found, HasSubstr("\ncommunicator world: 3\n"));
  EXPECT_THAT(found, HasSubstr("\ncommunicator group of 2, 9: 2\n"));
  EXPECT_THAT(found, HasSubstr("\nwindow segment 7 of world\n"));
  EXPECT_THAT(found, HasSubstr("\nwindow collectives of group 9 of group of 2, 9\n"));
  EXPECT_THAT(found, HasSubstr("\nregion barrier: BARRIER\n"));
  EXPECT_THAT(found, HasSubstr("\nregion put_notify: RMA\n"));
  EXPECT_THAT(found, HasSubstr("\nnode node7\n"));
}

TEST_F(Otf2Test, TheLibrarysPrinterReadsIt) {
  write_job();
  if (!can_write()) GTEST_SKIP() << "built without OTF2";
  if (outcome_of("command -v otf2-print").first != 0) GTEST_SKIP() << "otf2-tools is not installed";
  const auto [code, text] = outcome_of("otf2-print " + archive() + "/traces.otf2");
  EXPECT_EQ(code, 0) << text;
  EXPECT_THAT(text, HasSubstr("RMA_PUT"));
  EXPECT_THAT(text, HasSubstr("NOTIFY_OUT"));
  EXPECT_THAT(text, Not(HasSubstr("UNKNOWN_EVENT")));
}

TEST_F(Otf2Test, ARankWithoutAFileKeepsItsPlace) {
  write_job();
  std::filesystem::remove(file_path(directory_, 1));
  if (!can_write()) GTEST_SKIP() << "built without OTF2";
  const std::string found = contents();
  if (found == "skip") GTEST_SKIP() << "python3-otf2 is not installed";
  EXPECT_THAT(found, HasSubstr("\nlocation rank 1, thread 0: 0\n"));
  EXPECT_THAT(found, HasSubstr("\nRmaPut 2\n"));
}

// As a damaged file may have them: calls that overlap, backwards, of a thread nobody announced.
TEST_F(Otf2Test, CallsThatDoNotNestAreMadeTo) {
  auto only = open(options());
  only->record(event_at(EventKind::fence, 10, 30));
  only->record(event_at(EventKind::fence, 20, 40));
  only->record(event_at(EventKind::fence, 20, 20));
  ASSERT_TRUE(only->close().ok());
  if (!can_write()) GTEST_SKIP() << "built without OTF2";
  const std::string found = contents();
  if (found == "skip") GTEST_SKIP() << "python3-otf2 is not installed";
  EXPECT_THAT(found, HasSubstr("\nEnter 3\n"));
}

TEST_F(Otf2Test, AnArchiveIsReplacedAndNothingElse) {
  write_job();
  if (!can_write()) GTEST_SKIP() << "built without OTF2";
  EXPECT_TRUE(convert(directory_, "otf2", "").ok()) << "once more";
  EXPECT_FALSE(std::filesystem::exists(archive() + ".part"));
  std::ofstream(archive() + ".part") << "somebody's";
  const std::string link = directory_ + "/link";
  std::filesystem::create_symlink(archive(), link);
  EXPECT_TRUE(convert(directory_, "otf2", link).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_regular_file(archive() + ".part"));
  const std::string other = directory_ + "/notes";
  std::ofstream(other) << "not to be lost";
  const auto refused = convert(directory_, "otf2", other);
  EXPECT_EQ(refused.status().code(), Code::system);
  EXPECT_THAT(refused.status().to_string(), HasSubstr("no OTF2 archive"));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_EQ(convert(directory_, "otf2", "/proc/nowhere/trace").status().code(), Code::system);
}

}  // namespace
}  // namespace polder::trace
