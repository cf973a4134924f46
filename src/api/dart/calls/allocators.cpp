// Pools of a team.
#include "api/dart/job/epoch.hpp"
#include "api/dart/job/error.hpp"
#include "api/dart/job/traced.hpp"
#include "api/dart/memory/first_fit.hpp"
#include "api/dart/memory/team_memory.hpp"
#include "api/dart/symbols.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

using namespace polder;
using namespace polder::dart;

struct dart_allocator_struct {
  dart_allocator_struct(std::uint64_t number, dart_team_t of, std::int16_t id, std::size_t bytes)
      : epoch(number), team(of), segment(id), pool(bytes) {}

  // Null: its team has ended, and the memory with it; another one may have the team's number by now.
  DartTeam* find_team() const {
    const DartEpoch* const now = current_epoch();
    return now == nullptr || now->number() != epoch ? nullptr : now->team(team);
  }

  const std::uint64_t epoch;
  const dart_team_t team;
  const std::int16_t segment;
  FirstFit pool;
};

extern "C" {

dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t team, dart_allocator_t* new_allocator) {
  const TracedDartCall traced(DartCall::allocator_new);
  return guarded("dart_allocator_new", [&] {
    if (new_allocator == nullptr) return refused("dart_allocator_new", null_argument("new_allocator"));
    *new_allocator = nullptr;
    DartEpoch* const epoch = current_epoch();
    if (epoch == nullptr) return refused_outside("dart_allocator_new");
    DartTeam* const found = epoch->team(team);
    if (found == nullptr) return refused("dart_allocator_new", no_such_team(team));
    if (pool_size > std::numeric_limits<std::size_t>::max() / 2)
      return refused("dart_allocator_new", Code::out_of_memory);
    const std::size_t bytes = std::bit_ceil(std::max<std::size_t>(pool_size, FirstFit::kGrain));
    auto segment = allocate_in(epoch->runtime(), *found, bytes);
    if (!segment.ok()) return refused("dart_allocator_new", segment.status());
    *new_allocator = new dart_allocator_struct(epoch->number(), team, *segment, bytes);
    return DART_OK;
  });
}

dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr, dart_allocator_t allocator) {
  return guarded("dart_allocator_alloc", [&] {
    if (gptr == nullptr) return refused("dart_allocator_alloc", null_argument("gptr"));
    *gptr = DART_GPTR_NULL;
    if (allocator == nullptr) return refused("dart_allocator_alloc", null_argument("allocator"));
    const DartTeam* const team = allocator->find_team();
    if (team == nullptr) return refused("dart_allocator_alloc", no_such_team(allocator->team));
    const std::size_t element = basic_size(dtype);
    if (element == 0) return refused("dart_allocator_alloc", wrong_type(dtype, "basic"));
    if (nelem > std::numeric_limits<std::size_t>::max() / element)
      return refused("dart_allocator_alloc", Code::out_of_memory);
    const auto offset = allocator->pool.take(nelem * element);
    if (!offset)
      return refused(
          "dart_allocator_alloc",
          Status(Code::out_of_memory, "no room for " + std::to_string(nelem * element) + " bytes in the pool"));
    gptr->unitid = team->me();
    gptr->segid = allocator->segment;
    gptr->teamid = allocator->team;
    gptr->addr_or_offs.offset = *offset;
    return DART_OK;
  });
}

dart_ret_t dart_allocator_free(dart_gptr_t* gptr, dart_allocator_t allocator) {
  return guarded("dart_allocator_free", [&] {
    if (gptr == nullptr || allocator == nullptr)
      return refused("dart_allocator_free", null_argument(gptr == nullptr ? "gptr" : "allocator"));
    const DartTeam* const team = allocator->find_team();
    const bool ours = team != nullptr && gptr->teamid == allocator->team && gptr->segid == allocator->segment &&
                      gptr->unitid == team->me();
    if (!ours || !allocator->pool.give_back(gptr->addr_or_offs.offset))
      return refused("dart_allocator_free",
                     Status(Code::invalid_argument, "the pool gave this unit nothing at offset " +
                                                        std::to_string(gptr->addr_or_offs.offset) + " of segment " +
                                                        std::to_string(gptr->segid)));
    *gptr = DART_GPTR_NULL;
    return DART_OK;
  });
}

dart_ret_t dart_allocator_destroy(dart_allocator_t* allocator) {
  const TracedDartCall traced(DartCall::allocator_destroy);
  return guarded("dart_allocator_destroy", [&] {
    if (allocator == nullptr || *allocator == nullptr)
      return refused("dart_allocator_destroy", null_argument("allocator"));
    DartTeam* const team = (*allocator)->find_team();
    const Status status =
        team == nullptr ? Status() : free_in(current_epoch()->unit().atomics, *team, (*allocator)->segment);
    delete *allocator;
    *allocator = nullptr;
    return outcome("dart_allocator_destroy", status);
  });
}

}  // extern "C"
