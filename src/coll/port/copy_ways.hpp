// How often what goes from one rank's private memory to another rank of the machine is copied: once, where it lies, by the kernel; or twice by the
// processor, onto a desk or into a cell and out of it.
#pragma once

#include "util/platform.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace polder::coll {

// Which is faster depends on the machine and on the program: the kernel looks up each page (3 to 4 us for 64 kB on a Xeon of 2023,
// beside 4 us for writing them to where another core has read, and 4 us for reading them there), and where the owner has not touched
// its memory since the last time the reader still has it in its cache. So all copies are measured, in ticks a byte, and now and then
// some in a row go the other way: the first of them find a cache that the last ones do not. Any thread.
class CopyWays {
 public:
  enum class Ways : std::uint8_t { once, twice, measured };

  explicit CopyWays(Ways ways) : ways_(ways) {}

  // Whether the next vector is to be copied once by each of those who take it: what has been put somewhere they all take there.
  // REQUIRES: takers >= 1.
  bool next_is_once(unsigned takers = 1) {
    if (ways_ != Ways::measured) return ways_ == Ways::once;
    const unsigned count = count_.load(std::memory_order_relaxed);
    count_.store(count + 1, std::memory_order_relaxed);  // two threads may count one
    if (count < kFirst) return count < kFirst - kFirstTwice;
    return (cost(Step::once) < twice(takers)) != (count % kTurn < kOthers);
  }
  bool may_be_once() const { return ways_ != Ways::twice; }

  // What is copied: onto a desk or into a cell, out of there, or at once from where it lies in private memory.
  enum class Step : std::uint8_t { put, take, once };

  // Copies so many bytes by `copy`.
  template <class Copy>
  void measure(Step step, std::size_t bytes, Copy&& copy) {
    if (bytes < kMeasured) return copy();
    const std::uint64_t begin = util::cycles();
    copy();
    note(step, double(util::cycles() - begin) / double(bytes));
  }
  // A copy took so many ticks a byte.
  void note(Step step, double ticks) {
    Cost& cost = costs_[unsigned(step)];
    cost.better.store(std::min(cost.last.load(std::memory_order_relaxed), ticks), std::memory_order_relaxed);
    cost.last.store(ticks, std::memory_order_relaxed);
  }

  static constexpr std::size_t kLeast = std::size_t{32} << 10;    // bytes from which on it pays to wait for each other
  static constexpr std::size_t kMeasured = std::size_t{8} << 10;  // bytes of a copy that says something of long ones
  static constexpr unsigned kFirst = 10,
                            kFirstTwice = 2;  // vectors in the beginning, of which the last ones go by the second way,
  static constexpr unsigned kTurn = 1024, kOthers = 8;  // and from then on so many of a turn the other way

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  // Ticks a byte of the last copy, and of the better one of the last two: whoever is interrupted is slow once.
  struct Cost {
    std::atomic<double> last{kUnknown}, better{kUnknown};
  };
  double cost(Step step) const { return costs_[unsigned(step)].better.load(std::memory_order_relaxed); }

  // For each taker. A member that only ever puts, or takes, knows one half, and assumes that the other is like it.
  double twice(unsigned takers) const {
    const double put = cost(Step::put), taken = cost(Step::take);
    return (put == kUnknown ? taken : put) / takers + (taken == kUnknown ? put : taken);
  }

  const Ways ways_;
  std::atomic<unsigned> count_{0};
  Cost costs_[3];
};

}  // namespace polder::coll
