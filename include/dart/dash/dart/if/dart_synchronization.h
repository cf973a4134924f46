/* Locks of a team. */
#ifndef DART_SYNCHRONIZATION_H_INCLUDED
#define DART_SYNCHRONIZATION_H_INCLUDED

#include <dash/dart/if/dart_util.h>

#include <dash/dart/if/dart_types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dart_lock_struct* dart_lock_t;
#define DART_LOCK_NULL ((dart_lock_t)NULL)

/* Collective. */
dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t* lock) DART_NOTHROW;
/* Collective while the team lives; local after it has gone, also after dart_exit. */
dart_ret_t dart_team_lock_destroy(dart_lock_t* lock) DART_NOTHROW;
/* Excludes all other units and all other threads of this one. */
dart_ret_t dart_lock_acquire(dart_lock_t lock) DART_NOTHROW;
dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t* result) DART_NOTHROW;
dart_ret_t dart_lock_release(dart_lock_t lock) DART_NOTHROW;
bool dart_lock_initialized(struct dart_lock_struct const* lock) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
