// Global pointers.
#include "api/dart/job/error.hpp"
#include "api/dart/symbols.hpp"
#include "api/dart/transfer/place.hpp"

using namespace polder;
using namespace polder::dart;

namespace {

// False, and told: there is no such team, segment or unit.
bool found(const char* call, const dart_gptr_t& pointer, TargetPlace& place) {
  const DartEpoch* const epoch = current_epoch();
  if (epoch == nullptr) {
    refused_outside(call);
    return false;
  }
  if (find_place(*epoch, pointer, place)) return true;
  refused(call, no_place(*epoch, pointer));
  return false;
}

}  // namespace

extern "C" {

dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void** addr) {
  if (addr == nullptr) return refused("dart_gptr_getaddr", null_argument("addr"));
  *addr = nullptr;
  TargetPlace place;
  if (!found("dart_gptr_getaddr", gptr, place)) return DART_ERR_INVAL;
  if (place.own) *addr = place.direct;
  return DART_OK;
}

dart_ret_t dart_gptr_setaddr(dart_gptr_t* gptr, void* addr) {
  if (gptr == nullptr) return refused("dart_gptr_setaddr", null_argument("gptr"));
  TargetPlace place;
  if (!found("dart_gptr_setaddr", *gptr, place)) return DART_ERR_INVAL;
  const SegmentPart& mine = place.segment->parts[std::size_t(place.team->me())];
  gptr->addr_or_offs.offset = std::uint64_t(static_cast<std::byte*>(addr) - mine.direct);
  return DART_OK;
}

dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t* flags) {
  if (flags == nullptr) return refused("dart_gptr_getflags", null_argument("flags"));
  *flags = 0;
  TargetPlace place;
  if (!found("dart_gptr_getflags", gptr, place)) return DART_ERR_INVAL;
  if (place.part != nullptr) *flags = place.segment->flags[std::size_t(gptr.unitid)].load();
  return DART_OK;
}

dart_ret_t dart_gptr_setflags(dart_gptr_t* gptr, uint16_t flags) {
  if (gptr == nullptr) return refused("dart_gptr_setflags", null_argument("gptr"));
  TargetPlace place;
  if (!found("dart_gptr_setflags", *gptr, place)) return DART_ERR_INVAL;
  if (place.part == nullptr) return refused("dart_gptr_setflags", no_such_unit(gptr->unitid, gptr->teamid));
  place.segment->flags[std::size_t(gptr->unitid)].store(flags);
  gptr->flags = flags & 0xFFU;
  return DART_OK;
}

}  // extern "C"
