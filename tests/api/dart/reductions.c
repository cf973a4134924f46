/* Reductions: with predefined operations, and with those of the program. */
#include "check.h"

static void integers(dart_team_t team) {
  static const struct {
    dart_operation_t op;
    int first, other; /* of the member with id 0, and of all others */
    int alone, together;
  } kCases[] = {{DART_OP_MIN, 5, 3, 5, 3}, {DART_OP_MAX, 5, 3, 5, 5},  {DART_OP_BAND, 6, 3, 6, 2},
                {DART_OP_BOR, 6, 3, 6, 7}, {DART_OP_LAND, 2, 0, 1, 0}, {DART_OP_LOR, 0, 4, 0, 1}};
  const int alone = team_size(team) == 1;
  for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
    const int mine = team_me(team) == 0 ? kCases[i].first : kCases[i].other;
    const int logical = kCases[i].op == DART_OP_LAND || kCases[i].op == DART_OP_LOR;
    int all = -1;
    SUCCEED(dart_allreduce(&mine, &all, 1, DART_TYPE_INT, kCases[i].op, team));
    CHECK(alone && logical ? (all != 0) == kCases[i].alone : all == (alone ? kCases[i].alone : kCases[i].together));
  }
  const long ones[3] = {1, 1, -1};
  long found[3] = {0, 0, 0};
  const int odd = team_size(team) % 2;
  SUCCEED(dart_allreduce(ones, found, 3, DART_TYPE_LONG, DART_OP_BXOR, team));
  CHECK(found[0] == odd && found[1] == odd && found[2] == (odd ? -1 : 0));
  SUCCEED(dart_allreduce(ones, found, 3, DART_TYPE_LONG, DART_OP_PROD, team));
  CHECK(found[0] == 1 && found[2] == (odd ? -1 : 1));
  SUCCEED(dart_allreduce(ones, found, 3, DART_TYPE_LONG, DART_OP_LXOR, team));
  CHECK((found[0] != 0) == odd);
}

static void bytes_and_bools(void) {
  const char yes = 1, mine = me() == units() - 1 ? 0 : 1;
  char all = 5;
  SUCCEED(dart_allreduce(&yes, &all, 1, DART_TYPE_BYTE, DART_OP_BAND, DART_TEAM_ALL));
  CHECK(all == 1);
  SUCCEED(dart_allreduce(&mine, &all, 1, DART_TYPE_BYTE, DART_OP_BAND, DART_TEAM_ALL));
  CHECK(all == 0);
}

static void long_arrays(dart_team_t team) {
  enum { COUNT = 5000 };
  static size_t values[COUNT], found[COUNT];
  for (size_t i = 0; i < COUNT; ++i) values[i] = i * (size_t)(team_me(team) + 1);
  const size_t size = (size_t)team_size(team);
  SUCCEED(dart_allreduce(values, found, COUNT, DART_TYPE_SIZET, DART_OP_SUM, team));
  for (size_t i = 0; i < COUNT; ++i) CHECK(found[i] == i * (size * (size + 1) / 2));
  SUCCEED(dart_allreduce(values, values, COUNT, DART_TYPE_SIZET, DART_OP_SUM, team)); /* in place */
  CHECK(memcmp(values, found, sizeof values) == 0);
  for (int root = 0; root < team_size(team); ++root) {
    const double mine = 0.5 * team_me(team);
    double sum = -1;
    SUCCEED(dart_reduce(&mine, team_me(team) == root ? &sum : NULL, 1, DART_TYPE_DOUBLE, DART_OP_SUM,
                        DART_TEAM_UNIT_ID(root), team));
    if (team_me(team) == root) CHECK(sum == 0.25 * (double)(size * (size - 1)));
  }
}

static void least_and_largest(void) {
  const int mine[2] = {3 - me(), 3 + me()};
  const int64_t wide[4] = {me(), me(), -me(), -me()};
  int pair[2];
  int64_t pairs[4];
  const int last = units() - 1;
  SUCCEED(dart_allreduce(mine, pair, 2, DART_TYPE_INT, DART_OP_MINMAX, DART_TEAM_ALL));
  CHECK(pair[DART_OP_MINMAX_MIN] == 3 - last && pair[DART_OP_MINMAX_MAX] == 3 + last);
  SUCCEED(dart_allreduce(wide, pairs, 4, DART_TYPE_LONGLONG, DART_OP_MINMAX, DART_TEAM_ALL));
  CHECK(pairs[0] == 0 && pairs[1] == last && pairs[2] == -last && pairs[3] == 0);
}

static int calls;

/* Sums, and counts its elements; `data` is the caller's own. */
static void add(const void* in, void* inout, size_t count, void* data) {
  const int* const one = in;
  int* const two = inout;
  CHECK(count > 0 && *(int*)data == 4711 + me());
  ++calls;
  for (size_t i = 0; i < count; ++i) two[i] += one[i];
}

static void an_operation_with_data(dart_team_t team) {
  int data = 4711 + me(), sum[3] = {0};
  const int mine[3] = {1, team_me(team), -1};
  const int size = team_size(team);
  dart_operation_t op;
  calls = 0;
  SUCCEED(dart_op_create(add, &data, true, DART_TYPE_INT, false, &op));
  SUCCEED(dart_allreduce(mine, sum, 3, DART_TYPE_INT, op, team));
  CHECK(sum[0] == size && sum[1] == size * (size - 1) / 2 && sum[2] == -size);
  sum[0] = 0;
  SUCCEED(dart_reduce(mine, sum, 3, DART_TYPE_INT, op, DART_TEAM_UNIT_ID(0), team));
  CHECK(team_me(team) != 0 || (sum[0] == size && sum[2] == -size));
  SUCCEED(dart_op_destroy(&op));
}

/* Texts that are put together: associative, and nothing else. */
struct text {
  long double aligned;
  int length;
  char letters[20];
};

static void join(const void* in, void* inout, size_t count, void* data) {
  const struct text* const one = in;
  struct text* const two = inout;
  CHECK(count == 1 && data == NULL && (uintptr_t)in % 16 == 0 && (uintptr_t)inout % 16 == 0);
  struct text both = *one;
  memcpy(both.letters + one->length, two->letters, (size_t)two->length);
  both.length += two->length;
  *two = both;
}

static void objects_in_the_order_of_units(void) {
  struct text mine = {.aligned = 0, .length = 1, .letters = {(char)('a' + me())}}, all;
  dart_datatype_t type;
  dart_operation_t op;
  SUCCEED(dart_type_create_custom(sizeof mine, &type));
  SUCCEED(dart_op_create(join, NULL, false, type, true, &op));
  SUCCEED(dart_allreduce(&mine, &all, 1, type, op, DART_TEAM_ALL));
  CHECK(all.length == units());
  for (int unit = 0; unit < units(); ++unit) CHECK(all.letters[unit] == 'a' + unit);
  SUCCEED(dart_reduce(&mine, &all, 1, type, op, DART_TEAM_UNIT_ID(units() - 1), DART_TEAM_ALL));
  SUCCEED(dart_type_destroy(&type)); /* before the operation */
  SUCCEED(dart_op_destroy(&op));
  if (me() == units() - 1)
    for (int unit = 0; unit < units(); ++unit) CHECK(all.letters[unit] == 'a' + unit);
}

static void wrong_use_is_refused(void) {
  int data = 0, value = 1, found;
  double real = 1;
  dart_operation_t op;
  SUCCEED(dart_op_create(add, &data, true, DART_TYPE_INT, false, &op));
  REFUSED(dart_allreduce(&real, &found, 1, DART_TYPE_DOUBLE, op, DART_TEAM_ALL)); /* made for int */
  REFUSED(dart_allreduce(&real, &found, 1, DART_TYPE_DOUBLE, DART_OP_BAND, DART_TEAM_ALL));
  REFUSED(dart_allreduce(&value, &found, 1, DART_TYPE_INT, DART_OP_MINMAX, DART_TEAM_ALL)); /* half a pair */
  REFUSED(dart_allreduce(&value, &found, 1, DART_TYPE_INT, DART_OP_REPLACE, DART_TEAM_ALL));
  REFUSED(dart_reduce(&value, &found, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_UNIT_ID(units()), DART_TEAM_ALL));
  SUCCEED(dart_op_destroy(&op));
}

void test_reductions(void) {
  dart_team_t half = team_of(DART_TEAM_ALL, me() % 2, 2);
  integers(DART_TEAM_ALL);
  integers(half);
  bytes_and_bools();
  long_arrays(DART_TEAM_ALL);
  long_arrays(half);
  least_and_largest();
  an_operation_with_data(DART_TEAM_ALL);
  an_operation_with_data(half);
  objects_in_the_order_of_units();
  wrong_use_is_refused();
  SUCCEED(dart_team_destroy(&half));
}
