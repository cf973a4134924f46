// How often what goes from one rank's private memory to another rank of the machine is copied: once, where it lies, by the kernel; or twice by the
// processor, onto a desk or into a cell and out of it.
#pragma once

#include "util/platform.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace polder::coll {

// Which is faster depends on the machine and on the program: the kernel looks up each page (3 to 4 us for 64 kB on a Xeon of 2023,
// beside 4 us for writing them to where another core has read, and 4 us for reading them there), and where the owner has not touched
// its memory since the last time the reader still has it in its cache. So all copies are measured, in ticks a byte, and now and then
// some in a row go the other way: the first of them find a cache that the last ones do not. Any thread.
//
// What copies take is not all. Who puts more than there is room for waits, and where ranks outnumber cores each of the others on its
// core has a turn meanwhile, mostly to find that it cannot go on either: 2 us. By 4 to 16 ranks on 2 cores blocks of up to 1 MB took
// 1.1 to 3.4 times as long twice as once in scatter, alltoall and among neighbours, where the copies alone took 0.7 to 1.3 times as
// long. So there twice counts double for what is beyond the room. What there is room for is left and waits for nobody, while who is
// copied from waits for the one that copies: 32 to 128 kB took 0.33 to 0.93 of the time, where the copies alone took 0.9. So that
// counts less. Vectors that are put for several count as they are: a room less is waited for by each.
//
// Who only gives, as the root of all scatters does, never learns what one copy costs, and has others make it: by two ranks that is 0.6
// to 0.7 of the time on that Xeon, and 1.15 on an EPYC of 2020, as far as one can tell from what its copies take.
class CopyWays {
 public:
  enum class Ways : std::uint8_t { once, twice, measured };

  // `crowded`: ranks outnumber cores.
  explicit CopyWays(Ways ways, bool crowded = false) : ways_(ways), is_crowded_(crowded) {}

  // What is to be copied, and what of it can be put before any of it is taken: bytes. So many members take all of what is put.
  struct Vector {
    std::size_t bytes = 0, room = 0;
    unsigned takers = 1;
  };

  // Whether the next vector is to be copied once by each of those who take it: what has been put somewhere they all take there.
  // REQUIRES: takers >= 1.
  bool next_is_once(const Vector& vector) {
    if (ways_ != Ways::measured) return ways_ == Ways::once;
    const unsigned count = count_.load(std::memory_order_relaxed);
    count_.store(count + 1, std::memory_order_relaxed);  // two threads may count one
    if (count < kFirstOnce) return true;
    if (twice(vector) == kUnknown) return count >= kFirstOnce + kFirstTwice && cost(Step::once) != kUnknown;
    const bool only_gives = cost(Step::once) == kUnknown, is_once = only_gives || cost(Step::once) < twice(vector);
    return is_once != (is_other(count) && needs_more(count, is_once ? Step::put : Step::once));
  }
  // The same for a vector of which each of several members takes a part. Where ranks outnumber cores it is once unless there is room for
  // more: for each piece, which concerns one or two of them, all would have a turn (1 MB for each of 16 on 2 cores: 17 ms, by the kernel 4.6).
  bool next_part_is_once(const Vector& all) {
    return (ways_ == Ways::measured && is_crowded_ && all.bytes >= all.room) || next_is_once(all);
  }
  Ways ways() const { return ways_; }
  bool may_be_once() const { return ways_ != Ways::twice; }

  // What is copied: onto a desk or into a cell, out of there, or at once from where it lies in private memory.
  enum class Step : std::uint8_t { put, take, once };

  // Copies so many bytes by `copy`.
  template <class Copy>
  void measure(Step step, std::size_t bytes, Copy&& copy) {
    if (bytes < kMeasured) return copy();
    const std::uint64_t begin = util::cycles();
    copy();
    note(step, double(util::cycles() - begin) / double(bytes), bytes);
  }
  // A copy of so many bytes took so many ticks a byte.
  void note(Step step, double ticks, std::size_t bytes = 0) {
    Cost& cost = costs_[unsigned(step)];
    cost.tried.store(cost.tried.load(std::memory_order_relaxed) + bytes,
                     std::memory_order_relaxed);  // some may be lost
    const double most = is_crowded_ ? kSlower * cost.better.load(std::memory_order_relaxed) : kUnknown;
    cost.better.store(std::min({cost.last.load(std::memory_order_relaxed), ticks, most}), std::memory_order_relaxed);
    cost.last.store(ticks, std::memory_order_relaxed);
  }

  static constexpr std::size_t kLeast = std::size_t{32} << 10;    // bytes from which on it pays to wait for each other
  static constexpr std::size_t kMeasured = std::size_t{2} << 10;  // bytes of a copy that says something of long ones
  // So many vectors in the beginning are copied once; then so many twice, if what that takes is not known sooner.
  static constexpr unsigned kFirstOnce = 8, kFirstTwice = 32;
  // From then on so many of a turn go the other way: the first of them find desks and cells that no cache has any more. Turns are
  // shorter at first, so that a wrong beginning does not last: from kLeastTurn on each is as long as all before it.
  static constexpr unsigned kLeastTurn = 128, kTurn = 1024, kOthers = 20;
  // Or fewer, if so many bytes have gone that way: long vectors find caches as they leave them themselves.
  static constexpr std::size_t kOtherBytes = kOthers * (std::size_t{64} << 10);
  // Where ranks outnumber cores two interruptions in a row are no exception: a slow copy is believed to be so many times slower only.
  static constexpr double kSlower = 1.1;
  // Where ranks outnumber cores two copies count so many times what they take: of what there is no room for, and if there is for all.
  static constexpr double kWaits = 2, kFits = 0.67;

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  // Ticks a byte of the last copy, and of the better one of the last two: whoever is interrupted is slow once.
  struct Cost {
    std::atomic<double> last{kUnknown}, better{kUnknown};
    std::atomic<std::size_t> tried{0};  // bytes, in this turn
  };
  static constexpr unsigned place_in_turn(unsigned count) { return count % std::min(std::bit_floor(count), kTurn); }
  static constexpr bool is_other(unsigned count) { return count >= kLeastTurn && place_in_turn(count) < kOthers; }
  // Whether vectors still go the other way in this turn; `step` is what tells how many bytes have.
  bool needs_more(unsigned count, Step step) {
    if (place_in_turn(count) == 0)
      for (Cost& each : costs_) each.tried.store(0, std::memory_order_relaxed);
    return costs_[unsigned(step)].tried.load(std::memory_order_relaxed) < kOtherBytes;
  }
  double cost(Step step) const { return costs_[unsigned(step)].better.load(std::memory_order_relaxed); }

  static double weight(const Vector& vector) {
    if (vector.bytes <= vector.room) return kFits;
    return kWaits - (kWaits - 1) * double(vector.room) / double(vector.bytes);
  }

  // For each taker. A member that only ever puts, or takes, knows one half, and assumes that the other is like it.
  double twice(const Vector& vector) const {
    const double put = cost(Step::put), taken = cost(Step::take);
    const double copies = (put == kUnknown ? taken : put) / vector.takers + (taken == kUnknown ? put : taken);
    return copies * (vector.takers == 1 && is_crowded_ ? weight(vector) : 1);
  }

  const Ways ways_;
  const bool is_crowded_;
  std::atomic<unsigned> count_{0};
  Cost costs_[3];
};

}  // namespace polder::coll
