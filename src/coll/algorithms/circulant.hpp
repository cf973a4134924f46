// What the algorithms on a circulant graph share.
#pragma once

#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

// Parts that are left before round k: ceil(size / 2^k).
constexpr Rank circulant_left(Rank size, unsigned k) {
  return Rank((std::uint64_t{size} + (std::uint64_t{1} << k) - 1) >> k);
}

// Parts of `data` into `turned`, where this member's own is the first: `number` of them, from the one `distance` above the own on.
// Returns where they lie there.
std::byte* turn(Wire& wire, const Parts& parts, const std::byte* data, std::byte* turned, Rank distance, Rank number);
// All of them, out of `turned`.
void turn_back(Wire& wire, const Parts& parts, const std::byte* turned, std::byte* data);

// The first part of `turned` becomes the sum of all; it has room for all parts of `data`.
Task circulant_halving(Wire& wire, Parts parts, const std::byte* data, std::byte* turned);
// From the first part of `turned` to all of them.
Task circulant_growing(Wire& wire, Parts parts, std::byte* turned);

}  // namespace polder::coll
