// Gets of pieces that are under way, each with a handle of its own, so that the next ones are asked for while those before
// them arrive.
#pragma once

#include "coll/port/window.hpp"

#include <polder/handle.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::coll {

// Enough to fill a link of 12.5 GB/s with gets of 4 kB that take 5 us.
constexpr unsigned kMostReads = 16;

struct PieceRead {
  Handle handle;
  Rank from = 0;
  std::uint32_t piece = 0;
  std::uint32_t part = 0;        // of a reduce: which one, in the order in which they are combined
  bool is_under_way = false;     // as far as its reader knows
  std::vector<std::byte> bytes;  // of what is not read into its place at once
};

enum class Got : std::uint8_t { not_yet, yes, lost };

class PieceReads {
 public:
  std::array<PieceRead, kMostReads> all;

  bool any_under_way() const {
    return std::any_of(all.begin(), all.end(), [](const PieceRead& read) { return read.is_under_way; });
  }
  PieceRead* unused() {
    const auto found = std::find_if(all.begin(), all.end(), [](const PieceRead& read) { return !read.is_under_way; });
    return found == all.end() ? nullptr : &*found;
  }
  // False: it is not posted yet.
  static bool post(WindowPort& window, PieceRead& read, void* into, std::uint64_t offset, std::size_t bytes) {
    if (bytes != 0 && !window.get(into, read.from, offset, bytes, read.handle)) return false;
    read.is_under_way = true;
    return true;
  }
  static Got got(WindowPort& window, PieceRead& read) {
    const WindowPort::Fetched outcome = window.look_at(read.handle, read.from);
    if (outcome == WindowPort::Fetched::under_way) return Got::not_yet;
    read.is_under_way = false;
    return outcome == WindowPort::Fetched::failed || window.is_gone(read.from) ? Got::lost : Got::yes;
  }
};

}  // namespace polder::coll
