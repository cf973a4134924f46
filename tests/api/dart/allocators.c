/* Pools of a team. */
#include "check.h"

static void all_of_a_pool_can_be_used(dart_team_t team) {
  dart_allocator_t pool = NULL;
  dart_gptr_t pieces[128], one;
  SUCCEED(dart_allocator_new(4096, team, &pool));
  SUCCEED(dart_allocator_alloc(1024, DART_TYPE_INT, &one, pool));
  CHECK(one.unitid == team_me(team) && one.teamid == team && one.segid > 0);
  be_quiet(1);
  EXPECT(DART_ERR_NOMEM, dart_allocator_alloc(1, DART_TYPE_BYTE, &pieces[0], pool));
  be_quiet(0);
  CHECK(DART_GPTR_ISNULL(pieces[0]));
  SUCCEED(dart_allocator_free(&one, pool));
  CHECK(DART_GPTR_ISNULL(one));
  for (int i = 0; i < 128; ++i) SUCCEED(dart_allocator_alloc(8, DART_TYPE_INT, &pieces[i], pool));
  for (int i = 0; i < 128; ++i) SUCCEED(dart_allocator_free(&pieces[(i * 37) % 128], pool));
  SUCCEED(dart_allocator_alloc(1024, DART_TYPE_INT, &one, pool)); /* the pieces are one again */
  REFUSED(dart_allocator_free(&pieces[0], pool));
  dart_gptr_t wrong = one;
  wrong.addr_or_offs.offset = 16;
  REFUSED(dart_allocator_free(&wrong, pool));
  SUCCEED(dart_allocator_free(&one, pool));
  SUCCEED(dart_barrier(team));
  SUCCEED(dart_allocator_destroy(&pool));
  CHECK(pool == NULL);
  REFUSED(dart_allocator_destroy(&pool));
}

static void pieces_are_reached_by_others(void) {
  dart_allocator_t pool;
  dart_gptr_t skipped, mine, *all = malloc((size_t)units() * sizeof(dart_gptr_t));
  const int value = 40 + me();
  int found = 0;
  SUCCEED(dart_allocator_new(1000, DART_TEAM_ALL, &pool)); /* becomes 1024 */
  if (me() % 2 == 1) SUCCEED(dart_allocator_alloc(3, DART_TYPE_INT, &skipped, pool));
  SUCCEED(dart_allocator_alloc(1, DART_TYPE_INT, &mine, pool));
  SUCCEED(dart_put_blocking(mine, &value, 1, DART_TYPE_INT, DART_TYPE_INT));
  SUCCEED(dart_allgather(&mine, all, sizeof mine, DART_TYPE_BYTE, DART_TEAM_ALL));
  SUCCEED(dart_get_blocking(&found, all[next()], 1, DART_TYPE_INT, DART_TYPE_INT));
  CHECK(found == 40 + next());
  if (units() > 1) REFUSED(dart_allocator_free(&all[next()], pool));
  barrier();
  SUCCEED(dart_allocator_destroy(&pool));
  free(all);
}

void test_allocators(void) {
  dart_team_t team = team_of(DART_TEAM_ALL, me() % 2, 2);
  all_of_a_pool_can_be_used(DART_TEAM_ALL);
  all_of_a_pool_can_be_used(team);
  pieces_are_reached_by_others();
  dart_allocator_t none = (dart_allocator_t)&team;
  REFUSED(dart_allocator_new(16, 99, &none));
  CHECK(none == NULL);
  SUCCEED(dart_team_destroy(&team));
}
