// Which elements of a vector go, and in which order: a sequence of which the first `chosen` are packed one behind the
// other.
#pragma once

#include <polder/accumulate.hpp>
#include <polder/eventual.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::coll {

struct ElementSelection {
  std::size_t elements = 0;  // of the vector
  std::size_t chosen = 0;
  std::size_t first = 0;           // where there is no order: the sequence begins here and goes around the end
  std::vector<std::size_t> order;  // not empty: the sequence

  void pack(std::byte* packed, const std::byte* vector, std::size_t size) const;
  void unpack(std::byte* vector, const std::byte* packed, std::size_t size) const;
  // A bit for each element that goes.
  EventualStatus::Bits bits() const;
};

// ceil(share * whole). REQUIRES: 0 <= share <= 1.
std::size_t part_of(double share, std::size_t whole);

// Indices of the `count` numbers that are largest in magnitude, ascending; of equals, the first. Empty: the type has no
// magnitude.
std::vector<std::size_t> largest_of(const std::byte* vector, std::size_t elements, std::size_t count, DataType type);
bool has_magnitude(std::uint8_t type);

void set_bit(EventualStatus::Bits& bits, std::size_t i);

}  // namespace polder::coll
