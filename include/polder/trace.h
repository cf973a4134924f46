/* Regions, marks and counters of a C program in Polder's traces. C++ programs use <polder/trace.hpp>.
 *
 *   const polder_trace_name_t solve = polder_trace_name("solve");   // once
 *   polder_trace_begin(solve);
 *   ...
 *   polder_trace_end();
 *
 * A trace is written where POLDER_TRACE names a folder (polder run --trace DIR). Without one every call below costs a
 * load and a branch. What is recorded goes to the trace of this process's first runtime, also that which gaspi_proc_init
 * or ARMCI_Init made; before it exists and after it has ended, nothing is recorded. Any thread may call; nothing here
 * waits or fails. */
#pragma once

#include <stdint.h>

#if defined(__GNUC__)
#define POLDER_TRACE_API __attribute__((visibility("default")))
#else
#define POLDER_TRACE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t polder_trace_name_t;

/* The number of a name, the same for the same text; the text is copied. 0 for a text that is null, empty or longer than
 * 255 bytes, or if there are 60,000 names already: what is recorded under 0 is left out. Takes a lock. */
POLDER_TRACE_API polder_trace_name_t polder_trace_name(const char* text);

/* 1 if something would be recorded now. */
POLDER_TRACE_API int polder_trace_active(void);

/* A region of this thread, which ends with the next polder_trace_end() of this thread. Up to 64 lie within each other;
 * deeper ones are left out. */
POLDER_TRACE_API void polder_trace_begin(polder_trace_name_t name);
POLDER_TRACE_API void polder_trace_end(void);

/* An instant, with a value that the viewer shows; and a level that changes over time. */
POLDER_TRACE_API void polder_trace_mark(polder_trace_name_t name, uint64_t value);
POLDER_TRACE_API void polder_trace_count(polder_trace_name_t name, uint64_t level);

/* Between the two nothing is recorded, in any thread of the process; without the second until the end.
 * gaspi_pcontrol(0) and gaspi_pcontrol(1) do the same. */
POLDER_TRACE_API void polder_trace_pause(void);
POLDER_TRACE_API void polder_trace_resume(void);

/* Writes out what is in memory; waits for the disk. gaspi_pcontrol(2) does the same. */
POLDER_TRACE_API void polder_trace_flush(void);

#ifdef __cplusplus
}
#endif
