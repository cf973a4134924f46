// Which core each rank may run on.
#pragma once

#include "launch/core_order.hpp"

#include <polder/status.hpp>

#include <vector>

#include <sched.h>

namespace polder::cli {

// A set of cores of any size, as sched_setaffinity takes it.
class CoreSet {
 public:
  explicit CoreSet(unsigned core);

  // Pins the calling process. Async-signal-safe. False: errno says why.
  bool apply() const {
    return sched_setaffinity(0, bits_.size() * sizeof(bits_[0]), reinterpret_cast<const cpu_set_t*>(bits_.data())) == 0;
  }

 private:
  std::vector<unsigned long> bits_;
};

// The cores that this process may use, in the order in which ranks take them. Asks hwloc, which takes milliseconds. Errors of
// order_cores().
Result<std::vector<CoreSet>> binding_order(const RankOrder& rank_order);

}  // namespace polder::cli
