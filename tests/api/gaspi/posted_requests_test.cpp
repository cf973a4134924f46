#include "api/gaspi/state/posted_requests.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace polder::gaspi {
namespace {

// How many can be added one by one.
unsigned room_in(PostedRequests& posted) {
  unsigned added = 0;
  while (posted.add()) ++added;
  posted.take_back(added);
  return added;
}

TEST(PostedRequests, countsUntilCompleted) {
  PostedRequests posted(10);
  ASSERT_TRUE(posted.add(3));
  EXPECT_EQ(posted.count(), 3u);
  const std::uint64_t before = posted.total();
  ASSERT_TRUE(posted.add());
  posted.completed(before);
  EXPECT_EQ(posted.count(), 1u);
  EXPECT_FALSE(posted.add(10));
  EXPECT_EQ(room_in(posted), 9u);
}

// One thread counts a request that finds no room, another one's wait ends, and the first takes the request back.
TEST(PostedRequests, areNotCompletedWhereTheyAreTakenBack) {
  PostedRequests posted(10);
  ASSERT_TRUE(posted.add(4));
  posted.completed(posted.total());
  posted.take_back(4);
  EXPECT_EQ(posted.count(), 0u);
  EXPECT_EQ(room_in(posted), 10u);
  ASSERT_TRUE(posted.add(2));
  EXPECT_EQ(posted.count(), 2u);
  posted.completed(posted.total());
  EXPECT_EQ(posted.count(), 0u);
  EXPECT_EQ(room_in(posted), 10u);
}

// ... and a third one posts another request, which the wait has not seen.
TEST(PostedRequests, areNotCompletedInPlaceOfThoseThatAreTakenBack) {
  PostedRequests posted(10);
  ASSERT_TRUE(posted.add(2));
  const std::uint64_t seen = posted.total();
  posted.take_back();
  ASSERT_TRUE(posted.add());
  posted.completed(seen);
  EXPECT_EQ(posted.count(), 1u);
  EXPECT_EQ(room_in(posted), 9u);
  posted.completed(posted.total());
  EXPECT_EQ(posted.count(), 0u);
  EXPECT_EQ(room_in(posted), 10u);
}

TEST(PostedRequests, areNotLessThanNone) {
  constexpr unsigned kLimit = 100;
  PostedRequests posted(kLimit);
  std::atomic<bool> ends{false};
  std::thread waiter([&] {
    while (!ends) {
      posted.completed(posted.total());
      EXPECT_LE(posted.count(), kLimit);
    }
  });
  for (int round = 0; round < 20000; ++round) {
    if (posted.add()) posted.take_back();
    EXPECT_FALSE(posted.add(kLimit + 1));
  }
  ends = true;
  waiter.join();
  EXPECT_EQ(posted.count(), 0u);
  EXPECT_EQ(room_in(posted), kLimit);
}

}  // namespace
}  // namespace polder::gaspi
