/* Two threads of each unit, each on a team of its own: all units, in both. */
#include "check.h"

#include <pthread.h>

enum { ROUNDS = 8, LOCKED = 40 };

static dart_lock_t shared_lock;
static int counter;

static void* work_in(void* argument) {
  const dart_team_t team = *(dart_team_t*)argument;
  const int size = team_size(team), right = (team_me(team) + 1) % size;
  for (int round = 1; round <= ROUNDS; ++round) {
    dart_gptr_t pointer = allocate(team, 100, DART_TYPE_INT), piece, offered;
    CHECK(pointer.segid == 1); /* in both teams, as if there were no other */
    int value = round * 10 + team_me(team), sum = 0, memory[4] = {0}, found;
    SUCCEED(dart_put_blocking(at(pointer, right, 40), &value, 1, DART_TYPE_INT, DART_TYPE_INT));
    SUCCEED(dart_allreduce(&value, &sum, 1, DART_TYPE_INT, DART_OP_SUM, team));
    CHECK(sum == round * 10 * size + size * (size - 1) / 2);
    SUCCEED(dart_get_blocking(&found, at(pointer, right, 40), 1, DART_TYPE_INT, DART_TYPE_INT));
    CHECK(found == value);
    SUCCEED(dart_memalloc(10, DART_TYPE_INT, &piece));
    SUCCEED(dart_memfree(piece));
    SUCCEED(dart_team_memregister(team, 4, DART_TYPE_INT, memory, &offered));
    SUCCEED(dart_put_blocking(at(offered, right, 4), &value, 1, DART_TYPE_INT, DART_TYPE_INT));
    SUCCEED(dart_barrier(team));
    CHECK(memory[1] == round * 10 + (team_me(team) + size - 1) % size);
    SUCCEED(dart_barrier(team));
    SUCCEED(dart_team_memderegister(offered));
    release(pointer);
  }
  for (int i = 0; i < LOCKED; ++i) {
    int32_t got = 0;
    while (i % 2 == 0 && !got) SUCCEED(dart_lock_try_acquire(shared_lock, &got));
    if (i % 2 == 1) SUCCEED(dart_lock_acquire(shared_lock));
    ++counter; /* no other thread of this unit */
    SUCCEED(dart_lock_release(shared_lock));
  }
  return NULL;
}

/* Teams of the same members, made by each thread of its own: it gets its own, whatever the other does meanwhile. */
static void* clone_again_and_again(void* argument) {
  const dart_team_t team = *(dart_team_t*)argument;
  const int size = team_size(team);
  for (int round = 0; round < 50; ++round) {
    dart_team_t copy = DART_TEAM_NULL;
    int sum = 0;
    SUCCEED(dart_team_clone(team, &copy));
    const int value = 1000 * copy + team_me(copy);
    SUCCEED(dart_allreduce(&value, &sum, 1, DART_TYPE_INT, DART_OP_SUM, copy));
    CHECK(sum == 1000 * copy * size + size * (size - 1) / 2);
    SUCCEED(dart_team_destroy(&copy));
  }
  return NULL;
}

void test_threads(void) {
  dart_team_t teams[2];
  pthread_t threads[2];
  counter = 0;
  SUCCEED(dart_team_lock_init(DART_TEAM_ALL, &shared_lock));
  for (int i = 0; i < 2; ++i) SUCCEED(dart_team_clone(DART_TEAM_ALL, &teams[i]));
  for (int i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, work_in, &teams[i]) == 0);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(counter == 2 * LOCKED);
  for (int i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, clone_again_and_again, &teams[i]) == 0);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  barrier();
  for (int i = 0; i < 2; ++i) SUCCEED(dart_team_destroy(&teams[i]));
  SUCCEED(dart_team_lock_destroy(&shared_lock));
}
