/* To oneself, any memory may be the remote side. */
#include "check.h"

static void blocks(void) {
  int from[4] = {1, 2, 3, 4}, to[4] = {0};
  SUCCEED(ARMCI_Put(from, to, sizeof to, me()));
  CHECK(memcmp(from, to, sizeof to) == 0);
  memset(to, 0, sizeof to);
  SUCCEED(ARMCI_Get(from, to, sizeof to, me()));
  CHECK(memcmp(from, to, sizeof to) == 0);
  SUCCEED(ARMCI_PutValueInt(9, &to[1], me()));
  CHECK(ARMCI_GetValueInt(&to[1], me()) == 9);
}

static void patches(void) {
  int from[4] = {1, 2, 3, 4}, to[8] = {0}, dense[1] = {4}, sparse[1] = {8}, count[2] = {4, 4};
  SUCCEED(ARMCI_PutS(from, dense, to, sparse, count, 1, me()));
  for (int i = 0; i < 8; ++i) CHECK(to[i] == (i % 2 == 0 ? from[i / 2] : 0));
  int scale = 10;
  SUCCEED(ARMCI_AccS(ARMCI_ACC_INT, &scale, from, dense, to, sparse, count, 1, me()));
  for (int i = 0; i < 8; ++i) CHECK(to[i] == (i % 2 == 0 ? 11 * from[i / 2] : 0));
  memset(from, 0, sizeof from);
  SUCCEED(ARMCI_GetS(to, sparse, from, dense, count, 1, me()));
  for (int i = 0; i < 4; ++i) CHECK(from[i] == 11 * (i + 1));
}

static void sums(void) {
  float f[2] = {1, 2}, fy[2] = {1, 1}, fa = 2;
  double d[2] = {1, 2}, dy[2] = {1, 1}, da = 1;
  long l[1] = {5}, ly[1] = {1}, la = 3;
  float c[2] = {1, 2}, cy[2] = {0, 0}, ca[2] = {0, 1};    /* i * (1 + 2i) = -2 + i */
  double z[2] = {1, 2}, zy[2] = {0, 0}, za[2] = {2, 0.5}; /* (2 + 0.5i) * (1 + 2i) = 1 + 4.5i */
  SUCCEED(ARMCI_Acc(ARMCI_ACC_FLT, &fa, f, fy, sizeof f, me()));
  SUCCEED(ARMCI_Acc(ARMCI_ACC_DBL, &da, d, dy, sizeof d, me()));
  SUCCEED(ARMCI_Acc(ARMCI_ACC_LNG, &la, l, ly, sizeof l, me()));
  SUCCEED(ARMCI_Acc(ARMCI_ACC_CPL, ca, c, cy, sizeof c, me()));
  SUCCEED(ARMCI_Acc(ARMCI_ACC_DCP, za, z, zy, sizeof z, me()));
  CHECK(fy[0] == 3 && fy[1] == 5 && dy[0] == 2 && dy[1] == 3 && ly[0] == 16);
  CHECK(cy[0] == -2 && cy[1] == 1 && zy[0] == 1 && zy[1] == 4.5);
}

static void words(void) {
  int counter = 5, old = 0;
  long large = 7, before = 3;
  SUCCEED(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, &counter, 2, me()));
  CHECK(old == 5 && counter == 7);
  SUCCEED(ARMCI_Rmw(ARMCI_SWAP_LONG, &before, &large, 0, me()));
  CHECK(before == 7 && large == 3);
}

/* Private memory and memory of all ranks in one list. */
static void lists(void) {
  void* parts[MOST_RANKS];
  int values[3] = {1, 2, 3}, alone = 0;
  allocate(parts, 64);
  void* from[3] = {&values[0], &values[1], &values[2]};
  void* to[3] = {parts[me()], &alone, (int*)parts[me()] + 1};
  armci_giov_t list;
  list.src_ptr_array = from;
  list.dst_ptr_array = to;
  list.bytes = sizeof(int);
  list.ptr_array_len = 3;
  SUCCEED(ARMCI_PutV(&list, 1, me()));
  CHECK(((int*)parts[me()])[0] == 1 && alone == 2 && ((int*)parts[me()])[1] == 3);
  release(parts);
}

void test_private(void) {
  blocks();
  patches();
  sums();
  words();
  lists();
}
