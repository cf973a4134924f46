/* What a program may set at run time. */
#ifndef DART__IF__CONFIG_H__
#define DART__IF__CONFIG_H__

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int log_enabled; /* 1 at first; 0: refused calls are not told on the standard error */
} dart_config_t;

/* The one configuration of the process, at any time. */
void dart_config(dart_config_t** config_out) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
