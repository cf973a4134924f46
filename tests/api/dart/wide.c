/* Elements of 16 bytes: long double. */
#include "check.h"

static void counted_by_all(void) {
  enum { ROUNDS = 25 };
  dart_gptr_t pointer = at(allocate(DART_TEAM_ALL, 1, DART_TYPE_LONG_DOUBLE), 0, 0);
  const long double half = 0.5L;
  for (int i = 0; i < ROUNDS; ++i) {
    long double before = -1;
    SUCCEED(dart_accumulate(pointer, &half, 1, DART_TYPE_LONG_DOUBLE, DART_OP_SUM));
    SUCCEED(dart_fetch_and_op(pointer, &half, &before, DART_TYPE_LONG_DOUBLE, DART_OP_SUM));
    SUCCEED(dart_flush(pointer));
    CHECK(before >= i && before <= ROUNDS * units());
  }
  barrier();
  long double sum = 0;
  SUCCEED(dart_fetch_and_op(pointer, NULL, &sum, DART_TYPE_LONG_DOUBLE, DART_OP_NO_OP));
  SUCCEED(dart_flush_local(pointer));
  CHECK(sum == (long double)(ROUNDS * units()));
  release(pointer);
}

/* An accumulate that nobody has flushed ends with its memory, and does not reach what comes after it. */
static void forgotten_before_the_memory_goes(void) {
  const long double one = 1;
  for (int round = 0; round < 50; ++round) {
    dart_gptr_t pointer = allocate(DART_TEAM_ALL, 1, DART_TYPE_LONG_DOUBLE);
    for (int i = 0; i < 5; ++i)
      SUCCEED(dart_accumulate(at(pointer, next(), 0), &one, 1, DART_TYPE_LONG_DOUBLE, DART_OP_SUM));
    SUCCEED(dart_team_memfree(pointer));
    pointer = allocate(DART_TEAM_ALL, 1, DART_TYPE_LONG_DOUBLE);
    CHECK(*(long double*)own_part(pointer) == 0);
    barrier();
    CHECK(*(long double*)own_part(pointer) == 0);
    release(pointer);
  }
}

/* Nor does one of a unit that has nothing to do with what comes after it. */
static void forgotten_before_the_team_goes(void) {
  if (units() < 3) return;
  const long double one = 1;
  for (int round = 0; round < 10; ++round) {
    dart_team_t first = pair_with(1), second = pair_with(2);
    if (me() < 2) {
      const dart_gptr_t pointer = allocate(first, 1, DART_TYPE_LONG_DOUBLE);
      for (int i = 0; i < 1000 && me() == 1; ++i)
        SUCCEED(dart_accumulate(at(pointer, 0, 0), &one, 1, DART_TYPE_LONG_DOUBLE, DART_OP_SUM));
      SUCCEED(dart_team_destroy(&first));
    }
    dart_gptr_t after = DART_GPTR_NULL;
    if (me() == 0 || me() == 2) after = allocate(second, 1, DART_TYPE_LONG_DOUBLE);
    barrier();
    if (me() == 0) CHECK(*(long double*)own_part(after) == 0);
    if (me() == 0 || me() == 2) SUCCEED(dart_team_destroy(&second));
  }
}

static void replaced_and_moved(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 3, DART_TYPE_LONG_DOUBLE);
  dart_gptr_t there = at(pointer, next(), 16);
  const long double first = 1.25L + me(), second = -2.5L;
  long double before = 0, now = 0;
  SUCCEED(dart_put_blocking(there, &first, 1, DART_TYPE_LONG_DOUBLE, DART_TYPE_LONG_DOUBLE));
  SUCCEED(dart_fetch_and_op(there, &second, &before, DART_TYPE_LONG_DOUBLE, DART_OP_REPLACE));
  SUCCEED(dart_flush(there));
  SUCCEED(dart_get_blocking(&now, there, 1, DART_TYPE_LONG_DOUBLE, DART_TYPE_LONG_DOUBLE));
  CHECK(before == first && now == second);
  barrier();
  const long double* const mine = own_part(pointer);
  CHECK(mine[0] == 0 && mine[1] == second && mine[2] == 0);
  release(pointer);
}

static void reduced(void) {
  const long double values[2] = {1.5L * me(), 7.0L - me()};
  long double sum[2], least[2];
  SUCCEED(dart_allreduce(values, sum, 2, DART_TYPE_LONG_DOUBLE, DART_OP_SUM, DART_TEAM_ALL));
  SUCCEED(dart_allreduce(values, least, 2, DART_TYPE_LONG_DOUBLE, DART_OP_MIN, DART_TEAM_ALL));
  CHECK(sum[0] == 0.75L * units() * (units() - 1));
  CHECK(least[0] == 0 && least[1] == 8.0L - units());
}

void test_wide(void) {
  counted_by_all();
  forgotten_before_the_memory_goes();
  forgotten_before_the_team_goes();
  replaced_and_moved();
  reduced();
}
