// Memory whose pages are always there: what the device allocated, and what the library says is its own. Elsewhere a
// page may be missing, and may come over the very link whose lock is held when it is touched.
#pragma once

#include "util/spin_lock.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::device::wire {

// Any thread. Looked at for large pieces only: small ones are copied anyway.
class PresentMemory {
 public:
  void add(const void* memory, std::size_t size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    util::SpinGuard lock(lock_);
    ranges_.push_back({begin, begin + size});
  }
  void remove(const void* memory) {
    util::SpinGuard lock(lock_);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const auto found =
        std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& one) { return one.begin == begin; });
    if (found != ranges_.end()) ranges_.erase(found);
  }
  bool contains(const void* memory, std::uint64_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    util::SpinGuard lock(lock_);
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const Range& one) { return one.begin <= begin && begin + bytes <= one.end; });
  }

 private:
  struct Range {
    std::uintptr_t begin, end;
  };

  util::SpinLock lock_;
  std::vector<Range> ranges_ POLDER_GUARDED_BY(lock_);
};

}  // namespace polder::device::wire
