// Which members of a group may write to each other without a third one: those whose distance is that of a slot. Up to
// Slots::kNear + 1 members that is all of them. In larger groups it is those up to kNear below, powers of two below and
// above, halves of the group, and whole numbers of each power of the radix: rings, and grids that end at their sides or
// whose extents are powers of two.
#pragma once

#include "coll/port/slots.hpp"
#include "util/assert.hpp"

#include <polder/types.hpp>

#include <cstdint>
#include <optional>

namespace polder::coll {

// The slot of letters from `distance` below, the same at both ends; nothing: there is none.
// REQUIRES: 1 <= distance < size, and slots are those of such a group. O(log size).
constexpr std::optional<Slot> direct_slot(const Slots& slots, Rank size, Rank distance) {
  POLDER_ASSERT(distance >= 1 && distance < size);
  if (distance <= slots.near()) return slots.from_near(distance);
  for (unsigned k = 0; k < slots.rounds(); ++k) {
    const std::uint64_t power = std::uint64_t{1} << k;
    const std::uint64_t half = (size + 2 * power - 1) / (2 * power);
    if (distance == power) return slots.from_below(k);
    if (size - distance == power) return slots.from_above(k);
    if (distance == half) return slots.from_half_below(k);
    if (size - distance == half) return slots.from_half_above(k);
  }
  std::uint64_t weight = slots.radix();
  for (unsigned power = 1; power < slots.digits(); ++power, weight *= slots.radix())
    if (distance % weight == 0 && distance / weight <= slots.near())
      return slots.from_far(power, Rank(distance / weight));
  return {};
}

}  // namespace polder::coll
