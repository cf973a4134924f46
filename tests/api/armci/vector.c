/* Lists of blocks, also across two allocations. */
#include "check.h"

enum { BLOCKS = 150, ROOM = 4096 };

static void* sources[BLOCKS];
static void* targets[BLOCKS];

/* Block i of `width` bytes: every third place of the remote part, from the end backwards; the second half elsewhere. */
static void aim(void* remote[], char* local, void* one, void* other, int width) {
  for (int i = 0; i < BLOCKS; ++i) {
    remote[i] = (char*)(i % 2 == 0 ? one : other) + (BLOCKS - 1 - i) * 3 * width;
    (remote == targets ? sources : targets)[i] = local + i * width;
  }
}

static armci_giov_t list(int width) {
  armci_giov_t whole;
  whole.src_ptr_array = sources;
  whole.dst_ptr_array = targets;
  whole.bytes = width;
  whole.ptr_array_len = BLOCKS;
  return whole;
}

static void put_and_get(void* one[], void* other[]) {
  static int sent[BLOCKS], received[BLOCKS];
  armci_giov_t both[2];
  for (int i = 0; i < BLOCKS; ++i) sent[i] = 1000 * me() + i;
  aim(targets, (char*)sent, one[next()], other[next()], 4);
  both[0] = list(4);
  both[0].ptr_array_len = BLOCKS / 2;
  both[1] = both[0];
  both[1].src_ptr_array += BLOCKS / 2;
  both[1].dst_ptr_array += BLOCKS / 2;
  SUCCEED(ARMCI_PutV(both, 2, next()));
  ARMCI_Barrier();
  for (int i = 0; i < BLOCKS; ++i) {
    const int* mine = i % 2 == 0 ? one[me()] : other[me()];
    CHECK(mine[(BLOCKS - 1 - i) * 3] == 1000 * previous() + i);
  }
  aim(sources, (char*)received, one[next()], other[next()], 4);
  armci_giov_t whole = list(4);
  SUCCEED(ARMCI_GetV(&whole, 1, next()));
  CHECK(memcmp(sent, received, sizeof sent) == 0);
  ARMCI_Barrier();
}

static void accumulate(void* one[], void* other[]) {
  static double mine[BLOCKS], sum[BLOCKS];
  double scale = 2;
  memset(one[me()], 0, ROOM);
  memset(other[me()], 0, ROOM);
  ARMCI_Barrier();
  for (int i = 0; i < BLOCKS; ++i) mine[i] = i;
  aim(targets, (char*)mine, one[0], other[0], 8);
  armci_giov_t whole = list(8);
  SUCCEED(ARMCI_AccV(ARMCI_ACC_DBL, &scale, &whole, 1, 0));
  ARMCI_Barrier();
  aim(sources, (char*)sum, one[0], other[0], 8);
  SUCCEED(ARMCI_GetV(&whole, 1, 0));
  for (int i = 0; i < BLOCKS; ++i) CHECK(sum[i] == 2.0 * i * ranks());
}

void test_vector(void) {
  void *one[MOST_RANKS], *other[MOST_RANKS];
  allocate(one, ROOM);
  allocate(other, ROOM);
  put_and_get(one, other);
  accumulate(one, other);
  SUCCEED(ARMCI_PutV(NULL, 0, next()));
  release(one);
  release(other);
}
