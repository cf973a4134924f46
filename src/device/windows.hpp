// Windows that are open behind an exposure (Device::open_window): a few at a time.
#pragma once

#include "device/region.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::device {

// One thread at a time.
class Windows {
 public:
  void open(std::uint64_t window, std::span<const MemoryRun> memory) {
    Window& made = windows_.emplace_back(Window{window_offset(window), 0, {memory.begin(), memory.end()}});
    for (const MemoryRun& run : memory) made.bytes += run.size();
  }
  void close(std::uint64_t window) {
    std::erase_if(windows_, [&](const Window& one) { return one.offset == window_offset(window); });
  }

  // Where so many bytes that are put at this offset go, if to one run; null: to several, no window there is open, or they are too many.
  // Cost: a look at each.
  std::byte* place(std::uint64_t offset, std::uint64_t bytes) const {
    std::byte* found = nullptr;
    each_run(offset, bytes, [&](std::byte* place, std::uint64_t run) { found = run == bytes ? place : nullptr; });
    return found;
  }

  // `visit(place, bytes)` for each run that they go to, in order. False: nowhere, and nothing is visited.
  template <class Visit>
  bool each_run(std::uint64_t offset, std::uint64_t bytes, Visit&& visit) const {
    for (const Window& one : windows_) {
      std::uint64_t at = offset - one.offset;
      if (offset < one.offset || at > one.bytes || bytes > one.bytes - at) continue;
      for (const MemoryRun& run : one.memory) {
        const std::uint64_t skipped = std::min<std::uint64_t>(at, run.size());
        at -= skipped;
        const std::uint64_t part = std::min<std::uint64_t>(run.size() - skipped, bytes);
        if (part != 0) visit(run.data() + skipped, part);
        bytes -= part;
      }
      return true;
    }
    return false;
  }

 private:
  struct Window {
    std::uint64_t offset;
    std::uint64_t bytes;
    std::vector<MemoryRun> memory;
  };
  std::vector<Window> windows_;
};

}  // namespace polder::device
