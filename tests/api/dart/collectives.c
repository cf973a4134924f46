/* Collectives that move data, in the team of all and in teams of its halves. */
#include "check.h"

static int global_of(dart_team_t team, int unit) {
  dart_global_unit_t global;
  SUCCEED(dart_team_unit_l2g(team, DART_TEAM_UNIT_ID(unit), &global));
  return global.id;
}

static void from_one_to_all(dart_team_t team, int count) {
  const int size = team_size(team);
  int* const values = malloc(sizeof(int) * (size_t)(count * size + 1));
  int* const part = malloc(sizeof(int) * (size_t)(count + 1));
  for (int root = 0; root < size; ++root) {
    for (int i = 0; i < count; ++i) part[i] = team_me(team) == root ? 10 * root + i : -1;
    SUCCEED(dart_bcast(part, (size_t)count, DART_TYPE_INT, DART_TEAM_UNIT_ID(root), team));
    for (int i = 0; i < count; ++i) CHECK(part[i] == 10 * root + i);
    for (int i = 0; i < count * size; ++i) values[i] = root + i;
    SUCCEED(dart_scatter(team_me(team) == root ? values : NULL, part, (size_t)count, DART_TYPE_INT,
                         DART_TEAM_UNIT_ID(root), team));
    for (int i = 0; i < count; ++i) CHECK(part[i] == root + team_me(team) * count + i);
  }
  free(part);
  free(values);
}

static void from_all_to_one(dart_team_t team, int count) {
  const int size = team_size(team), root = size - 1;
  int* const values = malloc(sizeof(int) * (size_t)(count * size + 1));
  int* const part = malloc(sizeof(int) * (size_t)(count + 1));
  for (int i = 0; i < count; ++i) part[i] = 1000 * me() + i;
  SUCCEED(dart_gather(part, team_me(team) == root ? values : NULL, (size_t)count, DART_TYPE_INT,
                      DART_TEAM_UNIT_ID(root), team));
  for (int i = 0; team_me(team) == root && i < count * size; ++i)
    CHECK(values[i] == 1000 * global_of(team, i / count) + i % count);
  free(part);
  free(values);
}

static void expect_all(dart_team_t team, const int* values, int count) {
  for (int i = 0; i < count * team_size(team); ++i) CHECK(values[i] == 1000 * global_of(team, i / count) + i % count);
}

static void from_all_to_all(dart_team_t team, int count) {
  const int size = team_size(team);
  int* const values = calloc((size_t)count * (size_t)size + 1, sizeof(int));
  int* const part = malloc(sizeof(int) * (size_t)(count + 1));
  for (int i = 0; i < count; ++i) part[i] = 1000 * me() + i;
  SUCCEED(dart_allgather(part, values, (size_t)count, DART_TYPE_INT, team));
  expect_all(team, values, count);
  for (int in_place = 0; in_place < 2; ++in_place) {
    memset(values, 0, sizeof(int) * (size_t)(count * size));
    memcpy(values + count * team_me(team), part, sizeof(int) * (size_t)count);
    SUCCEED(dart_allgather(in_place ? values : NULL, values, (size_t)count, DART_TYPE_INT, team));
    expect_all(team, values, count);
  }
  free(part);
  free(values);
}

/* Unit u gives u elements, which lie from the end of the buffer to its beginning, two apart. */
static void of_different_lengths(dart_team_t team, int in_place) {
  const int size = team_size(team), mine = team_me(team);
  size_t* const counts = malloc(sizeof(size_t) * (size_t)size);
  size_t* const places = malloc(sizeof(size_t) * (size_t)size);
  size_t all = 0;
  for (int unit = size; unit-- > 0; all += (size_t)unit + 2) {
    counts[unit] = (size_t)unit;
    places[unit] = all;
  }
  short* const values = malloc(sizeof(short) * all);
  short* const part = in_place ? values + places[mine] : malloc(sizeof(short) * (size_t)(mine + 1));
  for (size_t i = 0; i < all; ++i) values[i] = -1;
  for (int i = 0; i < mine; ++i) part[i] = (short)(100 * mine + i);
  SUCCEED(dart_allgatherv(in_place || mine == 0 ? NULL : part, (size_t)mine, DART_TYPE_SHORT, values, counts, places,
                          team));
  for (int unit = 0; unit < size; ++unit)
    for (int i = 0; i < unit + 2; ++i) CHECK(values[places[unit] + (size_t)i] == (i < unit ? 100 * unit + i : -1));
  if (!in_place) free(part);
  free(values);
  free(places);
  free(counts);
}

static void each_to_each(dart_team_t team, int count, int in_place) {
  const int size = team_size(team), mine = team_me(team);
  long* const sent = malloc(sizeof(long) * (size_t)(size * count + 1));
  long* const found = in_place ? sent : malloc(sizeof(long) * (size_t)(size * count + 1));
  for (int i = 0; i < size * count; ++i) sent[i] = 100000 * mine + 1000 * (i / count) + i % count;
  SUCCEED(dart_alltoall(in_place ? NULL : sent, found, (size_t)count, DART_TYPE_LONG, team));
  for (int i = 0; i < size * count; ++i) CHECK(found[i] == 100000 * (i / count) + 1000 * mine + i % count);
  if (!in_place) free(found);
  free(sent);
}

static void of_objects(void) {
  struct object {
    char text[13];
  } mine, all[64];
  dart_datatype_t type;
  SUCCEED(dart_type_create_custom(sizeof mine, &type));
  snprintf(mine.text, sizeof mine.text, "unit %d", me());
  SUCCEED(dart_allgather(&mine, all, 1, type, DART_TEAM_ALL));
  for (int unit = 0; unit < units(); ++unit) CHECK(atoi(all[unit].text + 5) == unit);
  SUCCEED(dart_bcast(&mine, 1, type, DART_TEAM_UNIT_ID(units() - 1), DART_TEAM_ALL));
  CHECK(atoi(mine.text + 5) == units() - 1);
  SUCCEED(dart_type_destroy(&type));
}

static void wrong_use_is_refused(void) {
  int value = 0, found[64];
  dart_datatype_t strided;
  SUCCEED(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  REFUSED(dart_bcast(&value, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(units()), DART_TEAM_ALL));
  REFUSED(dart_bcast(&value, 1, strided, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  REFUSED(dart_gather(&value, found, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(-1), DART_TEAM_ALL));
  REFUSED(dart_scatter(found, &value, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), 99));
  REFUSED(dart_allgather(&value, found, 1, DART_TYPE_UNDEFINED, DART_TEAM_ALL));
  REFUSED(dart_alltoall(found, found, 1, strided, DART_TEAM_ALL));
  REFUSED(dart_allgatherv(&value, 1, DART_TYPE_INT, found, NULL, NULL, DART_TEAM_ALL));
  SUCCEED(dart_type_destroy(&strided));
}

void test_collectives(void) {
  dart_team_t teams[2] = {DART_TEAM_ALL, team_of(DART_TEAM_ALL, me() % 2, 2)};
  for (int i = 0; i < 2; ++i) {
    for (int count = 0; count < 20000; count = count * 11 + 1) {
      from_one_to_all(teams[i], count);
      from_all_to_one(teams[i], count);
      from_all_to_all(teams[i], count);
      each_to_each(teams[i], count, 0);
      each_to_each(teams[i], count, 1);
    }
    of_different_lengths(teams[i], 0);
    of_different_lengths(teams[i], 1);
  }
  of_objects();
  wrong_use_is_refused();
  SUCCEED(dart_team_destroy(&teams[1]));
}
