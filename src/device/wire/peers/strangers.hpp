// What came from nobody of this job: dropped, and counted.
#pragma once

#include "device/wire/state/worker.hpp"
#include "util/log.hpp"

#include <polder/types.hpp>

#include <cstdint>

namespace polder::device::wire {

class Strangers {
 public:
  explicit Strangers(Rank rank) : rank_(rank) {}

  // `what` it was. The first is told, and then ever fewer: nobody shall fill a disk with lines.
  void drop(const char* what) POLDER_REQUIRES(kWorker) {
    ++count_;
    if ((count_ & (count_ - 1)) == 0)
      util::log(util::LogLevel::warning,
                "rank %u dropped what a stranger or an earlier job sent: %s (%llu times so far)", rank_, what,
                static_cast<unsigned long long>(count_));
  }

 private:
  const Rank rank_;
  std::uint64_t count_ POLDER_GUARDED_BY(kWorker) = 0;
};

}  // namespace polder::device::wire
