/* Put and get of what lies in one piece, and the flushes. */
#include "check.h"

enum { MANY = 1000, LARGE = 3 << 20 };

static void complete_at_return(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, MANY, DART_TYPE_DOUBLE);
  double sent[MANY], found[MANY];
  for (int i = 0; i < MANY; ++i) sent[i] = me() + i * 0.5;
  SUCCEED(dart_put_blocking(at(pointer, next(), 0), sent, MANY, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  barrier();
  const double* const mine = own_part(pointer);
  for (int i = 0; i < MANY; ++i) CHECK(mine[i] == previous() + i * 0.5);
  SUCCEED(dart_get_blocking(found, at(pointer, next(), 8), MANY - 1, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  CHECK(memcmp(found, sent + 1, sizeof found - sizeof(double)) == 0);
  release(pointer);
}

/* Each of all units writes a byte of its own beside those of the others. */
static void exact_to_the_byte(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 64, DART_TYPE_BYTE);
  const char mark = (char)('A' + me());
  for (int unit = 0; unit < units(); ++unit)
    SUCCEED(dart_put(at(pointer, unit, (size_t)me() + 1), &mark, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
  SUCCEED(dart_flush_all(pointer));
  barrier();
  const char* const mine = own_part(pointer);
  for (int i = 0; i < 64; ++i) CHECK(mine[i] == (i >= 1 && i <= units() ? 'A' + i - 1 : 0));
  release(pointer);
}

/* One call for each run, and one flush for all. */
static void many_and_one_flush(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, MANY, DART_TYPE_INT);
  static int sent[MANY], found[MANY];
  int* const mine = own_part(pointer);
  for (int i = 0; i < MANY; ++i) sent[i] = MANY * me() + i;
  for (int i = 0; i < MANY; i += 10)
    SUCCEED(dart_put(at(pointer, next(), (size_t)i * sizeof(int)), sent + i, 10, DART_TYPE_INT, DART_TYPE_INT));
  SUCCEED(dart_flush(at(pointer, next(), 0)));
  barrier();
  for (int i = 0; i < MANY; ++i) CHECK(mine[i] == MANY * previous() + i);
  for (int i = 0; i < MANY; i += 10)
    SUCCEED(dart_get(found + i, at(pointer, next(), (size_t)i * sizeof(int)), 10, DART_TYPE_INT, DART_TYPE_INT));
  SUCCEED(me() % 2 == 0 ? dart_flush_local_all(pointer) : dart_flush_local(at(pointer, next(), 0)));
  CHECK(memcmp(found, sent, sizeof sent) == 0);
  release(pointer);
}

static void of_some_megabytes(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, LARGE, DART_TYPE_BYTE);
  char* const bytes = malloc(LARGE);
  for (int i = 0; i < LARGE; ++i) bytes[i] = (char)(i * 7 + me());
  SUCCEED(dart_put(at(pointer, next(), 0), bytes, LARGE, DART_TYPE_BYTE, DART_TYPE_BYTE));
  SUCCEED(dart_flush(at(pointer, next(), 0)));
  barrier();
  SUCCEED(dart_get_blocking(bytes, at(pointer, me(), 0), LARGE, DART_TYPE_BYTE, DART_TYPE_BYTE));
  for (int i = 0; i < LARGE; ++i) CHECK(bytes[i] == (char)(i * 7 + previous()));
  free(bytes);
  release(pointer);
}

/* A flag that is put after the data is not seen before it; who waits reads its own memory again and again. */
static void flags_follow_data(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 2, DART_TYPE_INT);
  for (int round = 1; round <= 20; ++round) {
    int* const mine = own_part(pointer);
    mine[0] = 100 * round + me(); /* a plain store, which the neighbour gets after our flag */
    SUCCEED(dart_put_blocking(at(pointer, next(), sizeof(int)), &round, 1, DART_TYPE_INT, DART_TYPE_INT));
    int flag = 0, data = 0;
    while (flag != round)
      SUCCEED(dart_get_blocking(&flag, at(pointer, me(), sizeof(int)), 1, DART_TYPE_INT, DART_TYPE_INT));
    SUCCEED(dart_get_blocking(&data, at(pointer, previous(), 0), 1, DART_TYPE_INT, DART_TYPE_INT));
    CHECK(data == 100 * round + previous());
    barrier();
  }
  release(pointer);
}

static void wrong_use_is_refused(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 4, DART_TYPE_INT), elsewhere = pointer;
  int value[8] = {0};
  SUCCEED(dart_put(at(pointer, next(), 0), value, 0, DART_TYPE_INT, DART_TYPE_INT));
  SUCCEED(dart_get(value, at(pointer, units(), 0), 0, DART_TYPE_INT, DART_TYPE_INT)); /* as behind the last unit */
  SUCCEED(dart_flush(at(pointer, units(), 0)));
  REFUSED(dart_put(at(pointer, next(), 0), value, 1, DART_TYPE_INT, DART_TYPE_DOUBLE));
  REFUSED(dart_put(at(pointer, next(), 0), value, 1, DART_TYPE_INT, DART_TYPE_FLOAT));
  REFUSED(dart_put(at(pointer, next(), 0), value, 1, DART_TYPE_UNDEFINED, DART_TYPE_UNDEFINED));
  REFUSED(dart_put_blocking(at(pointer, next(), 0), value, 5, DART_TYPE_INT, DART_TYPE_INT));
  REFUSED(dart_put_blocking(at(pointer, next(), (size_t)-4), value, 1, DART_TYPE_INT, DART_TYPE_INT));
  REFUSED(dart_get(value, at(pointer, -1, 0), 1, DART_TYPE_INT, DART_TYPE_INT));
  REFUSED(dart_get(value, at(pointer, units() + 1, 0), 1, DART_TYPE_INT, DART_TYPE_INT));
  REFUSED(dart_get(NULL, pointer, 1, DART_TYPE_INT, DART_TYPE_INT));
  elsewhere.segid = 77;
  REFUSED(dart_get_blocking(value, elsewhere, 1, DART_TYPE_INT, DART_TYPE_INT));
  REFUSED(dart_flush(elsewhere));
  REFUSED(dart_flush_all(elsewhere));
  elsewhere.teamid = 55;
  REFUSED(dart_flush_local(elsewhere));
  REFUSED(dart_flush_local_all(elsewhere));
  release(pointer);
}

void test_transfers(void) {
  complete_at_return();
  exact_to_the_byte();
  many_and_one_flush();
  of_some_megabytes();
  flags_follow_data();
  wrong_use_is_refused();
}
