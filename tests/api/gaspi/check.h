/* What every test program of this folder uses: checks that end the rank, and with it the job, and a few things made of
 * the calls under test. */
#ifndef CHECK_H
#define CHECK_H

#include <GASPI.h>
#include <GASPI_Ext.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void check_that(int truth, const char* text, const char* file, int line) {
  if (truth) return;
  fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
  exit(EXIT_FAILURE);
}

static inline void expect_code(gaspi_return_t expected, gaspi_return_t code, const char* text, const char* file,
                               int line) {
  if (code == expected) return;
  fprintf(stderr, "%s:%d: %s\n  gave     %d (%s)\n  expected %d (%s)\n  detail: %s\n", file, line, text, (int)code,
          gaspi_error_str(code), (int)expected, gaspi_error_str(expected), gaspi_error_detail());
  exit(EXIT_FAILURE);
}

#define CHECK(truth) check_that((truth), #truth, __FILE__, __LINE__)
#define EXPECT(code, call) expect_code((code), (call), #call, __FILE__, __LINE__)
#define SUCCEED(call) EXPECT(GASPI_SUCCESS, call)

enum { PATIENCE = 30000 }; /* milliseconds; whoever waits that long has met an error */

static inline gaspi_rank_t my_rank(void) {
  gaspi_rank_t rank = 0;
  SUCCEED(gaspi_proc_rank(&rank));
  return rank;
}

static inline gaspi_rank_t num_ranks(void) {
  gaspi_rank_t num = 0;
  SUCCEED(gaspi_proc_num(&num));
  return num;
}

static inline void barrier(void) {
  SUCCEED(gaspi_barrier(GASPI_GROUP_ALL, PATIENCE));
}

static inline void* create_segment(gaspi_segment_id_t id, gaspi_size_t size) {
  gaspi_pointer_t pointer = NULL;
  SUCCEED(gaspi_segment_create(id, size, GASPI_GROUP_ALL, PATIENCE, GASPI_MEM_INITIALIZED));
  SUCCEED(gaspi_segment_ptr(id, &pointer));
  CHECK(pointer != NULL);
  return pointer;
}

/* Waits for the flag and takes it. */
static inline gaspi_notification_t take_flag(gaspi_segment_id_t segment, gaspi_notification_id_t id) {
  gaspi_notification_id_t first = ~0u;
  gaspi_notification_t value = 0;
  SUCCEED(gaspi_notify_waitsome(segment, id, 1, &first, PATIENCE));
  CHECK(first == id);
  SUCCEED(gaspi_notify_reset(segment, id, &value));
  return value;
}

static inline void sleep_ms(long milliseconds) {
  struct timespec span;
  span.tv_sec = milliseconds / 1000;
  span.tv_nsec = milliseconds % 1000 * 1000000;
  nanosleep(&span, NULL);
}

static inline double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

#endif
