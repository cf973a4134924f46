/* Global pointers, and the memory they point into. */
#ifndef DART_GLOBMEM_H_INCLUDED
#define DART_GLOBMEM_H_INCLUDED

#include <dash/dart/if/dart_util.h>

#include <dash/dart/if/dart_types.h>

#include <dash/dart/if/dart_team_group.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A byte of a segment: the unit relative to the team, and the offset from the start of its part. */
typedef struct {
  dart_unit_t unitid : 24;
  unsigned int flags : 8;
  int16_t segid; /* 0: dart_memalloc; above: collective allocations; below: registered memory */
  int16_t teamid;
  union {
    uint64_t offset;
    void* addr;
  } addr_or_offs;
} dart_gptr_t;

#ifdef __cplusplus
#define DART_GPTR_NULL (dart_gptr_t{-1, 0, 0, DART_TEAM_NULL, {0}})
#else
#define DART_GPTR_NULL ((dart_gptr_t){-1, 0, 0, DART_TEAM_NULL, {0}})
#endif

#define DART_GPTR_ISNULL(gptr__) \
  ((gptr__).unitid < 0 && (gptr__).segid == 0 && (gptr__).teamid == DART_TEAM_NULL && (gptr__).addr_or_offs.addr == 0)

#define DART_GPTR_EQUAL(gptr1__, gptr2__)                                        \
  ((gptr1__).unitid == (gptr2__).unitid && (gptr1__).segid == (gptr2__).segid && \
   (gptr1__).teamid == (gptr2__).teamid && (gptr1__).addr_or_offs.offset == (gptr2__).addr_or_offs.offset)

#define DART_SEGMENT_LOCAL ((int16_t)0)

typedef struct dart_allocator_struct* dart_allocator_t;

/* ---- pointers ---- */

/* Where the caller loads and stores it; null: it is another unit's. */
dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void** addr) DART_NOTHROW;
dart_ret_t dart_gptr_setaddr(dart_gptr_t* gptr, void* addr) DART_NOTHROW;
dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t* flags) DART_NOTHROW;
dart_ret_t dart_gptr_setflags(dart_gptr_t* gptr, uint16_t flags) DART_NOTHROW;

DART_INLINE dart_ret_t dart_gptr_incaddr(dart_gptr_t* gptr, int64_t offs) {
  gptr->addr_or_offs.offset += (uint64_t)offs;
  return DART_OK;
}

DART_INLINE dart_ret_t dart_gptr_setunit(dart_gptr_t* gptr, dart_team_unit_t unit) {
  gptr->unitid = unit.id;
  return DART_OK;
}

/* ---- memory ---- */

/* Local, from a pool of 16 MiB that all units reach. */
dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr) DART_NOTHROW;
dart_ret_t dart_memfree(dart_gptr_t gptr) DART_NOTHROW;
/* Collective, zeroed, aligned for every type; units may ask for different sizes. Points to unit 0, offset 0. */
dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                      dart_gptr_t* gptr) DART_NOTHROW;
dart_ret_t dart_team_memfree(dart_gptr_t gptr) DART_NOTHROW;
/* Collective: offers memory of the program's own; sizes may differ. */
dart_ret_t dart_team_memregister_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype, void* addr,
                                         dart_gptr_t* gptr) DART_NOTHROW;
dart_ret_t dart_team_memregister(dart_team_t teamid, size_t nlelem, dart_datatype_t dtype, void* addr,
                                 dart_gptr_t* gptr) DART_NOTHROW;
/* Waits for nobody, but for the ends of the caller's own accumulates. What other units still accumulate there is refused, and told by
 * their next flush. */
dart_ret_t dart_team_memderegister(dart_gptr_t gptr) DART_NOTHROW;

/* ---- pools of a team: made and destroyed collectively, used locally ---- */

dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t team, dart_allocator_t* new_allocator);
dart_ret_t dart_allocator_alloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t* gptr, dart_allocator_t allocator);
dart_ret_t dart_allocator_free(dart_gptr_t* gptr, dart_allocator_t allocator);
dart_ret_t dart_allocator_destroy(dart_allocator_t* allocator);

#ifdef __cplusplus
}
#endif

#endif
