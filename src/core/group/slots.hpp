// Where letters of a collective arrive. A slot is a distance between two members, so that each has one writer for the
// life of a group: whoever calls the next collective, with whatever root, the same member writes there, and letters are
// read in the order in which they were sent. (Slots that are named after steps mix two writers as soon as roots
// change.) Behind them a group has some for edges between neighbours, whose writer is settled by both ends
// (core/group/letter_room.hpp).
#pragma once

#include "util/assert.hpp"

#include <polder/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace polder::core {

using Slot = std::uint32_t;

// ceil(log2 size): rounds of whatever doubles.
constexpr unsigned rounds_of(Rank size) {
  return size < 2 ? 0 : unsigned(std::bit_width(size - 1));
}

// The slots of a group of `size`. All distances are modulo size.
class Slots {
 public:
  // Distances up to this have a slot of their own; farther ones are gone in two steps or more, see far().
  static constexpr Rank kNear = 31;

  explicit constexpr Slots(Rank size, Rank near = kNear)
      : rounds_(rounds_of(size)), near_(size - 1 < near ? size - 1 : near) {
    for (std::uint64_t reach = 1; reach < size; reach *= radix()) ++digits_;
  }

  constexpr unsigned rounds() const { return rounds_; }
  // From 2^k below; down a tree whose root is 0.
  constexpr Slot from_below(unsigned k) const { return k; }
  // From 2^k above; up such a tree.
  constexpr Slot from_above(unsigned k) const { return rounds_ + k; }
  // From the partner of round k of a doubling.
  constexpr Slot from_pair(unsigned k) const { return 2 * rounds_ + k; }
  // From ceil(size / 2^(k+1)) below, and above: rounds of a circulant graph.
  constexpr Slot from_half_below(unsigned k) const { return 3 * rounds_ + k; }
  constexpr Slot from_half_above(unsigned k) const { return 4 * rounds_ + k; }
  // Between those beyond a power of two and those that double for them.
  constexpr Slot fold_in() const { return 5 * rounds_; }
  constexpr Slot fold_out() const { return 5 * rounds_ + 1; }
  // From digit * radix()^power below. Every distance is a sum of those, one for each power.
  constexpr Slot from_far(unsigned power, Rank digit) const { return 5 * rounds_ + 2 + power * near_ + digit - 1; }
  // From `distance` below. REQUIRES: 1 <= distance <= near().
  constexpr Slot from_near(Rank distance) const {
    POLDER_ASSERT(1 <= distance && distance <= near_);
    return from_far(0, distance);
  }

  constexpr Rank near() const { return near_; }
  constexpr std::uint64_t radix() const { return std::uint64_t{near_} + 1; }
  constexpr unsigned digits() const { return digits_; }
  constexpr Slot count() const { return 5 * rounds_ + 2 + digits_ * near_; }

 private:
  unsigned rounds_;
  Rank near_;
  unsigned digits_ = 0;
};

}  // namespace polder::core
