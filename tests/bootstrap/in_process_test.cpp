#include "bootstrap/local/in_process.hpp"

#include <gtest/gtest.h>

namespace polder::bootstrap::local {
namespace {

TEST(InProcessJobTest, ASlotIsAttachedOnce) {
  auto job = InProcessJob::create(2);
  ASSERT_TRUE(job.ok());
  auto first = job->attach(0);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(job->attach(0).status().code(), Code::exists);
  (*first)->finish();
  EXPECT_EQ(job->attach(0).status().code(), Code::closed);
  EXPECT_EQ(job->attach(2).status().code(), Code::invalid_rank);
}

TEST(InProcessJobTest, TakesOptions) {
  auto job = InProcessJob::create(3, {.spares = 1, .cores = 64});
  ASSERT_TRUE(job.ok());
  auto rank = job->attach(0);
  ASSERT_TRUE(rank.ok());
  EXPECT_EQ((*rank)->job().spares, 1u);
  EXPECT_EQ((*rank)->job().cores, 64);
  EXPECT_EQ((*rank)->job().size, 3u);
}

TEST(InProcessJobTest, BootstrapsOutliveTheJob) {
  std::unique_ptr<Bootstrap> rank;
  {
    auto job = InProcessJob::create(1);
    ASSERT_TRUE(job.ok());
    rank = *job->attach(0);
  }
  EXPECT_TRUE(rank->publish("key", {}).ok());
  EXPECT_EQ(rank->health(0), Health::healthy);
}

TEST(InProcessJobTest, RefusesNoRanks) {
  EXPECT_EQ(InProcessJob::create(0).status().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace polder::bootstrap::local
