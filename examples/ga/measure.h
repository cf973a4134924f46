/* What the programs of this folder share: beginning and end, taking time, checking, and printing a line of JSON for
 * each measurement, as the benchmarks of this project do.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  GA_Initialize();
  if (!MA_init(C_DBL, 1 << 20, 1 << 20)) GA_Error("MA_init: no memory", 1);
}

static inline int end(void) {
  GA_Terminate();
  MPI_Finalize();
  return 0;
}

static inline void check_that(int truth, const char* what) {
  if (!truth) GA_Error((char*)what, 1);
}

static inline int compare_doubles(const void* one, const void* other) {
  const double a = *(const double*)one, b = *(const double*)other;
  return (a > b) - (a < b);
}

/* Nanoseconds per operation: the median of the samples. */
static inline void report(const char* name, long bytes, double* samples, int count) {
  qsort(samples, (size_t)count, sizeof *samples, compare_doubles);
  printf("{\"name\": \"%s\", \"ranks\": %d, \"size\": %ld, \"ns\": %.1f}\n", name, GA_Nnodes(), bytes,
         samples[count / 2]);
  fflush(stdout);
}

/* Runs body(context) often enough to fill 4 ms, seven times. For work of one rank alone. */
static inline void measure(const char* name, long bytes, void (*body)(void*), void* context) {
  enum { SAMPLES = 7 };
  double samples[SAMPLES];
  long turns = 1;
  for (;;) {
    double start = MPI_Wtime();
    for (long i = 0; i < turns; ++i) body(context);
    if (MPI_Wtime() - start > 0.002) break;
    turns *= 2;
  }
  turns *= 2;
  for (int s = 0; s < SAMPLES; ++s) {
    double start = MPI_Wtime();
    for (long i = 0; i < turns; ++i) body(context);
    samples[s] = (MPI_Wtime() - start) * 1e9 / (double)turns;
  }
  report(name, bytes, samples, SAMPLES);
}

#endif
