/* Allocation: every rank its own size, none at all, groups, and freeing what one has no part of. */
#include "check.h"

static void same_size(void) {
  void* parts[MOST_RANKS];
  SUCCEED(ARMCI_Malloc(parts, 1000));
  for (int rank = 0; rank < ranks(); ++rank) CHECK(parts[rank] != NULL);
  memset(parts[me()], me() + 1, 1000);
  ARMCI_Access_begin(parts[me()]);
  ARMCI_Access_end(parts[me()]);
  ARMCI_Barrier();
  for (int rank = 0; rank < ranks(); ++rank) {
    unsigned char seen[1000];
    SUCCEED(ARMCI_Get(parts[rank], seen, 1000, rank));
    for (int i = 0; i < 1000; ++i) CHECK(seen[i] == rank + 1);
  }
  release(parts);
}

static void own_sizes(void) {
  void* parts[MOST_RANKS];
  SUCCEED(ARMCI_Malloc(parts, me() * 1000));
  CHECK(parts[0] == NULL);
  for (int rank = 1; rank < ranks(); ++rank) {
    int last = 0;
    CHECK(parts[rank] != NULL);
    if (rank == me()) ((char*)parts[rank])[rank * 1000 - 1] = (char)rank;
    armci_msg_barrier();
    SUCCEED(ARMCI_Get((char*)parts[rank] + rank * 1000 - 1, &last, 1, rank));
    CHECK(last == rank);
  }
  release(parts);
}

static void nothing_anywhere(void) {
  void* parts[MOST_RANKS];
  memset(parts, 1, sizeof parts);
  SUCCEED(ARMCI_Malloc(parts, 0));
  for (int rank = 0; rank < ranks(); ++rank) CHECK(parts[rank] == NULL);
  SUCCEED(ARMCI_Free(parts[me()]));
}

/* Several at a time, freed in another order, some of them without a part of rank 0. */
static void many(void) {
  enum { MANY = 20 };
  void* parts[MANY][MOST_RANKS];
  for (int i = 0; i < MANY; ++i) SUCCEED(ARMCI_Malloc(parts[i], i % 2 == 0 || me() > 0 || ranks() == 1 ? 64 + i : 0));
  for (int i = 0; i < MANY; ++i)
    if (parts[i][next()] != NULL) SUCCEED(ARMCI_PutValueInt(100 * i + me(), parts[i][next()], next()));
  ARMCI_Barrier();
  for (int i = 0; i < MANY; ++i)
    if (parts[i][me()] != NULL) CHECK(*(int*)parts[i][me()] == 100 * i + previous());
  ARMCI_Barrier();
  for (int i = 0; i < MANY; i += 3) SUCCEED(ARMCI_Free(parts[i][me()]));
  for (int i = MANY - 1; i >= 0; --i)
    if (i % 3 != 0) SUCCEED(ARMCI_Free(parts[i][me()]));
}

static void again_and_again(void) {
  for (int i = 0; i < 50; ++i) {
    void* parts[MOST_RANKS];
    SUCCEED(ARMCI_Malloc(parts, 10000 + i));
    CHECK(((char*)parts[me()])[i] == 0);
    SUCCEED(ARMCI_PutValueInt(i, parts[next()], next()));
    ARMCI_Barrier();
    CHECK(*(int*)parts[me()] == i);
    SUCCEED(ARMCI_Free(parts[me()]));
  }
}

static void local(void) {
  double* buffer = ARMCI_Malloc_local(1000 * sizeof(double));
  CHECK(buffer != NULL);
  for (int i = 0; i < 1000; ++i) buffer[i] = i;
  double copy[1000];
  ARMCI_Copy(buffer, copy, sizeof copy);
  CHECK(memcmp(buffer, copy, sizeof copy) == 0);
  SUCCEED(ARMCI_Free_local(buffer));
  CHECK(ARMCI_Malloc_local(0) == NULL);
}

static void of_devices(void) {
  void* parts[MOST_RANKS];
  SUCCEED(ARMCI_Malloc_memdev(parts, 100, "default"));
  SUCCEED(ARMCI_PutValueInt(me(), parts[next()], next()));
  ARMCI_Barrier();
  CHECK(*(int*)parts[me()] == previous());
  SUCCEED(ARMCI_Free_memdev(parts[me()]));
}

/* Neighbours on this machine may load and store directly. */
static void direct(void) {
  void* parts[MOST_RANKS];
  allocate(parts, 64);
  ((volatile int*)parts[next()])[1] = me() + 7;
  armci_msg_barrier();
  CHECK(((volatile int*)parts[me()])[1] == previous() + 7);
  release(parts);
}

/* What no rank can have is refused at all of them, and nothing is left of it. */
static void too_much(void) {
  void* parts[MOST_RANKS];
  CHECK(ARMCI_Malloc(parts, me() == ranks() - 1 ? 1L << 60 : 64) != 0);
  same_size();
}

void test_memory(void) {
  same_size();
  own_sizes();
  nothing_anywhere();
  many();
  again_and_again();
  local();
  of_devices();
  const char* device = getenv("POLDER_DEVICE");
  /* Whoever names the network runs us on several hosts. */
  const int one_machine = getenv("POLDER_NETWORK") == NULL;
  if (one_machine && (device == NULL || strcmp(device, "shm") == 0)) direct();
  too_much();
}
