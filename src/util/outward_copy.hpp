// Copies into memory that another core reads next and that this one writes again later, as desks and cells are.
#pragma once

#include "util/copy.hpp"
#include "util/platform.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace polder::util {

// What such a copy costs depends on how far the reader is: lines that it holds are taken back one by one. Of 64 kB between
// two cores of an EPYC that share their last cache one writes 4 to 5 us through it, and the other reads 2; between cores that do not
// 13 to 18, and 5 to 6. Past the cache it is 3 to 5 and 4 to 6, wherever they are (bench-limits outward). Nobody says where they
// are: ranks move, and so do the cores of a virtual machine. But whoever writes sees it, so both ways are tried now and then.
// For one thread at a time.
class OutwardCopy {
 public:
  enum class Way : std::uint8_t { through_cache, past_cache };

  // The way that proves better.
  OutwardCopy() = default;
  // Always that one.
  explicit OutwardCopy(Way way) : best_(way), measures_(false) {}

  // Like copy.
  void operator()(void* to, const void* from, std::size_t bytes) {
    if (!has_choice(bytes))
      copy(to, from, bytes);
    else if (!measures_ || count_++ % kLook != 0)
      copy_by(best_, to, from, bytes);
    else
      measure(to, from, bytes);
  }
  bool goes_past_cache(std::size_t bytes) const { return has_choice(bytes) && best_ == Way::past_cache; }

  // A copy by that way took so many ticks a byte.
  void note(Way way, double ticks) {
    Cost& cost = costs_[unsigned(way)];
    cost.better = std::min(cost.last, ticks);
    cost.last = ticks;
    const Cost &through = costs_[unsigned(Way::through_cache)], &past = costs_[unsigned(Way::past_cache)];
    best_ = kGain * past.better < through.better ? Way::past_cache : Way::through_cache;
  }

  static constexpr std::size_t kLeast = std::size_t{8} << 10;  // bytes from which it matters
  // In writing, from which on it pays for readers, too. Where cores are near it is 0.6 to 1.6, and up to 2.3 where ranks outnumber
  // them; where they are far 4 to 7, and in a collective that still goes through the cache 2 to 3.5.
  static constexpr double kGain = 2.5;
  static constexpr unsigned kLook = 8;   // copies, of which one is measured,
  static constexpr unsigned kOther = 8;  // and of those one by the other way

 private:
  // What is short stays in the cache, and what is long goes past it anyway.
  static bool has_choice(std::size_t bytes) { return bytes >= kLeast && bytes < kLargeCopy; }
  static void copy_by(Way way, void* to, const void* from, std::size_t bytes) {
    way == Way::past_cache ? copy_block_past_cache(to, from, bytes) : copy_block(to, from, bytes);
  }
  void measure(void* to, const void* from, std::size_t bytes) {
    const bool by_other = looks_++ % kOther == 0;
    const Way way = by_other == (best_ == Way::past_cache) ? Way::through_cache : Way::past_cache;
    const std::uint64_t begin = cycles();
    copy_by(way, to, from, bytes);
    note(way, double(cycles() - begin) / double(bytes));
  }

  // Ticks a byte of the last copy, and of the better one of the last two: whoever is interrupted is slow once.
  struct Cost {
    double last = std::numeric_limits<double>::infinity(), better = last;
  };

  Way best_ = Way::through_cache;
  bool measures_ = true;
  unsigned count_ = 0, looks_ = 1;
  Cost costs_[2];
};

}  // namespace polder::util
