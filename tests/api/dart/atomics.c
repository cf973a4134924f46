/* Atomic updates of elements, of others and of the unit itself. */
#include "check.h"

/* Every unit adds to element u of every unit's part, all at once. */
#define COUNT_WITH(TYPE, DATATYPE)                                                                            \
  static void count_##TYPE(void) {                                                                            \
    enum { ROUNDS = 20 };                                                                                     \
    dart_gptr_t pointer = allocate(DART_TEAM_ALL, (size_t)units(), DATATYPE);                                 \
    const TYPE one = 1;                                                                                       \
    for (int i = 0; i < ROUNDS; ++i)                                                                          \
      for (int unit = 0; unit < units(); ++unit)                                                              \
        SUCCEED(dart_accumulate(at(pointer, (me() + unit) % units(), sizeof(TYPE) * (size_t)(unit)), &one, 1, \
                                DATATYPE, DART_OP_SUM));                                                      \
    SUCCEED(dart_flush_all(pointer));                                                                         \
    barrier();                                                                                                \
    const TYPE* const mine = own_part(pointer);                                                               \
    for (int i = 0; i < units(); ++i) CHECK(mine[i] == (TYPE)(ROUNDS));                                       \
    release(pointer);                                                                                         \
  }

typedef unsigned long ulong_t;
typedef long long longlong_t;
COUNT_WITH(char, DART_TYPE_BYTE)
COUNT_WITH(short, DART_TYPE_SHORT)
COUNT_WITH(int, DART_TYPE_INT)
COUNT_WITH(unsigned, DART_TYPE_UINT)
COUNT_WITH(ulong_t, DART_TYPE_ULONG)
COUNT_WITH(longlong_t, DART_TYPE_LONGLONG)
COUNT_WITH(float, DART_TYPE_FLOAT)
COUNT_WITH(double, DART_TYPE_DOUBLE)

/* What one unit alone makes of 12 with 10. */
static void each_operation(int unit) {
  static const struct {
    dart_operation_t op;
    int result;
  } kCases[] = {{DART_OP_MIN, 10}, {DART_OP_MAX, 12}, {DART_OP_SUM, 22},     {DART_OP_PROD, 120},
                {DART_OP_BAND, 8}, {DART_OP_LAND, 1}, {DART_OP_BOR, 14},     {DART_OP_LOR, 1},
                {DART_OP_BXOR, 6}, {DART_OP_LXOR, 0}, {DART_OP_REPLACE, 10}, {DART_OP_NO_OP, 12}};
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, (size_t)units() * 2, DART_TYPE_INT);
  dart_gptr_t mine = at(pointer, unit, (size_t)me() * 2 * sizeof(int));
  const int ten = 10, twelve = 12;
  for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
    int before = -1, after = -1;
    SUCCEED(dart_put_blocking(mine, &twelve, 1, DART_TYPE_INT, DART_TYPE_INT));
    SUCCEED(dart_fetch_and_op(mine, &ten, &before, DART_TYPE_INT, kCases[i].op));
    SUCCEED(dart_flush(mine));
    SUCCEED(dart_fetch_and_op(mine, &ten, &after, DART_TYPE_INT, DART_OP_NO_OP));
    SUCCEED(dart_flush_local(mine));
    CHECK(before == 12 && after == kCases[i].result);
    SUCCEED(dart_put_blocking(mine, &twelve, 1, DART_TYPE_INT, DART_TYPE_INT));
    SUCCEED(dart_accumulate_blocking_local(mine, &ten, 1, DART_TYPE_INT, kCases[i].op));
    SUCCEED(dart_flush(mine));
    SUCCEED(dart_get_blocking(&after, mine, 1, DART_TYPE_INT, DART_TYPE_INT));
    CHECK(after == kCases[i].result);
  }
  release(pointer);
}

/* All units into one block, which is then sent to all from the same memory. */
static void long_ones_into_one_block(void) {
  enum { COUNT = 30000 };
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, COUNT, DART_TYPE_DOUBLE);
  double* const values = malloc(COUNT * sizeof(double));
  for (int i = 0; i < COUNT; ++i) values[i] = i + me();
  SUCCEED(dart_accumulate(at(pointer, units() - 1, 0), values, COUNT, DART_TYPE_DOUBLE, DART_OP_SUM));
  SUCCEED(dart_flush(at(pointer, units() - 1, 0)));
  barrier();
  SUCCEED(dart_bcast(own_part(pointer), COUNT, DART_TYPE_DOUBLE, DART_TEAM_UNIT_ID(units() - 1), DART_TEAM_ALL));
  const double* const found = own_part(pointer);
  const double of_units = units() * (units() - 1) / 2.0;
  for (int i = 0; i < COUNT; ++i) CHECK(found[i] == (double)i * units() + of_units);
  free(values);
  release(pointer);
}

static void pairs_of_least_and_largest(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 4, DART_TYPE_INT);
  const int values[4] = {-me(), me(), 5 - me(), 5 + me()};
  SUCCEED(dart_accumulate(at(pointer, 0, 0), values, 4, DART_TYPE_INT, DART_OP_MINMAX));
  SUCCEED(dart_flush(at(pointer, 0, 0)));
  barrier();
  if (me() == 0) {
    const int* const mine = own_part(pointer);
    const int last = units() - 1;
    CHECK(mine[0] == -last && mine[1] == last && mine[2] == (5 - last < 0 ? 5 - last : 0) && mine[3] == 5 + last);
  }
  release(pointer);
}

/* Each unit gets one ticket: whoever finds the value before its own. */
#define TICKETS_WITH(TYPE, DATATYPE)                                                  \
  static void tickets_##TYPE(void) {                                                  \
    dart_gptr_t pointer = at(allocate(DART_TEAM_ALL, 1, DATATYPE), 0, 0);             \
    TYPE expected = 0, found, swapped;                                                \
    for (;; expected = found) {                                                       \
      swapped = (TYPE)(expected + 1);                                                 \
      SUCCEED(dart_compare_and_swap(pointer, &swapped, &expected, &found, DATATYPE)); \
      SUCCEED(dart_flush(pointer));                                                   \
      if (found == expected) break;                                                   \
    }                                                                                 \
    barrier();                                                                        \
    SUCCEED(dart_get_blocking(&found, pointer, 1, DATATYPE, DATATYPE));               \
    CHECK(found == (TYPE)units());                                                    \
    release(pointer);                                                                 \
  }
TICKETS_WITH(char, DART_TYPE_BYTE)
TICKETS_WITH(short, DART_TYPE_SHORT)
TICKETS_WITH(unsigned, DART_TYPE_UINT)
TICKETS_WITH(ulong_t, DART_TYPE_ULONGLONG)

/* Who waits looks at its own memory with an operation that changes nothing. */
static void a_spinning_receiver(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 1, DART_TYPE_INT);
  const int one = 1;
  int seen = 0;
  SUCCEED(dart_accumulate(at(pointer, next(), 0), &one, 1, DART_TYPE_INT, DART_OP_SUM));
  SUCCEED(dart_flush(at(pointer, next(), 0)));
  while (seen == 0) {
    SUCCEED(dart_fetch_and_op(at(pointer, me(), 0), &seen, &seen, DART_TYPE_INT, DART_OP_NO_OP));
    SUCCEED(dart_flush_local(at(pointer, me(), 0)));
  }
  CHECK(seen == 1);
  release(pointer);
}

static void wrong_use_is_refused(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 2, DART_TYPE_DOUBLE);
  double value = 1, found;
  dart_datatype_t custom;
  SUCCEED(dart_type_create_custom(8, &custom));
  REFUSED(dart_accumulate(at(pointer, next(), 0), &value, 1, custom, DART_OP_SUM));
  REFUSED(dart_accumulate(at(pointer, next(), 0), &value, 1, DART_TYPE_DOUBLE, DART_OP_BAND));
  REFUSED(dart_accumulate(at(pointer, next(), 0), &value, 1, DART_TYPE_DOUBLE, DART_OP_UNDEFINED));
  REFUSED(dart_accumulate(at(pointer, next(), 0), &value, 1, DART_TYPE_DOUBLE, DART_OP_LAST + 9));
  REFUSED(dart_accumulate(at(pointer, next(), 0), &value, 3, DART_TYPE_DOUBLE, DART_OP_SUM));
  REFUSED(dart_fetch_and_op(at(pointer, next(), 4), &value, &found, DART_TYPE_DOUBLE, DART_OP_SUM));
  REFUSED(dart_fetch_and_op(at(pointer, next(), 0), NULL, &found, DART_TYPE_DOUBLE, DART_OP_SUM));
  REFUSED(dart_compare_and_swap(at(pointer, next(), 0), &value, &value, &found, DART_TYPE_DOUBLE));
  REFUSED(dart_compare_and_swap(at(pointer, units(), 0), &value, &value, &found, DART_TYPE_LONG));
  SUCCEED(dart_type_destroy(&custom));
  release(pointer);
}

void test_atomics(void) {
  count_char();
  count_short();
  count_int();
  count_unsigned();
  count_ulong_t();
  count_longlong_t();
  count_float();
  count_double();
  each_operation(me());
  each_operation(next());
  long_ones_into_one_block();
  pairs_of_least_and_largest();
  tickets_char();
  tickets_short();
  tickets_unsigned();
  tickets_ulong_t();
  a_spinning_receiver();
  wrong_use_is_refused();
}
