/* Begin and end. */
#ifndef DART_INITIALIZATION_H_INCLUDED
#define DART_INITIALIZATION_H_INCLUDED

#include <stdbool.h>

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over all units; argc and argv may be null. DART_ERR_OTHER: it is initialised, or there is no job to join. May
 * follow dart_exit, any number of times. */
dart_ret_t dart_init(int* argc, char*** argv) DART_NOTHROW;
dart_ret_t dart_init_thread(int* argc, char*** argv, dart_thread_support_level_t* provided) DART_NOTHROW;

/* Collective: frees teams, segments and locality data. DART_ERR_OTHER: not initialised. */
dart_ret_t dart_exit() DART_NOTHROW;

bool dart_initialized() DART_NOTHROW;

/* Ends the whole job. */
void dart_abort(int errorcode) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
