#include "bootstrap/local/job_page.hpp"

#include "util/cpu.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

namespace polder::bootstrap::local {
namespace {

std::string path_of(const util::Fd& file) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file.get());
}

std::shared_ptr<JobPage> make_page(Rank size) {
  auto page = JobPage::create({.size = size});
  EXPECT_TRUE(page.ok()) << page.status().to_string();
  return *std::move(page);
}

TEST(JobPageTest, DescribesTheJob) {
  auto made = JobPage::create({.size = 6, .spares = 2, .launcher = 77, .news_file = 5});
  ASSERT_TRUE(made.ok());
  const JobHeader& header = (*made)->header();
  EXPECT_EQ(header.size, 6u);
  EXPECT_EQ(header.spares, 2u);
  EXPECT_EQ(header.launcher, 77);
  EXPECT_EQ(header.news_file, 5);
  EXPECT_EQ(int(header.cores), util::usable_cores());
  char host[256];
  ASSERT_EQ(gethostname(host, sizeof host), 0);
  EXPECT_STREQ(header.host, host);
  EXPECT_NE(header.id, make_page(1)->header().id);
}

TEST(JobPageTest, TheSamePageOpenedAgainShowsChanges) {
  auto page = make_page(3);
  auto again = JobPage::open(path_of(page->file()));
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ((*again)->header().id, page->header().id);
  const std::string value = "value";
  ASSERT_TRUE(page->store(2).append("key", std::as_bytes(std::span(value))).ok());
  EXPECT_TRUE((*again)->store(2).find("key").has_value());
  EXPECT_FALSE((*again)->store(1).find("key").has_value());
}

TEST(JobPageTest, RefusesImpossibleSizes) {
  EXPECT_EQ(JobPage::create({.size = 0}).status().code(), Code::invalid_argument);
  EXPECT_EQ(JobPage::create({.size = kMaxRanks + 1}).status().code(), Code::invalid_argument);
}

TEST(JobPageTest, TheLargestJobCostsMemoryOnlyWhereItIsUsed) {
  auto page = make_page(kMaxRanks);
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(page->state(kMaxRanks - 1), RankState::starting);
  EXPECT_TRUE(page->store(kMaxRanks - 1).append("key", {}).ok());
}

TEST(JobPageTest, RefusesOtherFiles) {
  auto small = util::create_memory_file("small", 100);
  EXPECT_EQ(JobPage::open(path_of(*small)).status().code(), Code::invalid_argument);
  auto zeros = util::create_memory_file("zeros", 1 << 20);
  const auto status = JobPage::open(path_of(*zeros)).status();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find(path_of(*zeros)), std::string_view::npos);
}

TEST(JobPageTest, RefusesAnotherLayout) {
  auto page = make_page(1);
  ++page->header().version;
  const auto status = JobPage::open(path_of(page->file())).status();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("same release"), std::string_view::npos);
}

TEST(JobPageTest, RefusesASizeThatDoesNotFitTheFile) {
  auto page = make_page(2);
  page->header().size = 3;
  EXPECT_EQ(JobPage::open(path_of(page->file())).status().code(), Code::invalid_argument);
}

TEST(JobPageTest, NoSuchProcessMeansTheLauncherIsGone) {
  const auto status = JobPage::open("/proc/4194305/fd/3").status();  // above the largest process id there can be
  EXPECT_EQ(status.code(), Code::peer_failed);
  EXPECT_EQ(status.died(), Died::runtime);
}

TEST(JobPageTest, AnEndIsFinal) {
  auto page = make_page(2);
  EXPECT_TRUE(page->declare_failed(0));
  EXPECT_FALSE(page->declare_failed(0));
  EXPECT_FALSE(page->declare_finished(0));
  EXPECT_EQ(page->state(0), RankState::failed);
  EXPECT_TRUE(page->declare_finished(1));
  EXPECT_FALSE(page->declare_failed(1));
  EXPECT_EQ(page->state(1), RankState::finished);
  EXPECT_EQ(page->header().health_changes.load(), 2u);
}

TEST(JobPageTest, ARuntimeThatNeverBeganIsNoneToStayFor) {
  auto page = make_page(1);
  ASSERT_TRUE(page->enter(0).ok());
  EXPECT_TRUE(page->give_up(0));
  EXPECT_EQ(page->state(0), RankState::attached);
  ASSERT_TRUE(page->enter(0).ok());
  EXPECT_TRUE(page->declare_finished(0));
  EXPECT_EQ(page->state(0), RankState::finished);
}

// Its process has none any more, in whichever order the two have ended.
TEST(JobPageTest, TheLastOneThatNeverBeganFinishesForAnotherThatHas) {
  auto page = make_page(1);
  page->slot(0).process = getpid();
  ASSERT_TRUE(page->enter(0).ok() && page->enter(0).ok());
  EXPECT_FALSE(page->declare_finished(0));
  EXPECT_EQ(page->state(0), RankState::attached);
  EXPECT_TRUE(page->give_up(0));
  EXPECT_EQ(page->state(0), RankState::finished);
  ASSERT_TRUE(page->enter(0).ok());
  EXPECT_EQ(page->state(0), RankState::attached);
  EXPECT_TRUE(page->declare_finished(0));
  EXPECT_EQ(page->state(0), RankState::finished);
}

TEST(JobPageTest, ARuntimeIsMadeWhileTheLastOneEnds) {
  constexpr int kTurns = 20'000;
  auto page = make_page(1);
  page->slot(0).process = getpid();
  ASSERT_TRUE(page->enter(0).ok());
  std::atomic<int> begun{0}, ended{0};
  std::thread ends([&] {
    for (int turn = 1; turn <= kTurns; ++turn) {
      while (begun.load() < turn) std::this_thread::yield();
      page->declare_finished(0);
      ended = turn;
    }
  });
  int lost = 0;
  for (int turn = 1; turn <= kTurns; ++turn) {
    begun = turn;
    EXPECT_TRUE(page->enter(0).ok());
    while (ended.load() < turn) std::this_thread::yield();
    lost += page->state(0) != RankState::attached;
  }
  ends.join();
  EXPECT_EQ(lost, 0);
}

TEST(JobPageTest, TheFirstAbortCounts) {
  auto page = make_page(2);
  EXPECT_EQ(page->abort_request(), nullptr);
  EXPECT_TRUE(page->request_abort(1, 7, std::string(5000, 'x')));
  EXPECT_FALSE(page->request_abort(0, 8, "later"));
  const AbortRequest* request = page->abort_request();
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->rank, 1u);
  EXPECT_EQ(request->code, 7);
  EXPECT_EQ(request->text(), std::string(AbortRequest::kReasonBytes, 'x'));
  page->header().abort.reason_bytes = ~0u;  // of a process gone mad: what lies behind the text is none of it
  EXPECT_EQ(request->text().size(), AbortRequest::kReasonBytes);
}

}  // namespace
}  // namespace polder::bootstrap::local
