/* Groups: sets of global ids, ascending, local to who made them. */
#include "check.h"

static dart_group_t group_of(int count, const int members[]) {
  dart_group_t group;
  SUCCEED(dart_group_create(&group));
  for (int i = 0; i < count; ++i) SUCCEED(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(members[i])));
  return group;
}

static void expect_members(dart_group_t group, int count, const int members[]) {
  size_t size = 99;
  dart_global_unit_t found[16];
  SUCCEED(dart_group_size(group, &size));
  CHECK(size == (size_t)count);
  SUCCEED(dart_group_getmembers(group, found));
  for (int i = 0; i < count; ++i) CHECK(found[i].id == members[i]);
}

static void members_come_ascending_and_once(void) {
  const int added[] = {7, 3, 5, 3, 0}, sorted[] = {0, 3, 5, 7}, less[] = {0, 5, 7};
  int32_t is = 7;
  dart_group_t group = group_of(5, added);
  expect_members(group, 4, sorted);
  SUCCEED(dart_group_ismember(group, DART_GLOBAL_UNIT_ID(3), &is));
  CHECK(is == 1);
  SUCCEED(dart_group_delmember(group, DART_GLOBAL_UNIT_ID(3)));
  SUCCEED(dart_group_delmember(group, DART_GLOBAL_UNIT_ID(4)));
  SUCCEED(dart_group_ismember(group, DART_GLOBAL_UNIT_ID(3), &is));
  CHECK(is == 0);
  expect_members(group, 3, less);
  SUCCEED(dart_group_destroy(&group));
  CHECK(group == DART_GROUP_NULL);
  SUCCEED(dart_group_destroy(&group));
}

static void sets_are_combined(void) {
  const int one[] = {1, 2, 4}, two[] = {2, 3, 4, 8}, both[] = {1, 2, 3, 4, 8}, common[] = {2, 4};
  dart_group_t first = group_of(3, one), second = group_of(4, two), made;
  SUCCEED(dart_group_union(first, second, &made));
  expect_members(made, 5, both);
  SUCCEED(dart_group_destroy(&made));
  SUCCEED(dart_group_intersect(first, second, &made));
  expect_members(made, 2, common);
  SUCCEED(dart_group_destroy(&made));
  SUCCEED(dart_group_clone(first, &made));
  SUCCEED(dart_group_delmember(first, DART_GLOBAL_UNIT_ID(1)));
  expect_members(made, 3, one);
  SUCCEED(dart_group_destroy(&made));
  SUCCEED(dart_group_destroy(&first));
  SUCCEED(dart_group_destroy(&second));
}

/* 5 members in `parts` parts: `full` parts have some, the others are empty groups. */
static void expect_split(size_t parts, size_t full, const int sizes[]) {
  const int all[] = {0, 1, 2, 3, 4};
  int begin = 0;
  size_t made = 99;
  dart_group_t group = group_of(5, all), part[8];
  SUCCEED(dart_group_split(group, parts, &made, part));
  CHECK(made == full);
  for (size_t i = 0; i < parts; ++i) {
    expect_members(part[i], sizes[i], all + begin);
    begin += sizes[i];
    SUCCEED(dart_group_destroy(&part[i]));
  }
  CHECK(begin == 5);
  SUCCEED(dart_group_destroy(&group));
}

static void split_in_consecutive_parts(void) {
  const int one[] = {5}, two[] = {3, 2}, four[] = {2, 2, 1, 0}, eight[] = {1, 1, 1, 1, 1, 0, 0, 0};
  expect_split(1, 1, one);
  expect_split(2, 2, two);
  expect_split(4, 3, four);
  expect_split(8, 5, eight);
}

static void wrong_use_is_refused(void) {
  dart_group_t made = (dart_group_t)&made, none = DART_GROUP_NULL;
  size_t size = 7;
  int32_t is = 7;
  REFUSED(dart_group_create(NULL));
  REFUSED(dart_group_destroy(NULL));
  REFUSED(dart_group_clone(none, &made));
  CHECK(made == DART_GROUP_NULL);
  REFUSED(dart_group_union(none, none, &made));
  REFUSED(dart_group_intersect(none, none, &made));
  REFUSED(dart_group_addmember(none, DART_GLOBAL_UNIT_ID(0)));
  REFUSED(dart_group_delmember(none, DART_GLOBAL_UNIT_ID(0)));
  REFUSED(dart_group_ismember(none, DART_GLOBAL_UNIT_ID(0), &is));
  REFUSED(dart_group_size(none, &size));
  CHECK(size == 0);
  REFUSED(dart_group_getmembers(none, NULL));
  REFUSED(dart_group_split(none, 2, &size, &made));
  SUCCEED(dart_group_create(&made));
  REFUSED(dart_group_addmember(made, DART_GLOBAL_UNIT_ID(-1)));
  REFUSED(dart_group_split(made, 0, &size, &none));
  SUCCEED(dart_group_destroy(&made));
}

void test_groups(void) {
  members_come_ascending_and_once();
  sets_are_combined();
  split_in_consecutive_parts();
  wrong_use_is_refused();
}
