/* What every test of this folder uses: checks that end the job, and memory of all ranks. */
#ifndef CHECK_H
#define CHECK_H

#include <armci.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void check_that(int truth, const char* text, const char* file, int line) {
  if (truth) return;
  fprintf(stderr, "%s:%d: rank %d: failed: %s\n", file, line, armci_msg_me(), text);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

#define CHECK(truth) check_that((truth), #truth, __FILE__, __LINE__)
#define SUCCEED(call) CHECK((call) == 0)

enum { MOST_RANKS = 64 };

static inline int me(void) {
  return armci_msg_me();
}
static inline int ranks(void) {
  return armci_msg_nproc();
}
static inline int next(void) {
  return (me() + 1) % ranks();
}
static inline int previous(void) {
  return (me() + ranks() - 1) % ranks();
}

/* Memory of the same size at each rank, zeroed; `parts` has an entry a rank. */
static inline void allocate(void* parts[], long bytes) {
  SUCCEED(ARMCI_Malloc(parts, bytes));
  memset(parts[me()], 0, (size_t)bytes);
  ARMCI_Barrier();
}

static inline void release(void* parts[]) {
  ARMCI_Barrier();
  SUCCEED(ARMCI_Free(parts[me()]));
}

/* The sections; main.c has the table. */
void test_memory(void);
void test_spares(void);
void test_contiguous(void);
void test_strided(void);
void test_accumulate(void);
void test_vector(void);
void test_values(void);
void test_handles(void);
void test_order(void);
void test_rmw(void);
void test_mutexes(void);
void test_groups(void);
void test_domains(void);
void test_messages(void);
void test_reductions(void);
void test_selection(void);
void test_private(void);
void test_mpi(void);
void test_errors(void);

#endif
