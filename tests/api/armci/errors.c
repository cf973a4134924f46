/* Wrong calls, with POLDER_ARMCI_ERRORS=return: refused, and nothing changes. Without it there is nothing to test here,
 * for they would end the job; errors_abort.c does that. */
#include "check.h"

#define REFUSED(call) CHECK((call) != 0)

static void transfers(void* parts[]) {
  double value = 1, scale = 1, here[4] = {0};
  int stride[1] = {8}, count[2] = {8, 2}, negative[2] = {8, -1};
  REFUSED(ARMCI_Put(&value, parts[next()], 8, ranks()));
  REFUSED(ARMCI_Put(&value, parts[next()], 8, -1));
  REFUSED(ARMCI_Put(&value, parts[next()], -8, next()));
  REFUSED(ARMCI_Put(NULL, parts[next()], 8, next()));
  REFUSED(ARMCI_Get(NULL, &value, 8, next()));
  REFUSED(ARMCI_Get(parts[next()], here, 128, next())); /* beyond the end */
  REFUSED(ARMCI_Acc(6, &scale, &value, parts[next()], 8, next()));
  REFUSED(ARMCI_Acc(ARMCI_ACC_DBL, NULL, &value, parts[next()], 8, next()));
  REFUSED(ARMCI_Acc(ARMCI_ACC_DBL, &scale, &value, parts[next()], 7, next()));
  REFUSED(ARMCI_PutS(here, stride, parts[next()], stride, count, 9, next()));
  REFUSED(ARMCI_PutS(here, stride, parts[next()], stride, count, -1, next()));
  REFUSED(ARMCI_PutS(here, stride, parts[next()], stride, negative, 1, next()));
  REFUSED(ARMCI_GetS(parts[next()], NULL, here, stride, count, 1, next()));
  if (ranks() > 1) REFUSED(ARMCI_Put(&value, here, 8, next())); /* private memory of this rank */
}

static void lists(void* parts[]) {
  double value = 1;
  void *from[1] = {&value}, *to[1] = {parts[next()]};
  armci_giov_t list;
  list.src_ptr_array = from;
  list.dst_ptr_array = to;
  list.bytes = -1;
  list.ptr_array_len = 1;
  REFUSED(ARMCI_PutV(&list, 1, next()));
  REFUSED(ARMCI_PutV(NULL, 1, next()));
  list.bytes = 8;
  REFUSED(ARMCI_PutV(&list, 1, ranks() + 3));
  list.src_ptr_array = NULL;
  REFUSED(ARMCI_PutV(&list, 1, next()));
}

static void others(void* parts[]) {
  int old;
  REFUSED(ARMCI_Rmw(4, &old, parts[next()], 1, next()));
  REFUSED(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, NULL, parts[next()], 1, next()));
  REFUSED(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, (char*)parts[next()] + 1, 1, next()));
  REFUSED(ARMCI_Free(&old));
  REFUSED(ARMCI_Malloc(NULL, 8));
  REFUSED(ARMCI_Malloc(parts, -8));
  REFUSED(ARMCI_Destroy_mutexes());
  REFUSED(ARMCI_Create_mutexes(-1));
  REFUSED(ARMCI_WaitProc(ranks()));
}

/* Where a lock would wait for itself, the call says so; nothing is held more than once. */
static void mutexes(void) {
  SUCCEED(ARMCI_Create_mutexes(1));
  if (me() == 0) {
    ARMCI_Lock(0, 0);
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
  }
  ARMCI_Barrier();
  ARMCI_Lock(0, 0);
  ARMCI_Unlock(0, 0);
  SUCCEED(ARMCI_Destroy_mutexes());
}

/* Handles that no call has filled in. */
static void handles(void* parts[]) {
  armci_hdl_t garbage, fresh;
  double value = 0;
  memset(&garbage, 0xa5, sizeof garbage);
  REFUSED(ARMCI_Wait(&garbage));
  CHECK(ARMCI_Test(&garbage) == 0);
  garbage.target = 0x12345678;
  REFUSED(ARMCI_Wait(&garbage));
  ARMCI_INIT_HANDLE(&fresh);
  SUCCEED(ARMCI_Wait(&fresh));
  SUCCEED(ARMCI_NbPut(&value, parts[next()], 8, next(), &fresh));
  SUCCEED(ARMCI_Wait(&fresh));
  SUCCEED(ARMCI_Wait(&fresh));
}

static void local_memory(void) {
  char here[8];
  char* block = ARMCI_Malloc_local(100);
  CHECK(block != NULL);
  REFUSED(ARMCI_Free_local(here));
  REFUSED(ARMCI_Free_local(block + 8));
  SUCCEED(ARMCI_Free_local(block));
  REFUSED(ARMCI_Free_local(block));
  SUCCEED(ARMCI_Free_local(NULL));
}

static void too_much(void) {
  void* parts[MOST_RANKS];
  REFUSED(ARMCI_Malloc(parts, 1L << 60));
  CHECK(ARMCI_Malloc_local(1L << 60) == NULL);
}

/* Members that do not mean the same: all are told, and what they have stays. */
static void reductions(void) {
  long x[3] = {1, 2, 3};
  if (ranks() == 1) return;
  armci_msg_lgop(x, me() == 0 ? 3 : 2, "+");
  armci_msg_lgop(x, 3, me() == 0 ? "+" : "max");
  armci_msg_lgop(x, me() == 0 ? 3 : 0, "+");
  armci_msg_lgop(x, 3, me() == 0 ? "+" : "nothing");
  if (me() == 0)
    armci_msg_lgop(x, 1, "+");
  else
    armci_msg_dgop((double*)x, 1, "+");
  CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3);
  armci_msg_lgop(x, 3, "+");
  CHECK(x[0] == ranks() && x[2] == 3L * ranks());
}

void test_errors(void) {
  const char* errors = getenv("POLDER_ARMCI_ERRORS");
  void* parts[MOST_RANKS];
  if (errors == NULL || strcmp(errors, "return") != 0) return;
  allocate(parts, 64);
  transfers(parts);
  lists(parts);
  others(parts);
  mutexes();
  handles(parts);
  local_memory();
  too_much();
  reductions();
  ARMCI_Barrier();
  for (int i = 0; i < 64; ++i) CHECK(((char*)parts[me()])[i] == 0);
  release(parts);
}
