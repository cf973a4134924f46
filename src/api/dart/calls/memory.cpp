// Memory: the pool of each unit, collective allocations, registered memory.
#include "api/dart/memory/team_memory.hpp"

#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/symbols.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <limits>
#include <string>

using namespace polder;
using namespace polder::dart;

namespace {

// Bytes of a request; elements are basic.
Result<std::size_t> bytes_of(std::size_t elements, dart_datatype_t type) {
  const std::size_t element = basic_size(type);
  if (element == 0) return wrong_type(type, "basic");
  if (elements > std::numeric_limits<std::size_t>::max() / element)
    return Status(Code::out_of_memory, std::to_string(elements) + " elements of " + std::to_string(element) + " bytes");
  return elements * element;
}

dart_gptr_t pointer_to(dart_unit_t unit, std::int16_t segment, dart_team_t team, std::uint64_t offset) {
  dart_gptr_t pointer = DART_GPTR_NULL;
  pointer.unitid = unit;
  pointer.segid = segment;
  pointer.teamid = team;
  pointer.addr_or_offs.offset = offset;
  return pointer;
}

// A collective call that makes a segment: `make(runtime, team, bytes)` returns its number.
template <class Make>
dart_ret_t make_segment(const char* call, dart_team_t teamid, std::size_t elements, dart_datatype_t type,
                        dart_gptr_t* gptr, Make make) {
  return guarded(call, [&] {
    if (gptr == nullptr) return refused(call, null_argument("gptr"));
    *gptr = DART_GPTR_NULL;
    DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside(call);
    DartTeam* const team = epoch->team(teamid);
    if (team == nullptr) return refused(call, no_such_team(teamid));
    const auto bytes = bytes_of(elements, type);
    if (!bytes.ok()) return refused(call, bytes.status());
    Result<std::int16_t> id = make(epoch->runtime(), *team, *bytes);
    if (!id.ok()) return refused(call, id.status());
    *gptr = pointer_to(0, *id, teamid, 0);
    return DART_OK;
  });
}

dart_ret_t register_memory(const char* call, dart_team_t teamid, std::size_t elements, dart_datatype_t type, void* addr,
                           dart_gptr_t* gptr) {
  return make_segment(call, teamid, elements, type, gptr, [&](Runtime& runtime, DartTeam& team, std::size_t bytes) {
    return register_in(runtime, current_epoch()->unit().atomics, team, addr, bytes);
  });
}

// The team of a segment to be freed; null, and `answer` set: there is nothing to do, or something is wrong.
DartTeam* team_to_free_in(const char* call, const dart_gptr_t& gptr, bool registered, dart_ret_t& answer) {
  answer = DART_OK;
  const DartEpoch* const epoch = current_epoch();
  if (epoch == nullptr) {
    answer = refused_outside(call);
    return nullptr;
  }
  if (DART_GPTR_ISNULL(gptr)) return nullptr;
  DartTeam* const team = epoch->team(gptr.teamid);
  if (team == nullptr) {
    answer = refused(call, no_such_team(gptr.teamid));
  } else if (team->segments.find(gptr.segid) == nullptr || (registered ? gptr.segid >= 0 : gptr.segid <= 0)) {
    answer = refused(call, Status(Code::invalid_segment, "there is no such segment as " + std::to_string(gptr.segid) +
                                                             " in " + team_text(gptr.teamid)));
  } else {
    return team;
  }
  return nullptr;
}

}  // namespace

extern "C" {

dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr) {
  return guarded("dart_memalloc", [&] {
    if (gptr == nullptr) return refused("dart_memalloc", null_argument("gptr"));
    *gptr = DART_GPTR_NULL;
    DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside("dart_memalloc");
    const auto bytes = bytes_of(nelem, dtype);
    if (!bytes.ok()) return refused("dart_memalloc", bytes.status());
    const auto offset = epoch->pool.take(*bytes);
    if (!offset)
      return refused("dart_memalloc",
                     Status(Code::limit, "no room for " + std::to_string(*bytes) + " bytes in the pool of 16 MiB"));
    *gptr = pointer_to(epoch->all().me(), DART_SEGMENT_LOCAL, DART_TEAM_ALL, *offset);
    return DART_OK;
  });
}

dart_ret_t dart_memfree(dart_gptr_t gptr) {
  return guarded("dart_memfree", [&] {
    DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside("dart_memfree");
    const bool ours =
        gptr.segid == DART_SEGMENT_LOCAL && gptr.teamid == DART_TEAM_ALL && gptr.unitid == epoch->all().me();
    if (ours && epoch->pool.give_back(gptr.addr_or_offs.offset)) return DART_OK;
    return refused("dart_memfree", Status(Code::invalid_argument, "dart_memalloc gave this unit nothing at offset " +
                                                                      std::to_string(gptr.addr_or_offs.offset)));
  });
}

dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr) {
  const TracedDartCall traced(DartCall::team_memalloc_aligned);
  return make_segment(
      "dart_team_memalloc_aligned", teamid, nelem, dtype, gptr,
      [](Runtime& runtime, DartTeam& team, std::size_t bytes) { return allocate_in(runtime, team, bytes); });
}

dart_ret_t dart_team_memfree(dart_gptr_t gptr) {
  const TracedDartCall traced(DartCall::team_memfree);
  return guarded("dart_team_memfree", [&] {
    dart_ret_t answer;
    DartTeam* const team = team_to_free_in("dart_team_memfree", gptr, false, answer);
    if (team == nullptr) return answer;
    return outcome("dart_team_memfree", free_in(current_epoch()->unit().atomics, *team, gptr.segid));
  });
}

dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype, void* addr,
                                         dart_gptr_t* gptr) {
  const TracedDartCall traced(DartCall::team_memregister_aligned);
  return register_memory("dart_team_memregister_aligned", teamid, nelem, dtype, addr, gptr);
}

dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype, void* addr,
                                 dart_gptr_t* gptr) {
  const TracedDartCall traced(DartCall::team_memregister);
  return register_memory("dart_team_memregister", teamid, nlelem, dtype, addr, gptr);
}

dart_ret_t dart_team_memderegister(dart_gptr_t gptr) {
  const TracedDartCall traced(DartCall::team_memderegister);
  return guarded("dart_team_memderegister", [&] {
    dart_ret_t answer;
    DartTeam* const team = team_to_free_in("dart_team_memderegister", gptr, true, answer);
    if (team == nullptr) return answer;
    return outcome("dart_team_memderegister", deregister_in(current_epoch()->unit().atomics, *team, gptr.segid));
  });
}

}  // extern "C"
