/* Fetch and add, swap, on int and long. */
#include "check.h"

enum { TURNS = 3000 };

/* Everybody draws numbers from one counter: each number comes once. */
static void draw_int(void* parts[]) {
  int last = -1, sum = 0;
  for (int turn = 0; turn < TURNS; ++turn) {
    int drawn = -1;
    SUCCEED(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &drawn, parts[0], 1, 0));
    CHECK(drawn > last && drawn < TURNS * ranks());
    last = drawn;
    sum += drawn % 1000;
  }
  armci_msg_igop(&sum, 1, "+");
  int expected = 0;
  for (int i = 0; i < TURNS * ranks(); ++i) expected += i % 1000;
  CHECK(sum == expected);
  CHECK(ARMCI_GetValueInt(parts[0], 0) == TURNS * ranks());
  armci_msg_barrier();
}

static void draw_long(void* parts[]) {
  long* counter = (long*)parts[ranks() - 1] + 1;
  long drawn = -1;
  for (int turn = 0; turn < TURNS; ++turn)
    SUCCEED(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &drawn, counter, -2, ranks() - 1));
  armci_msg_barrier();
  CHECK(ARMCI_GetValueLong(counter, ranks() - 1) == -2L * TURNS * ranks());
  armci_msg_barrier();
}

/* Tokens go round: each rank's stays, or is swapped against another. */
static void swap(void* parts[]) {
  int* one = (int*)parts[0] + 4;
  long* other = (long*)parts[0] + 3;
  int token = me() + 1;
  long large = (1L << 40) + me();
  for (int turn = 0; turn < 100; ++turn) {
    SUCCEED(ARMCI_Rmw(ARMCI_SWAP, &token, one, 0, 0));
    SUCCEED(ARMCI_Rmw(ARMCI_SWAP_LONG, &large, other, 0, 0));
  }
  armci_msg_igop(&token, 1, "+");
  armci_msg_lgop(&large, 1, "+");
  CHECK(token + ARMCI_GetValueInt(one, 0) == ranks() * (ranks() + 1) / 2);
  CHECK(large + ARMCI_GetValueLong(other, 0) == ((long)ranks() << 40) + ranks() * (ranks() - 1) / 2);
  armci_msg_barrier();
}

void test_rmw(void) {
  void* parts[MOST_RANKS];
  allocate(parts, 64);
  draw_int(parts);
  draw_long(parts);
  swap(parts);
  release(parts);
}
