// What a call of an eventual collective asks for, as it lies in front of contributions and results: the same at all
// members, and where it is not, the first field that differs can be named.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace polder::coll {

struct EventualCall {
  std::uint32_t root = 0;
  std::uint8_t kind = 0;
  std::uint8_t enhances = 0;
  std::uint8_t choose = 0, leave_out = 0;
  std::uint64_t count = 0;   // elements of the vector
  std::uint64_t chosen = 0;  // of which so many are asked for
  std::uint64_t first = 0;   // from here on
  std::uint32_t element_size = 0;
  std::uint8_t operation = 0, type = 0;
  std::uint8_t way = 0, unused = 0;
  double members = 0;       // share
  std::uint64_t order = 0;  // a hash of the user's

  bool operator==(const EventualCall&) const = default;
  // "count is 7 here and 9 there". REQUIRES: they differ.
  std::string difference(const EventualCall& there) const;
  std::uint64_t hash() const;
};
static_assert(sizeof(EventualCall) == 56);

}  // namespace polder::coll
