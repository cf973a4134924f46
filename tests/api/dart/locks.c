/* Locks of teams. */
#include "check.h"

#include <sched.h>

/* What the holder did is seen by the next one: plain get and put under the lock lose nothing. */
static void nothing_is_lost(dart_team_t team, int trying) {
  enum { ROUNDS = 30 };
  dart_lock_t lock = DART_LOCK_NULL;
  dart_gptr_t counter = at(allocate(team, 1, DART_TYPE_INT), 0, 0);
  SUCCEED(dart_team_lock_init(team, &lock));
  CHECK(dart_lock_initialized(lock));
  for (int i = 0; i < ROUNDS; ++i) {
    int32_t got = 0;
    int value;
    while (trying && !got) {
      SUCCEED(dart_lock_try_acquire(lock, &got));
      if (!got) sched_yield();
    }
    if (!trying) SUCCEED(dart_lock_acquire(lock));
    SUCCEED(dart_get_blocking(&value, counter, 1, DART_TYPE_INT, DART_TYPE_INT));
    ++value;
    SUCCEED(dart_put_blocking(counter, &value, 1, DART_TYPE_INT, DART_TYPE_INT));
    SUCCEED(dart_lock_release(lock));
  }
  SUCCEED(dart_barrier(team));
  int value;
  SUCCEED(dart_get_blocking(&value, counter, 1, DART_TYPE_INT, DART_TYPE_INT));
  CHECK(value == ROUNDS * team_size(team));
  SUCCEED(dart_team_lock_destroy(&lock));
  CHECK(lock == DART_LOCK_NULL);
  release(counter);
}

static void one_has_it(void) {
  dart_lock_t lock;
  int32_t got = 7;
  SUCCEED(dart_team_lock_init(DART_TEAM_ALL, &lock));
  if (me() == 0) {
    SUCCEED(dart_lock_acquire(lock));
    REFUSED(dart_lock_acquire(lock));
  }
  barrier();
  SUCCEED(dart_lock_try_acquire(lock, &got));
  CHECK(got == 0);
  if (me() != 0) REFUSED(dart_lock_release(lock));
  barrier();
  if (me() == 0) SUCCEED(dart_lock_release(lock));
  REFUSED(dart_lock_release(lock));
  barrier();
  SUCCEED(dart_team_lock_destroy(&lock));
}

/* One for each unit; all are held at once, by the unit's neighbour. */
static void many_at_once(void) {
  dart_lock_t locks[64];
  for (int i = 0; i < units(); ++i) SUCCEED(dart_team_lock_init(DART_TEAM_ALL, &locks[i]));
  SUCCEED(dart_lock_acquire(locks[next()]));
  barrier();
  SUCCEED(dart_lock_release(locks[next()]));
  barrier();
  for (int i = 0; i < units(); ++i) SUCCEED(dart_team_lock_destroy(&locks[i]));
}

static void after_its_team(void) {
  dart_team_t team = team_of(DART_TEAM_ALL, me() % 2, 2);
  dart_lock_t lock;
  SUCCEED(dart_team_lock_init(team, &lock));
  SUCCEED(dart_team_destroy(&team));
  REFUSED(dart_lock_acquire(lock));
  SUCCEED(dart_team_lock_destroy(&lock));
}

static void wrong_use_is_refused(void) {
  dart_lock_t lock = (dart_lock_t)&lock;
  int32_t got = 7;
  REFUSED(dart_team_lock_init(99, &lock));
  CHECK(lock == DART_LOCK_NULL && !dart_lock_initialized(lock));
  REFUSED(dart_lock_acquire(lock));
  REFUSED(dart_lock_try_acquire(lock, &got));
  REFUSED(dart_lock_release(lock));
  SUCCEED(dart_team_lock_destroy(&lock));
  SUCCEED(dart_team_lock_destroy(NULL));
}

void test_locks(void) {
  dart_team_t half = team_of(DART_TEAM_ALL, me() % 2, 2);
  nothing_is_lost(DART_TEAM_ALL, 0);
  nothing_is_lost(DART_TEAM_ALL, 1);
  nothing_is_lost(half, 0);
  one_has_it();
  many_at_once();
  after_its_team();
  wrong_use_is_refused();
  SUCCEED(dart_team_destroy(&half));
}
