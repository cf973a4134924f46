/* Collective allocations and the pool of each unit. */
#include "check.h"

static void numbers_count_up_and_come_again(void) {
  dart_team_t team = team_of(DART_TEAM_ALL, 0, 1);
  dart_gptr_t first = allocate(team, 8, DART_TYPE_INT), second = allocate(team, 8, DART_TYPE_INT);
  CHECK(first.segid == 1 && second.segid == 2 && first.teamid == team && first.unitid == 0);
  CHECK(first.addr_or_offs.offset == 0 && first.flags == 0);
  release(first);
  first = allocate(team, 8, DART_TYPE_INT);
  CHECK(first.segid == 1);
  release(second);
  release(first);
  second = allocate(team, 8, DART_TYPE_INT);
  CHECK(second.segid == 1); /* the last that was freed */
  release(second);
  SUCCEED(dart_team_destroy(&team));
}

static void memory_is_zero_and_aligned(void) {
  for (int round = 0; round < 3; ++round) {
    dart_gptr_t pointer = allocate(DART_TEAM_ALL, 1000, DART_TYPE_LONG_DOUBLE);
    unsigned char* const mine = own_part(pointer);
    CHECK((uintptr_t)mine % 16 == 0);
    for (int i = 0; i < 16000; ++i) CHECK(mine[i] == 0);
    memset(mine, 0xAB, 16000);
    release(pointer);
  }
}

/* Unit u gets u elements, and the first one none. */
static void parts_of_unequal_size(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, (size_t)me(), DART_TYPE_INT),
              empty = allocate(DART_TEAM_ALL, 0, DART_TYPE_BYTE);
  CHECK(!DART_GPTR_ISNULL(empty) && empty.segid != pointer.segid);
  int* const mine = me() > 0 ? own_part(pointer) : NULL;
  for (int i = 0; i < me(); ++i) mine[i] = 100 * me() + i;
  barrier();
  for (int unit = 1; unit < units(); ++unit) {
    int found[64];
    SUCCEED(dart_get_blocking(found, at(pointer, unit, 0), (size_t)unit, DART_TYPE_INT, DART_TYPE_INT));
    for (int i = 0; i < unit; ++i) CHECK(found[i] == 100 * unit + i);
    REFUSED(dart_get_blocking(found, at(pointer, unit, 0), (size_t)unit + 1, DART_TYPE_INT, DART_TYPE_INT));
  }
  release(empty);
  release(pointer);
}

static void the_pool_of_each_unit(void) {
  dart_gptr_t three, one, all[2];
  void *three_at, *one_at;
  SUCCEED(dart_memalloc(3, DART_TYPE_INT, &three));
  SUCCEED(dart_memalloc(1, DART_TYPE_INT, &one));
  CHECK(three.segid == DART_SEGMENT_LOCAL && three.teamid == DART_TEAM_ALL && three.unitid == me());
  SUCCEED(dart_gptr_getaddr(three, &three_at));
  SUCCEED(dart_gptr_getaddr(one, &one_at));
  CHECK((char*)one_at >= (char*)three_at + 16);
  *(int*)one_at = 1000 + me();
  dart_gptr_t* const pointers = malloc((size_t)units() * sizeof(dart_gptr_t));
  SUCCEED(dart_allgather(&one, pointers, sizeof(dart_gptr_t), DART_TYPE_BYTE, DART_TEAM_ALL));
  int value = 0;
  SUCCEED(dart_get_blocking(&value, pointers[next()], 1, DART_TYPE_INT, DART_TYPE_INT));
  CHECK(value == 1000 + next());
  free(pointers);
  barrier();
  SUCCEED(dart_memfree(three));
  REFUSED(dart_memfree(three));
  REFUSED(dart_memfree(DART_GPTR_NULL));
  SUCCEED(dart_memfree(one));
  /* All of the 16 MiB, and no byte more. */
  SUCCEED(dart_memalloc(16u << 20, DART_TYPE_BYTE, &all[0]));
  be_quiet(1);
  EXPECT(DART_ERR_OTHER, dart_memalloc(1, DART_TYPE_BYTE, &all[1]));
  be_quiet(0);
  CHECK(DART_GPTR_ISNULL(all[1]));
  SUCCEED(dart_memfree(all[0]));
}

static void wrong_use_is_refused(void) {
  dart_datatype_t custom;
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 1, DART_TYPE_INT), none = pointer;
  REFUSED(dart_team_memalloc_aligned(99, 1, DART_TYPE_INT, &none));
  CHECK(DART_GPTR_ISNULL(none));
  SUCCEED(dart_type_create_custom(8, &custom));
  REFUSED(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, custom, &none));
  SUCCEED(dart_type_destroy(&custom));
  REFUSED(dart_memalloc(1, DART_TYPE_UNDEFINED, &none));
  SUCCEED(dart_team_memfree(DART_GPTR_NULL));
  none = pointer;
  none.segid = 1234;
  REFUSED(dart_team_memfree(none));
  REFUSED(dart_team_memderegister(pointer));
  release(pointer);
}

void test_memory(void) {
  numbers_count_up_and_come_again();
  memory_is_zero_and_aligned();
  parts_of_unequal_size();
  the_pool_of_each_unit();
  wrong_use_is_refused();
}
