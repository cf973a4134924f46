/* MPI goes on as if ARMCI were not there: messages of the program, collectives, and all that while ranks wait in ARMCI.
 */
#include "check.h"

enum { WORDS = 200000 };

/* A rank sends a large message to one that waits for it in MPI, and goes into `wait`, which ends when all have come. */
static void while_waiting(void (*wait)(void)) {
  static int words[WORDS], received[WORDS];
  MPI_Request request;
  for (int i = 0; i < WORDS; ++i) words[i] = i + me();
  MPI_Isend(words, WORDS, MPI_INT, next(), 1, MPI_COMM_WORLD, &request);
  if (me() % 2 == 1) wait();
  MPI_Recv(received, WORDS, MPI_INT, previous(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(received[WORDS - 1] == WORDS - 1 + previous());
  if (me() % 2 == 0) wait();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Even ranks come when they have received; odd ranks have sent, and MPI must move that while they wait. */
static void barrier(void) {
  armci_msg_barrier();
}
static void reduction(void) {
  double one = 1;
  armci_msg_dgop(&one, 1, "+");
  CHECK(one == ranks());
}
static void allocation(void) {
  void* parts[MOST_RANKS];
  SUCCEED(ARMCI_Malloc(parts, 64));
  SUCCEED(ARMCI_Free(parts[me()]));
}
static void mutexes(void) {
  SUCCEED(ARMCI_Create_mutexes(1));
  SUCCEED(ARMCI_Destroy_mutexes());
}

void test_mpi(void) {
  int sum = me(), expected = ranks() * (ranks() - 1) / 2;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == expected);
  while_waiting(barrier);
  while_waiting(reduction);
  while_waiting(allocation);
  while_waiting(mutexes);
  int flag = 1;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(flag == 0); /* nothing strange arrived */
}
