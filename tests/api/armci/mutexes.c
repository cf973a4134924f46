/* Mutexes protect what is not atomic by itself. */
#include "check.h"

/* Reads, changes and writes under a mutex of each rank in turn. */
static void count(void* parts[], int mutex, int owner) {
  enum { TURNS = 100 };
  long* counter = (long*)parts[owner] + mutex;
  for (int turn = 0; turn < TURNS; ++turn) {
    ARMCI_Lock(mutex, owner);
    SUCCEED(ARMCI_PutValueLong(ARMCI_GetValueLong(counter, owner) + 1, counter, owner));
    ARMCI_Unlock(mutex, owner);
  }
  ARMCI_Barrier();
  CHECK(ARMCI_GetValueLong(counter, owner) == (long)TURNS * ranks());
}

void test_mutexes(void) {
  void* parts[MOST_RANKS];
  allocate(parts, 64);
  SUCCEED(ARMCI_Create_mutexes(2));
  count(parts, 0, 0);
  count(parts, 1, ranks() - 1);
  SUCCEED(ARMCI_Destroy_mutexes());
  /* A second set, of which only the last rank has any. */
  SUCCEED(ARMCI_Create_mutexes(me() == ranks() - 1 ? 5 : 0));
  count(parts, 4, ranks() - 1);
  SUCCEED(ARMCI_Destroy_mutexes());
  release(parts);
}
