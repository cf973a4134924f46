// From a global pointer to the memory that it names.
#pragma once

#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/symbols.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cassert>
#include <cstddef>

namespace polder::dart {

struct TargetPlace {
  DartTeam* team = nullptr;
  DartSegment* segment = nullptr;
  const SegmentPart* part = nullptr;  // null: the unit behind the last one, where nothing lies
  std::byte* direct = nullptr;        // where this unit loads and stores the byte, or null
  bool own = false;                   // it is this unit's

  // REQUIRES: part is not null.
  GlobalAddress address(std::uint64_t offset) const {
    assert(part != nullptr);
    return {part->rank, part->id, offset};
  }
  AtomicTarget atomic_target(std::uint64_t offset) const { return {address(offset), part->serial}; }
};

// Why find_place() found none.
Status no_place(const DartEpoch& epoch, const dart_gptr_t& pointer);
Status beyond_end(const dart_gptr_t& pointer, const TargetPlace& place, std::size_t bytes);

// False: no such team, segment or unit. A table look-up for each.
inline bool find_place(const DartEpoch& epoch, const dart_gptr_t& pointer, TargetPlace& place) {
  DartTeam* const team = epoch.team(pointer.teamid);
  if (team == nullptr || pointer.unitid < 0 || pointer.unitid > team->size()) [[unlikely]]
    return false;
  place.team = team;
  place.segment = team->segments.find(pointer.segid);
  if (place.segment == nullptr) [[unlikely]]
    return false;
  if (pointer.unitid < team->size()) [[likely]] {
    place.part = &place.segment->parts[std::size_t(pointer.unitid)];
    place.own = pointer.unitid == team->me();
    if (place.part->direct != nullptr) place.direct = place.part->direct + pointer.addr_or_offs.offset;
  }
  return true;
}

// Whether `bytes` from the pointer on lie in its unit's part.
inline bool inside(const dart_gptr_t& pointer, const TargetPlace& place, std::size_t bytes) {
  return place.part != nullptr && pointer.addr_or_offs.offset <= place.part->size &&
         bytes <= place.part->size - pointer.addr_or_offs.offset;
}

}  // namespace polder::dart
