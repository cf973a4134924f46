/* Global pointers. */
#include "check.h"

static void only_the_own_part_has_an_address(void) {
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 16, DART_TYPE_INT);
  void* address = &pointer;
  char* const mine = own_part(pointer);
  for (int unit = 0; unit <= units(); ++unit) { /* the unit behind the last one, too */
    SUCCEED(dart_gptr_getaddr(at(pointer, unit, 0), &address));
    CHECK(address == (unit == me() ? mine : NULL));
  }
  SUCCEED(dart_gptr_getaddr(at(pointer, me(), 64), &address)); /* past the end */
  CHECK(address == mine + 64);
  dart_gptr_t moved = at(pointer, me(), 0);
  SUCCEED(dart_gptr_setaddr(&moved, mine + 12));
  CHECK(moved.addr_or_offs.offset == 12 && moved.unitid == me());
  SUCCEED(dart_gptr_incaddr(&moved, -8));
  CHECK(moved.addr_or_offs.offset == 4);
  SUCCEED(dart_gptr_setunit(&moved, DART_TEAM_UNIT_ID(next())));
  CHECK(moved.unitid == next());
  CHECK(DART_GPTR_EQUAL(moved, moved) && !DART_GPTR_EQUAL(moved, pointer) && !DART_GPTR_ISNULL(moved));
  release(pointer);
}

static void flags_belong_to_segment_and_unit(void) {
  dart_gptr_t one = at(allocate(DART_TEAM_ALL, 1, DART_TYPE_INT), me(), 0);
  dart_gptr_t two = at(allocate(DART_TEAM_ALL, 1, DART_TYPE_INT), me(), 0);
  uint16_t flags = 7;
  SUCCEED(dart_gptr_getflags(one, &flags));
  CHECK(flags == 0);
  SUCCEED(dart_gptr_setflags(&one, 0x1234));
  CHECK(one.flags == 0x34);
  SUCCEED(dart_gptr_getflags(at(one, me(), 4), &flags));
  CHECK(flags == 0x1234);
  SUCCEED(dart_gptr_getflags(two, &flags));
  CHECK(flags == 0);
  release(two);
  release(one);
}

static void wrong_pointers_are_refused(void) {
  dart_gptr_t null = DART_GPTR_NULL, pointer = allocate(DART_TEAM_ALL, 1, DART_TYPE_INT);
  void* address = &null;
  uint16_t flags;
  CHECK(DART_GPTR_ISNULL(null));
  REFUSED(dart_gptr_getaddr(null, &address));
  CHECK(address == NULL);
  REFUSED(dart_gptr_getaddr(at(pointer, -1, 0), &address));
  REFUSED(dart_gptr_getaddr(at(pointer, units() + 1, 0), &address));
  pointer.teamid = 99;
  REFUSED(dart_gptr_getaddr(pointer, &address));
  REFUSED(dart_gptr_setaddr(&pointer, address));
  REFUSED(dart_gptr_getflags(pointer, &flags));
  REFUSED(dart_gptr_setflags(&pointer, 1));
  pointer.teamid = DART_TEAM_ALL;
  pointer.segid += 5;
  REFUSED(dart_gptr_getaddr(pointer, &address));
  pointer.segid -= 5;
  release(pointer);
}

void test_pointers(void) {
  only_the_own_part_has_an_address();
  flags_belong_to_segment_and_unit();
  wrong_pointers_are_refused();
}
