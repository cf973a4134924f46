// The contract of bootstrap.hpp, over threads of this process.

#include "bootstrap/local/in_process.hpp"
#include "bootstrap/local/record_store.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace polder::bootstrap::local {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const Result<std::vector<std::byte>>& value) {
  if (!value) return value.status().to_string();
  return {reinterpret_cast<const char*>(value->data()), value->size()};
}

class LocalBootstrapTest : public testing::Test {
 protected:
  static constexpr Rank kSize = 4;

  LocalBootstrapTest() : job_(*InProcessJob::create(kSize)) {
    for (Rank rank = 0; rank < kSize; ++rank) ranks_.push_back(*job_.attach(rank));
  }
  Bootstrap& rank(Rank number) { return *ranks_[number]; }

  InProcessJob job_;
  std::vector<std::unique_ptr<Bootstrap>> ranks_;
};

TEST_F(LocalBootstrapTest, EveryRankKnowsTheJob) {
  for (Rank r = 0; r < kSize; ++r) {
    const Job& job = rank(r).job();
    EXPECT_EQ(job.rank, r);
    EXPECT_EQ(job.size, kSize);
    EXPECT_EQ(job.local_rank, r);
    EXPECT_EQ(job.local_size, kSize);
    EXPECT_GE(job.cores, 1);
    EXPECT_EQ(job.id, rank(0).job().id);
    EXPECT_FALSE(job.host.empty());
    EXPECT_TRUE(rank(r).same_node(kSize - 1));
    EXPECT_FALSE(rank(r).same_node(kSize));
  }
}

TEST_F(LocalBootstrapTest, AllSeeWhatOnePublishes) {
  ASSERT_TRUE(rank(1).publish("address", bytes_of("here")).ok());
  for (Rank r = 0; r < kSize; ++r) EXPECT_EQ(text_of(rank(r).lookup(1, "address", Timeout::test())), "here");
  EXPECT_EQ(rank(0).lookup(2, "address", Timeout::test()).status().code(), Code::timeout);
}

TEST_F(LocalBootstrapTest, LookupWaitsForTheOwner) {
  std::jthread later([&] {
    std::this_thread::sleep_for(20ms);
    EXPECT_TRUE(rank(3).publish("late", bytes_of("now")).ok());
  });
  EXPECT_EQ(text_of(rank(0).lookup(3, "late", Timeout::block())), "now");
}

TEST_F(LocalBootstrapTest, LookupGivesUpInTime) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(rank(0).lookup(1, "never", 30ms).status().code(), Code::timeout);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 30ms);
}

TEST_F(LocalBootstrapTest, LookupEndsWhenTheOwnerFails) {
  std::jthread killer([&] {
    std::this_thread::sleep_for(20ms);
    EXPECT_TRUE(rank(2).kill(1).ok());
  });
  const auto value = rank(0).lookup(1, "never", Timeout::block());
  EXPECT_EQ(value.status().code(), Code::peer_failed);
  EXPECT_NE(value.status().message().find("rank 1 failed"), std::string_view::npos);
  EXPECT_NE(value.status().message().find("'never'"), std::string_view::npos);
}

TEST_F(LocalBootstrapTest, LookupEndsWhenTheOwnerFinishes) {
  std::jthread finisher([&] {
    std::this_thread::sleep_for(20ms);
    rank(1).finish();
  });
  EXPECT_EQ(rank(0).lookup(1, "never", Timeout::block()).status().code(), Code::peer_failed);
}

TEST_F(LocalBootstrapTest, WhatADeadRankPublishedStays) {
  ASSERT_TRUE(rank(1).publish("will", bytes_of("testament")).ok());
  ASSERT_TRUE(job_.fail(1));
  EXPECT_EQ(text_of(rank(0).lookup(1, "will", Timeout::test())), "testament");
}

TEST_F(LocalBootstrapTest, AKeyIsPublishedOnce) {
  ASSERT_TRUE(rank(0).publish("key", bytes_of("one")).ok());
  const Status again = rank(0).publish("key", bytes_of("two"));
  EXPECT_EQ(again.code(), Code::exists);
  EXPECT_NE(again.message().find("'key'"), std::string_view::npos);
  EXPECT_TRUE(rank(1).publish("key", bytes_of("other rank")).ok());
  EXPECT_EQ(text_of(rank(2).lookup(0, "key", Timeout::test())), "one");
}

TEST_F(LocalBootstrapTest, SizesHaveLimits) {
  const std::string large(kMaxValueBytes + 1, 'x');
  EXPECT_EQ(rank(0).publish("key", bytes_of(large)).code(), Code::invalid_size);
  EXPECT_TRUE(rank(0).publish("key", bytes_of(large).first(kMaxValueBytes)).ok());
  EXPECT_EQ(rank(0).publish("", {}).code(), Code::invalid_argument);
  EXPECT_EQ(rank(0).publish(std::string(kMaxKeyBytes + 1, 'k'), {}).code(), Code::invalid_argument);
  EXPECT_TRUE(rank(0).publish(std::string(kMaxKeyBytes, 'k'), {}).ok());
}

TEST_F(LocalBootstrapTest, AFullStoreIsNamed) {
  const std::string value(kMaxValueBytes, 'x');
  Status status;
  for (int i = 0; status.ok() && i < 100; ++i) status = rank(2).publish(std::to_string(i), bytes_of(value));
  EXPECT_EQ(status.code(), Code::limit);
  EXPECT_NE(status.message().find("rank 2"), std::string_view::npos);
  EXPECT_TRUE(rank(1).publish("mine", bytes_of(value)).ok());
}

TEST_F(LocalBootstrapTest, HealthChangesAreCounted) {
  const auto& changes = rank(0).health_changes();
  const std::uint32_t before = changes.load();
  for (Rank r = 0; r < kSize; ++r) EXPECT_EQ(rank(0).health(r), Health::healthy);
  rank(1).finish();
  rank(3).report_failure(2);
  EXPECT_EQ(rank(0).health(1), Health::finished);
  EXPECT_EQ(rank(0).health(2), Health::failed);
  EXPECT_EQ(rank(0).health(3), Health::healthy);
  EXPECT_EQ(changes.load(), before + 2);
  rank(0).report_failure(1);  // an end in good order stays one
  EXPECT_EQ(rank(0).health(1), Health::finished);
  EXPECT_EQ(changes.load(), before + 2);
}

TEST_F(LocalBootstrapTest, RanksOutsideTheJobAreRefused) {
  EXPECT_EQ(rank(0).lookup(kSize, "key", Timeout::test()).status().code(), Code::invalid_rank);
  EXPECT_EQ(rank(0).kill(kSize).code(), Code::invalid_rank);
  EXPECT_EQ(rank(0).health(kSize), Health::failed);
  rank(0).report_failure(kSize);
  EXPECT_EQ(rank(0).health_changes().load(), 0u);
}

TEST_F(LocalBootstrapTest, ARankDiesOnce) {
  EXPECT_TRUE(rank(0).kill(1).ok());
  EXPECT_EQ(rank(0).kill(1).code(), Code::peer_failed);
  rank(2).finish();
  EXPECT_EQ(rank(0).kill(2).code(), Code::peer_failed);
}

TEST_F(LocalBootstrapTest, ADeadRankIsTold) {
  ASSERT_TRUE(job_.fail(0));
  EXPECT_EQ(rank(0).publish("key", {}).code(), Code::closed);
  EXPECT_EQ(rank(0).lookup(1, "key", Timeout::block()).status().code(), Code::closed);
}

TEST_F(LocalBootstrapTest, AbortEndsAll) {
  rank(2).abort(9, "because");
  rank(1).abort(5, "too late");
  for (Rank r = 0; r < kSize; ++r) EXPECT_EQ(rank(0).health(r), Health::failed);
  const auto abort = job_.aborted();
  ASSERT_TRUE(abort.has_value());
  EXPECT_EQ(abort->rank, 2u);
  EXPECT_EQ(abort->code, 9);
  EXPECT_EQ(abort->reason, "because");
}

TEST(LocalBootstrapScaleTest, AllRanksExchangeWithAll) {
  constexpr Rank kRanks = 16;
  auto job = InProcessJob::create(kRanks);
  ASSERT_TRUE(job.ok());
  std::vector<std::jthread> threads;
  for (Rank me = 0; me < kRanks; ++me)
    threads.emplace_back([&job, me] {
      auto rank = *job->attach(me);
      for (int round = 0; round < 20; ++round) {
        const std::string key = "round" + std::to_string(round);
        EXPECT_TRUE(rank->publish(key, bytes_of(key + " of " + std::to_string(me))).ok());
        for (Rank peer = 0; peer < kRanks; ++peer)
          EXPECT_EQ(text_of(rank->lookup(peer, key, Timeout::block())), key + " of " + std::to_string(peer));
      }
      rank->finish();
    });
}

}  // namespace
}  // namespace polder::bootstrap::local
