/* test_dart_cycles N: so many lives of DART in one process, units not in step, which leave nothing behind. */
#include "check.h"

#include <dirent.h>
#include <unistd.h>

static dart_lock_t forgotten;
static dart_allocator_t kept_pool; /* of the life before */

static int entries(const char* directory) {
  DIR* const opened = opendir(directory);
  int count = 0;
  if (opened == NULL) return -1;
  while (readdir(opened) != NULL) ++count;
  closedir(opened);
  return count;
}

static void one_life(int number) {
  int sum = 0, found = 0;
  SUCCEED(dart_init(NULL, NULL));
  const int value = number + me();
  CHECK(dart_initialized());
  EXPECT(DART_ERR_OTHER, (be_quiet(1), dart_init(NULL, NULL)));
  be_quiet(0);
  dart_team_t team = team_of(DART_TEAM_ALL, me() % 2, 2);
  CHECK(team == 1); /* ids begin again */
  dart_gptr_t pointer = allocate(DART_TEAM_ALL, 16, DART_TYPE_INT), kept = allocate(team, 100, DART_TYPE_BYTE), piece;
  CHECK(pointer.segid == 1 && kept.segid == 1);
  SUCCEED(dart_memalloc(4, DART_TYPE_INT, &piece));
  SUCCEED(dart_put_blocking(at(pointer, next(), 0), &value, 1, DART_TYPE_INT, DART_TYPE_INT));
  SUCCEED(dart_allreduce(&value, &sum, 1, DART_TYPE_INT, DART_OP_SUM, team));
  barrier();
  SUCCEED(dart_get_blocking(&found, at(pointer, me(), 0), 1, DART_TYPE_INT, DART_TYPE_INT));
  CHECK(found == number + previous());
  /* Messages that nobody receives belong to this life. */
  SUCCEED(dart_send(&number, 1, DART_TYPE_INT, 1, DART_GLOBAL_UNIT_ID(next())));
  if (number % 2 == 0) {
    SUCCEED(dart_recv(&found, 1, DART_TYPE_INT, 1, DART_GLOBAL_UNIT_ID(previous())));
    CHECK(found == number);
  }
  dart_lock_t lock;
  SUCCEED(dart_team_lock_init(DART_TEAM_ALL, &lock));
  if (forgotten == DART_LOCK_NULL) forgotten = lock;
  if (lock != forgotten) SUCCEED(dart_team_lock_destroy(&lock));
  /* A pool that was kept over dart_exit is of no use, and its end leaves alone who has its numbers now. */
  if (kept_pool != NULL) {
    dart_gptr_t given;
    REFUSED(dart_allocator_alloc(1, DART_TYPE_INT, &given, kept_pool));
    SUCCEED(dart_allocator_destroy(&kept_pool));
    SUCCEED(dart_get_blocking(&found, at(pointer, me(), 0), 1, DART_TYPE_INT, DART_TYPE_INT));
  }
  SUCCEED(dart_allocator_new(64, DART_TEAM_ALL, &kept_pool));
  CHECK(kept_pool != NULL);
  if (number % 3 == me()) usleep(1000);
  SUCCEED(dart_exit());
  CHECK(!dart_initialized());
}

int main(int argc, char** argv) {
  const int lives = argc > 1 ? atoi(argv[1]) : 1;
  int descriptors = 0, mappings = 0;
  alarm(100);
  for (int i = 0; i < lives; ++i) {
    one_life(i);
    if (i == lives / 2) {
      descriptors = entries("/proc/self/fd");
      mappings = entries("/proc/self/map_files");
    }
  }
  CHECK(entries("/proc/self/fd") <= descriptors + 2);
  CHECK(entries("/proc/self/map_files") <= mappings + 8);
  SUCCEED(dart_team_lock_destroy(&forgotten)); /* of the first life */
  return 0;
}
