/* Teams: overlapping, nested, of one unit, of none. */
#include "check.h"

static void the_team_of_all(void) {
  dart_global_unit_t global;
  dart_team_unit_t local;
  CHECK(team_size(DART_TEAM_ALL) == units());
  CHECK(team_me(DART_TEAM_ALL) == me());
  for (int unit = 0; unit < units(); ++unit) {
    SUCCEED(dart_team_unit_l2g(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &global));
    SUCCEED(dart_team_unit_g2l(DART_TEAM_ALL, DART_GLOBAL_UNIT_ID(unit), &local));
    CHECK(global.id == unit && local.id == unit);
  }
}

/* What a member finds in the team of every second unit from `first` on. */
static void expect_every_second(dart_team_t team, int first) {
  dart_group_t group;
  dart_global_unit_t global;
  dart_team_unit_t local;
  size_t size = 0;
  int32_t is = 0;
  CHECK(team > 0);
  CHECK(team_size(team) == (units() - first + 1) / 2);
  CHECK(team_me(team) == (me() - first) / 2);
  SUCCEED(dart_team_get_group(team, &group));
  SUCCEED(dart_group_size(group, &size));
  CHECK((int)size == team_size(team));
  for (int unit = 0; unit < units(); ++unit) {
    const int in = unit % 2 == first;
    SUCCEED(dart_team_unit_g2l(team, DART_GLOBAL_UNIT_ID(unit), &local));
    CHECK(local.id == (in ? (unit - first) / 2 : DART_UNDEFINED_UNIT_ID));
    SUCCEED(dart_group_ismember(group, DART_GLOBAL_UNIT_ID(unit), &is));
    CHECK(is == in);
    if (!in) continue;
    SUCCEED(dart_team_unit_l2g(team, local, &global));
    CHECK(global.id == unit);
  }
  SUCCEED(dart_group_destroy(&group));
  SUCCEED(dart_barrier(team));
}

static void each_part_by_a_call_of_its_own(void) {
  dart_team_t teams[2];
  for (int part = 0; part < 2; ++part) {
    teams[part] = team_of(DART_TEAM_ALL, part, 2);
    CHECK((teams[part] == DART_TEAM_NULL) == (me() % 2 != part));
  }
  expect_every_second(teams[me() % 2], me() % 2);
  SUCCEED(dart_team_destroy(&teams[me() % 2]));
  CHECK(teams[me() % 2] == DART_TEAM_NULL);
  SUCCEED(dart_team_destroy(&teams[0]));
}

static void all_parts_by_one_call(void) {
  dart_team_t team = team_of(DART_TEAM_ALL, me() % 2, 2);
  expect_every_second(team, me() % 2);
  SUCCEED(dart_team_destroy(&team));
}

/* Halves of halves, down to a unit alone, which can do all that others do. */
static void nested_down_to_one_unit(void) {
  dart_team_t chain[8] = {DART_TEAM_ALL};
  int depth = 0;
  for (int step = 2; step / 2 < units(); step *= 2, ++depth) {
    chain[depth + 1] = team_of(chain[depth], me() % step, step);
    CHECK(chain[depth + 1] > chain[depth]);
  }
  dart_team_t alone = chain[depth];
  CHECK(team_size(alone) == 1 && team_me(alone) == 0);
  dart_gptr_t pointer = allocate(alone, 4, DART_TYPE_INT);
  const int value = 17;
  int sum = 0;
  SUCCEED(dart_put_blocking(at(pointer, 0, 4), &value, 1, DART_TYPE_INT, DART_TYPE_INT));
  CHECK(((int*)own_part(pointer))[1] == 17);
  SUCCEED(dart_allreduce(&value, &sum, 1, DART_TYPE_INT, DART_OP_SUM, alone));
  CHECK(sum == 17);
  release(pointer);
  for (; depth > 0; --depth) SUCCEED(dart_team_destroy(&chain[depth]));
}

static void clones_and_empty_ones(void) {
  dart_group_t empty;
  dart_team_t clone = DART_TEAM_NULL, none = 5;
  SUCCEED(dart_team_clone(DART_TEAM_ALL, &clone));
  CHECK(clone > 0 && team_size(clone) == units() && team_me(clone) == me());
  SUCCEED(dart_group_create(&empty));
  SUCCEED(dart_team_create(clone, empty, &none));
  CHECK(none == DART_TEAM_NULL);
  none = 5;
  SUCCEED(dart_team_create(clone, DART_GROUP_NULL, &none));
  CHECK(none == DART_TEAM_NULL);
  SUCCEED(dart_group_destroy(&empty));
  SUCCEED(dart_team_destroy(&clone));
}

/* Ids are not used again before dart_exit. */
static void ids_are_new(void) {
  dart_team_t last = 0;
  for (int i = 0; i < 20; ++i) {
    dart_team_t team = team_of(DART_TEAM_ALL, 0, 1);
    CHECK(team > last);
    last = team;
    SUCCEED(dart_team_destroy(&team));
  }
}

static void wrong_use_is_refused(void) {
  dart_team_t team = 77, none = DART_TEAM_NULL;
  dart_team_t* const nowhere = NULL;
  dart_team_unit_t local;
  dart_global_unit_t global;
  dart_group_t group;
  size_t size = 7;
  SUCCEED(dart_team_destroy(&none));
  REFUSED(dart_team_destroy(&team));
  REFUSED(dart_team_destroy(nowhere));
  REFUSED(dart_team_myid(DART_TEAM_NULL, &local));
  CHECK(local.id == DART_UNDEFINED_UNIT_ID);
  REFUSED(dart_team_size(77, &size));
  REFUSED(dart_team_get_group(77, &group));
  CHECK(group == DART_GROUP_NULL);
  REFUSED(dart_team_unit_l2g(DART_TEAM_ALL, DART_TEAM_UNIT_ID(units()), &global));
  CHECK(global.id == DART_UNDEFINED_UNIT_ID);
  REFUSED(dart_team_unit_l2g(77, DART_TEAM_UNIT_ID(0), &global));
  REFUSED(dart_team_unit_g2l(77, DART_GLOBAL_UNIT_ID(0), &local));
  REFUSED(dart_barrier(DART_UNDEFINED_TEAM_ID));
  REFUSED(dart_team_create(77, DART_GROUP_NULL, &team));
  CHECK(team == DART_TEAM_NULL);
}

void test_teams(void) {
  the_team_of_all();
  each_part_by_a_call_of_its_own();
  all_parts_by_one_call();
  nested_down_to_one_unit();
  clones_and_empty_ones();
  ids_are_new();
  wrong_use_is_refused();
}
