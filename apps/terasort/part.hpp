// Who has which part of a file: consecutive ranges whose sizes differ by one at most.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace terasort {

// Records begin .. end-1.
struct Part {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }
};

// Part `index` of `total` records split among `parts`. REQUIRES: index < parts.
inline Part part_of(std::uint64_t total, unsigned index, unsigned parts) {
  assert(index < parts);
  const std::uint64_t each = total / parts;
  const std::uint64_t longer = total % parts;
  const std::uint64_t begin = each * index + std::min<std::uint64_t>(index, longer);
  return {begin, begin + each + (index < longer ? 1 : 0)};
}

}  // namespace terasort
