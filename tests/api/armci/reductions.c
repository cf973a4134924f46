/* Each operation on each type, short and long. */
#include "check.h"

#define ABSOLUTE(x) ((x) < 0 ? -(x) : (x))

/* Rank r has (i % 5 + r) with a sign that changes from rank to rank; small enough for products. */
#define TEST_TYPE(NAME, TYPE, CALL)                                            \
  static TYPE NAME##_at(int rank, int i) {                                     \
    return (TYPE)((rank % 2 == 0 ? 1 : -1) * (i % 5 + rank + 1));              \
  }                                                                            \
  static void of_##NAME(int n, char* op) {                                     \
    static TYPE x[20000];                                                      \
    for (int i = 0; i < n; ++i) x[i] = NAME##_at(me(), i);                     \
    CALL;                                                                      \
    for (int i = 0; i < n; ++i) {                                              \
      TYPE expected = NAME##_at(0, i);                                         \
      if (op[0] == 'a') expected = ABSOLUTE(expected);                         \
      for (int rank = 1; rank < ranks(); ++rank) {                             \
        TYPE y = NAME##_at(rank, i);                                           \
        if (op[0] == 'a') y = ABSOLUTE(y);                                     \
        if (op[0] == '+') expected += y;                                       \
        if (op[0] == '*') expected *= y;                                       \
        if (strstr(op, "max") != NULL) expected = y > expected ? y : expected; \
        if (strstr(op, "min") != NULL) expected = y < expected ? y : expected; \
      }                                                                        \
      CHECK(x[i] == expected);                                                 \
    }                                                                          \
  }

TEST_TYPE(int, int, armci_msg_igop(x, n, op))
TEST_TYPE(long, long, armci_msg_lgop(x, n, op))
TEST_TYPE(long_long, long long, armci_msg_llgop(x, n, op))
TEST_TYPE(float, float, armci_msg_fgop(x, n, op))
TEST_TYPE(double, double, armci_msg_dgop(x, n, op))
TEST_TYPE(scope, double, armci_msg_gop_scope(SCOPE_ALL, x, n, op, ARMCI_DOUBLE))

static void bits(void) {
  int words[3] = {1 << me() % 30, 0, me() == 0 ? 64 : 0};
  long longs = 1L << (me() % 60);
  const int all = ranks() >= 30 ? (1 << 30) - 1 : (1 << ranks()) - 1;
  armci_msg_igop(words, 3, "or");
  armci_msg_lgop(&longs, 1, "or");
  CHECK(words[0] == all && words[1] == 0 && words[2] == 64);
  CHECK((int)(longs & all) == all);
}

/* Truth values: whatever is not zero is true, and the answer is 0 or 1. */
static void truths(void) {
  long longs[3] = {me() + 1, me() == 0 ? 0 : 7, 0};
  int ints[3] = {me() == ranks() - 1 ? -5 : 0, 0, 4};
  double doubles[2] = {0.5, me() == 0 ? 0 : 1};
  int masks[1] = {me() == 0 ? 6 : 3};
  armci_msg_lgop(longs, 3, "&&");
  CHECK(longs[0] == 1 && longs[1] == 0 && longs[2] == 0);
  armci_msg_igop(ints, 3, "||");
  CHECK(ints[0] == 1 && ints[1] == 0 && ints[2] == 1);
  armci_msg_dgop(doubles, 2, "land");
  CHECK(doubles[0] == 1 && doubles[1] == 0);
  armci_msg_igop(masks, 1, "band");
  CHECK(masks[0] == (ranks() == 1 ? 6 : 2));
}

/* To the first rank. */
static void reduced(void) {
  double values[2] = {me(), 1};
  int one = 1;
  armci_msg_reduce(values, 2, "+", ARMCI_DOUBLE);
  armci_msg_reduce_scope(SCOPE_ALL, &one, 1, "+", ARMCI_INT);
  if (me() == 0) CHECK(values[0] == ranks() * (ranks() - 1) / 2 && values[1] == ranks() && one == ranks());
}

/* Ranks of a scope that are by themselves: where each rank is a node, or there is only one. */
static void alone(void) {
  int ints[2] = {-3, 5};
  double doubles[2] = {-2, -0.5};
  if (ARMCI_Uses_shm() && ranks() > 1) return;
  armci_msg_clus_igop(ints, 2, "absmax");
  CHECK(ints[0] == 3 && ints[1] == 5);
  armci_msg_clus_igop(ints, 2, "&&");
  CHECK(ints[0] == 1 && ints[1] == 1);
  armci_msg_gop_scope(SCOPE_NODE, doubles, 2, "absmin", ARMCI_DOUBLE);
  CHECK(doubles[0] == 2 && doubles[1] == 0.5);
  armci_msg_clus_dgop(doubles, 2, "+");
  CHECK(doubles[0] == 2 && doubles[1] == 0.5);
}

void test_reductions(void) {
  static char* ops[] = {"+", "max", "min", "absmax", "absmin", "*"};
  static const int counts[] = {1, 3, 600, 20000};
  for (unsigned o = 0; o < 6; ++o)
    for (unsigned c = 0; c < 4; ++c) {
      if (counts[c] > 1000 && o != 0) continue;
      if (ops[o][0] == '*' && ranks() > 4) continue; /* more than a float holds */
      of_int(counts[c], ops[o]);
      of_long(counts[c], ops[o]);
      of_long_long(counts[c], ops[o]);
      of_float(counts[c], ops[o]);
      of_double(counts[c], ops[o]);
      of_scope(counts[c], ops[o]);
    }
  of_int(0, "+");
  bits();
  truths();
  alone();
  reduced();
}
