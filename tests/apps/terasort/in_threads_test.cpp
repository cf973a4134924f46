#include "in_threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

namespace terasort {
namespace {

// Of a system that gives a process two threads.
class ScarceThread {
 public:
  explicit ScarceThread(const std::function<void()>& body) {
    if (begun == 2) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    ++begun;
    thread_ = std::jthread(body);
  }
  static inline int begun = 0;

 private:
  std::jthread thread_;
};

TEST(InThreads, AllPartsAreDoneWhereTheSystemGivesNoMoreThreads) {
  std::mutex mutex;
  std::set<std::uint64_t> done;
  std::set<unsigned> indices;
  const Status status = in_threads<ScarceThread>(1000, 50, [&](unsigned index, Part part) {
    const std::lock_guard lock(mutex);
    indices.insert(index);
    for (std::uint64_t i = part.begin; i < part.end; ++i) EXPECT_TRUE(done.insert(i).second) << i;
    return Status();
  });
  EXPECT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(ScarceThread::begun, 2);
  EXPECT_EQ(indices.size(), 50U);
  EXPECT_EQ(done.size(), 1000U);
}

TEST(InThreads, ReturnsTheFirstError) {
  const Status status = in_threads(8, 4, [&](unsigned index, Part) {
    return index < 2 ? Status() : Status(polder::Code::system, std::to_string(index));
  });
  EXPECT_EQ(status.message(), "2");
}

}  // namespace
}  // namespace terasort
