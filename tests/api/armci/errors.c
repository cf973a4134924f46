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

void test_errors(void) {
  const char* errors = getenv("POLDER_ARMCI_ERRORS");
  void* parts[MOST_RANKS];
  if (errors == NULL || strcmp(errors, "return") != 0) return;
  allocate(parts, 64);
  transfers(parts);
  lists(parts);
  others(parts);
  ARMCI_Barrier();
  for (int i = 0; i < 64; ++i) CHECK(((char*)parts[me()])[i] == 0);
  release(parts);
}
