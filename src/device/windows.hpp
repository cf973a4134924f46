// Windows that are open behind an exposure (Device::open_window): a few at a time.
#pragma once

#include "device/region.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::device {

// One thread at a time.
class Windows {
 public:
  void open(std::uint64_t window, void* memory, std::uint64_t bytes) {
    windows_.push_back({window_offset(window), static_cast<std::byte*>(memory), bytes});
  }
  void close(std::uint64_t window) {
    std::erase_if(windows_, [&](const Window& one) { return one.offset == window_offset(window); });
  }

  // Where so many bytes that are put at this offset go; null: no window there is open, or they are too many. Cost: a look at each.
  std::byte* place(std::uint64_t offset, std::uint64_t bytes) const {
    for (const Window& one : windows_) {
      const std::uint64_t at = offset - one.offset;
      if (offset >= one.offset && at <= one.bytes && bytes <= one.bytes - at) return one.memory + at;
    }
    return nullptr;
  }

 private:
  struct Window {
    std::uint64_t offset;
    std::byte* memory;
    std::uint64_t bytes;
  };
  std::vector<Window> windows_;
};

}  // namespace polder::device
