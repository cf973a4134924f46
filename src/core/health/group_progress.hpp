// How far a member has come in the collectives of a group, and what is known of one that has left.
#pragma once

#include <cstddef>
#include <cstdint>

namespace polder::core {

// How many collectives of a kind a member of a group has been through; of those of module coll, how many it has begun,
// and how many of the first it has ended.
struct GroupProgress {
  enum Kind : std::uint8_t { barriers, gatherings, begun, ended };
  static constexpr std::size_t kKinds = 4;

  std::uint64_t tag = 0;  // of the group
  std::uint64_t completed[kKinds] = {};
};

// Whether a rank that is gone has been through a collective.
enum class DepartureWord { unknown, passed, never };

}  // namespace polder::core
