/* armci_msg_sel: who has the most, or the least, gives all it has. */
#include "check.h"

typedef struct {
  double key;
  int rank;
  char rest[100];
} Offer;

static void select_one(char* op, int from, int expected) {
  Offer offer;
  const int contributes = me() >= from;
  offer.key = (me() * 3) % 7;
  offer.rank = me();
  memset(offer.rest, me(), sizeof offer.rest);
  armci_msg_sel(&offer, sizeof offer, op, ARMCI_DOUBLE, contributes);
  CHECK(offer.rank == expected && offer.key == (expected * 3) % 7);
  CHECK(offer.rest[0] == expected && offer.rest[99] == expected);
}

/* Who should win among the ranks from `from` on; the lowest of equals. */
static int best(int from, int largest) {
  int winner = from;
  for (int rank = from; rank < ranks(); ++rank) {
    const int one = rank * 3 % 7, other = winner * 3 % 7;
    if (largest ? one > other : one < other) winner = rank;
  }
  return winner;
}

/* The first element is compared as what it is. */
static void of_types(void) {
  int i = me() == 0 ? -5 : me();
  long l = me() == 0 ? -5 : me();
  long long ll = me() == 0 ? -5 : me();
  float f = me() == 0 ? -5.5f : (float)me();
  armci_msg_sel(&i, sizeof i, "min", ARMCI_INT, 1);
  armci_msg_sel(&l, sizeof l, "min", ARMCI_LONG, 1);
  armci_msg_sel(&ll, sizeof ll, "min", ARMCI_LONG_LONG, 1);
  armci_msg_sel_scope(SCOPE_ALL, &f, sizeof f, "min", ARMCI_FLOAT, 1);
  CHECK(i == -5 && l == -5 && ll == -5 && f == -5.5f);
}

static void of_nobody(void) {
  int mine = me();
  armci_msg_sel(&mine, sizeof mine, "max", ARMCI_INT, 0);
  CHECK(mine == me());
}

void test_selection(void) {
  for (int from = 0; from < ranks(); ++from) {
    select_one("max", from, best(from, 1));
    select_one("min", from, best(from, 0));
  }
  of_types();
  of_nobody();
}
