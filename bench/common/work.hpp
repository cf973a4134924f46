// A fixed piece of computing, for measurements of ranks that do something between two meetings.
#pragma once

#include "common/keep.hpp"

#include <algorithm>
#include <cstdint>

#include <time.h>

namespace bench {

class Work {
 public:
  // Of about `nanoseconds` of a core's time. Finds out how much that is; a busy machine does not disturb it, because
  // only time on the core counts.
  explicit Work(std::int64_t nanoseconds) {
    constexpr std::uint64_t kTrial = 2'000'000;
    loops_ = kTrial;
    const std::int64_t start = core_time();
    run();
    const std::int64_t took = std::max<std::int64_t>(core_time() - start, 1);
    loops_ = std::max<std::uint64_t>(1, std::uint64_t(double(kTrial) * double(nanoseconds) / double(took)));
  }

  void run() const {
    for (std::uint64_t i = 0; i < loops_; ++i) keep(&i);
  }

 private:
  static std::int64_t core_time() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  }

  std::uint64_t loops_ = 0;
};

}  // namespace bench
