/* What fences, flags and barriers promise. */
#include "check.h"

#include <sched.h>

enum { WORDS = 500 };

typedef struct {
  int flag[4];
  int data[WORDS];
} Mail;

static int read_flag(volatile int* flag) {
  return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* Every rank sends round after round to the next; who sees the flag sees all the data. */
static void flags(void* parts[]) {
  int data[WORDS], stride[1] = {10 * sizeof(int)}, count[2] = {10 * sizeof(int), WORDS / 10};
  Mail *there = parts[next()], *mine = parts[me()];
  for (int round = 1; round <= 100; ++round) {
    for (int i = 0; i < WORDS; ++i) data[i] = round * 1000 + i;
    if (round % 2 == 0)
      SUCCEED(ARMCI_Put_flag(data, there->data, sizeof data, &there->flag[0], round, next()));
    else
      SUCCEED(ARMCI_PutS_flag(data, stride, there->data, stride, count, 1, &there->flag[0], round, next()));
    while (read_flag(&mine->flag[0]) != round) sched_yield();
    for (int i = 0; i < WORDS; ++i) CHECK(mine->data[i] == round * 1000 + i);
    armci_msg_barrier(); /* read, so it may be overwritten */
  }
}

/* After a fence another rank sees what was put. */
static void fences(void* parts[]) {
  for (int round = 0; round < 20; ++round) {
    int seen = -1;
    SUCCEED(ARMCI_PutValueInt(round * 10 + me(), &((Mail*)parts[next()])->flag[1], next()));
    if (round % 2 == 0)
      ARMCI_Fence(next());
    else
      ARMCI_AllFence();
    armci_msg_barrier();
    const int other = (me() + 2) % ranks(), writer = (other + ranks() - 1) % ranks();
    SUCCEED(ARMCI_Get(&((Mail*)parts[other])->flag[1], &seen, sizeof seen, other));
    CHECK(seen == round * 10 + writer);
    armci_msg_barrier();
  }
}

/* No rank leaves before the last has come. */
static void barriers(void* parts[]) {
  int* counter = &((Mail*)parts[0])->flag[2];
  for (int round = 1; round <= 50; ++round) {
    int old = 0;
    SUCCEED(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, counter, 1, 0));
    if (round % 2 == 0)
      ARMCI_Barrier();
    else
      armci_msg_barrier();
    CHECK(ARMCI_GetValueInt(counter, 0) >= round * ranks());
  }
}

void test_order(void) {
  void* parts[MOST_RANKS];
  allocate(parts, sizeof(Mail));
  flags(parts);
  fences(parts);
  barriers(parts);
  release(parts);
}
