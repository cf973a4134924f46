/* Memory of the program's own, of unequal size, deregistered by each unit as it likes. */
#include "check.h"

enum { BUCKETS = 6 };

/* Unit u offers u + bucket ints, and none if that is a multiple of 3. */
static size_t elements_of(int unit, int bucket) {
  return (unit + bucket) % 3 == 0 ? 0 : (size_t)(unit + bucket);
}

static dart_gptr_t offer(int bucket, int** memory) {
  dart_gptr_t pointer;
  const size_t elements = elements_of(me(), bucket);
  *memory = elements == 0 ? NULL : malloc(elements * sizeof(int));
  for (size_t i = 0; i < elements; ++i) (*memory)[i] = 1000 * me() + 100 * bucket + (int)i;
  SUCCEED(dart_team_memregister(DART_TEAM_ALL, elements, DART_TYPE_INT, *memory, &pointer));
  CHECK(pointer.segid < 0 && pointer.unitid == 0 && pointer.addr_or_offs.offset == 0 && !DART_GPTR_ISNULL(pointer));
  return pointer;
}

static void expect_equal_numbers(const dart_gptr_t* pointers) {
  short numbers[BUCKETS], least[BUCKETS], most[BUCKETS];
  for (int i = 0; i < BUCKETS; ++i) numbers[i] = pointers[i].segid;
  SUCCEED(dart_allreduce(numbers, least, BUCKETS, DART_TYPE_SHORT, DART_OP_MIN, DART_TEAM_ALL));
  SUCCEED(dart_allreduce(numbers, most, BUCKETS, DART_TYPE_SHORT, DART_OP_MAX, DART_TEAM_ALL));
  CHECK(memcmp(least, numbers, sizeof numbers) == 0 && memcmp(most, numbers, sizeof numbers) == 0);
}

static void expect_contents(dart_gptr_t pointer, int bucket) {
  int found[64];
  for (int unit = 0; unit < units(); ++unit) {
    const size_t elements = elements_of(unit, bucket);
    CHECK(elements <= sizeof found / sizeof *found);
    SUCCEED(dart_get_blocking(found, at(pointer, unit, 0), elements, DART_TYPE_INT, DART_TYPE_INT));
    for (size_t i = 0; i < elements; ++i) CHECK(found[i] == 1000 * unit + 100 * bucket + (int)i);
  }
}

/* Each unit takes back another one of the first buckets, so that free numbers differ, and all offer new ones. */
static void numbers_agree_whatever_was_freed(void) {
  dart_gptr_t pointers[2 * BUCKETS];
  int* memory[2 * BUCKETS];
  for (int i = 0; i < BUCKETS; ++i) pointers[i] = offer(i, &memory[i]);
  expect_equal_numbers(pointers);
  for (int i = 0; i < BUCKETS; ++i) expect_contents(pointers[i], i);
  barrier();
  const int mine = me() % BUCKETS;
  SUCCEED(dart_team_memderegister(pointers[mine]));
  for (int i = BUCKETS; i < 2 * BUCKETS; ++i) pointers[i] = offer(i, &memory[i]);
  expect_equal_numbers(pointers + BUCKETS);
  for (int i = BUCKETS; i < 2 * BUCKETS; ++i) {
    for (int j = 0; j < BUCKETS; ++j) CHECK(j == mine || pointers[i].segid != pointers[j].segid);
    expect_contents(pointers[i], i);
  }
  barrier();
  for (int i = 2 * BUCKETS; i-- > 0;) {
    if (i != mine) SUCCEED(dart_team_memderegister(pointers[i]));
    free(memory[i]);
  }
}

static void written_from_elsewhere_at_any_alignment(void) {
  char* const memory = calloc(1, 64);
  char* const odd = memory + 3;
  dart_gptr_t pointer;
  const int value = me();
  SUCCEED(dart_team_memregister_aligned(DART_TEAM_ALL, 60, DART_TYPE_BYTE, odd, &pointer));
  CHECK(own_part(pointer) == odd);
  SUCCEED(dart_put_blocking(at(pointer, next(), 5), &value, sizeof value, DART_TYPE_BYTE, DART_TYPE_BYTE));
  barrier();
  int found;
  memcpy(&found, odd + 5, sizeof found);
  CHECK(found == previous() && odd[4] == 0 && odd[9] == 0);
  barrier();
  SUCCEED(dart_team_memderegister(pointer));
  REFUSED(dart_team_memderegister(pointer));
  SUCCEED(dart_team_memderegister(DART_GPTR_NULL));
  free(memory);
}

static void counted_by_all(void) {
  long* const counter = calloc(1, sizeof(long));
  dart_gptr_t pointer;
  const long one = 1;
  SUCCEED(
      dart_team_memregister(DART_TEAM_ALL, me() == 0 ? 1 : 0, DART_TYPE_LONG, me() == 0 ? counter : NULL, &pointer));
  for (int i = 0; i < 50; ++i) SUCCEED(dart_accumulate(at(pointer, 0, 0), &one, 1, DART_TYPE_LONG, DART_OP_SUM));
  SUCCEED(dart_flush(pointer));
  barrier();
  if (me() == 0) CHECK(*counter == 50L * units());
  barrier();
  SUCCEED(dart_team_memderegister(pointer));
  free(counter);
}

/* An accumulate that comes when its memory has been taken back does not reach what has the number of its segment then. */
static void taken_back_while_others_accumulate(void) {
  if (units() < 3) return;
  const long double one = 1;
  for (int round = 0; round < 10; ++round) {
    dart_team_t second = pair_with(2);
    dart_gptr_t pointer, after = DART_GPTR_NULL;
    long double* const memory = me() == 0 ? calloc(1, sizeof *memory) : NULL;
    SUCCEED(dart_team_memregister(DART_TEAM_ALL, me() == 0 ? 1 : 0, DART_TYPE_LONG_DOUBLE, memory, &pointer));
    barrier();
    for (int i = 0; i < 1000 && me() == 1; ++i)
      SUCCEED(dart_accumulate(at(pointer, 0, 0), &one, 1, DART_TYPE_LONG_DOUBLE, DART_OP_SUM));
    if (me() == 0) SUCCEED(dart_team_memderegister(pointer));
    if (me() == 0 || me() == 2) after = allocate(second, 1, DART_TYPE_LONG_DOUBLE);
    if (me() == 1) (void)dart_flush(pointer); /* an error, unless all of them came in time */
    barrier();
    if (me() == 0) CHECK(*(long double*)own_part(after) == 0);
    if (me() != 0) SUCCEED(dart_team_memderegister(pointer));
    if (me() == 0 || me() == 2) SUCCEED(dart_team_destroy(&second));
    free(memory);
  }
}

void test_registered(void) {
  numbers_agree_whatever_was_freed();
  written_from_elsewhere_at_any_alignment();
  counted_by_all();
  taken_back_while_others_accumulate();
}
