/* For files of HDF5. The program includes hdf5.h before it, which has hid_t. */
#ifndef DART__IO__H_
#define DART__IO__H_

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over the team: files that are opened with the property list are opened by the team's units together. Needs MPI, which the
 * program has initialised, with the units as its ranks. */
dart_ret_t dart__io__hdf5__prep_mpio(hid_t plist_id, dart_team_t teamid) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
