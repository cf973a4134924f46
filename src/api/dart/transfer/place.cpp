#include "api/dart/transfer/place.hpp"

#include <string>

namespace polder::dart {

Status no_place(const DartEpoch& epoch, const dart_gptr_t& pointer) {
  const DartTeam* const team = epoch.team(pointer.teamid);
  if (team == nullptr) return no_such_team(pointer.teamid);
  if (pointer.unitid < 0 || pointer.unitid > team->size()) return no_such_unit(pointer.unitid, pointer.teamid);
  return {Code::invalid_segment,
          "there is no segment " + std::to_string(pointer.segid) + " in " + team_text(pointer.teamid)};
}

Status beyond_end(const dart_gptr_t& pointer, const TargetPlace& place, std::size_t bytes) {
  if (place.part == nullptr) return no_such_unit(pointer.unitid, pointer.teamid);
  return {Code::invalid_offset, std::to_string(bytes) + " bytes at offset " +
                                    std::to_string(pointer.addr_or_offs.offset) + " of segment " +
                                    std::to_string(pointer.segid) + " at " + unit_text(pointer.unitid, pointer.teamid) +
                                    ", which has " + std::to_string(place.part->size)};
}

}  // namespace polder::dart
