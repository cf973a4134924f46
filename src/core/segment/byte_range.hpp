#pragma once

#include <algorithm>
#include <cstdint>

namespace polder::core {

// Bytes [begin, end) of a segment.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool meets(const ByteRange& other) const { return std::max(begin, other.begin) < std::min(end, other.end); }
  void widen(const ByteRange& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
};

}  // namespace polder::core
