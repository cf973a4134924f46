#include "bootstrap/standing.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace polder::bootstrap {
namespace {

LongWait wait_of(const std::string& what, std::int64_t since_ns) {
  LongWait wait;
  wait.since_ns = since_ns;
  wait.say(what);
  return wait;
}

class StandingTest : public testing::Test {
 protected:
  std::unique_ptr<Standing> standing_{new Standing()};  // value-initialised: all zeros, as a fresh page is
};

TEST_F(StandingTest, SaysNothingAtFirst) {
  EXPECT_FALSE(standing_->read(1));
  EXPECT_EQ(standing_->counts().sleeps, 0u);
}

TEST_F(StandingTest, ShowsWhatWasSaidUntilItIsOver) {
  LongWait wait = wait_of("in barrier of the world", 7);
  wait.meeting = 42;
  for (Rank rank = 100; rank < 100 + LongWait::kNamed + 3; ++rank) wait.wait_for(rank);
  ASSERT_TRUE(standing_->take());
  standing_->show(wait);
  const auto seen = standing_->read(8);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->text(), "in barrier of the world");
  EXPECT_EQ(seen->since_ns, 7);
  EXPECT_EQ(seen->meeting, 42u);
  EXPECT_EQ(seen->missing, LongWait::kNamed + 3);
  EXPECT_EQ(seen->named(), LongWait::kNamed);
  EXPECT_EQ(seen->whom.back(), 100 + LongWait::kNamed - 1);
  standing_->give_back();
  EXPECT_FALSE(standing_->read(8));
}

TEST_F(StandingTest, IsOneThreadsAtATime) {
  ASSERT_TRUE(standing_->take());
  EXPECT_FALSE(standing_->take());
  standing_->give_back();
  EXPECT_TRUE(standing_->take());
  standing_->give_back();
}

TEST_F(StandingTest, APauseBetweenSlicesIsForgottenAfterAWhile) {
  LongWait wait = wait_of("in barrier of the world", 1'000);
  wait.paused_ns = 1'000'000'000;
  ASSERT_TRUE(standing_->take());
  standing_->give_back(wait);
  EXPECT_TRUE(standing_->read(wait.paused_ns + 1'000'000));
  EXPECT_FALSE(standing_->read(wait.paused_ns + 1'000'000'000));
}

TEST_F(StandingTest, CutsWhatIsTooLong) {
  const std::string text(100, 'x');
  EXPECT_EQ(wait_of(text, 1).text(), text.substr(0, LongWait().what.size()));
}

TEST_F(StandingTest, Counts) {
  standing_->count_sleep(5);
  standing_->count_sleep(-1);  // a clock that goes backwards adds nothing
  standing_->count_collective();
  standing_->count_posted(100);
  standing_->count_posted(20);
  const Standing::Counts counts = standing_->counts();
  EXPECT_EQ(counts.sleeps, 2u);
  EXPECT_EQ(counts.asleep_ns, 5u);
  EXPECT_EQ(counts.collectives, 1u);
  EXPECT_EQ(counts.posted, 2u);
  EXPECT_EQ(counts.posted_bytes, 120u);
}

// Half of one text and half of another would be the mistake.
TEST_F(StandingTest, ReadersSeeWholeTexts) {
  std::atomic<bool> over{false};
  std::thread writer([&] {
    ASSERT_TRUE(standing_->take());
    for (int i = 0; i < 200'000; ++i) {
      const char letter = char('a' + i % 26);
      LongWait wait = wait_of(std::string(64, letter), letter);
      wait.meeting = static_cast<unsigned char>(letter);
      standing_->show(wait);
    }
    standing_->give_back();
    over = true;
  });
  do {
    const auto wait = standing_->read(1);
    if (!wait) continue;
    ASSERT_EQ(wait->text(), std::string(64, char(wait->since_ns)));
    ASSERT_EQ(wait->meeting, std::uint64_t(wait->since_ns));
  } while (!over);
  writer.join();
  EXPECT_FALSE(standing_->read(1));
}

}  // namespace
}  // namespace polder::bootstrap
