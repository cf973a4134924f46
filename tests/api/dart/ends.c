/* test_dart_ends WAY: what may be called before, between and after, and ends that are not the normal one. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Nothing of this needs dart_init. */
static void expect_outside(void) {
  dart_global_unit_t unit;
  dart_config_t* config = NULL;
  dart_lock_t lock = DART_LOCK_NULL;
  dart_handle_t handle = DART_HANDLE_NULL;
  dart_group_t group;
  dart_gptr_t pointer;
  size_t size = 7;
  CHECK(!dart_initialized());
  dart_config(&config);
  CHECK(config != NULL);
  config->log_enabled = 0;
  EXPECT(DART_ERR_OTHER, dart_myid(&unit));
  CHECK(unit.id == DART_UNDEFINED_UNIT_ID);
  EXPECT(DART_ERR_OTHER, dart_size(&size));
  CHECK(size == 0);
  EXPECT(DART_ERR_OTHER, dart_exit());
  SUCCEED(dart_team_lock_destroy(&lock));
  CHECK(!dart_lock_initialized(lock));
  SUCCEED(dart_handle_free(&handle));
  SUCCEED(dart_group_create(&group));
  SUCCEED(dart_group_destroy(&group));
  EXPECT(DART_ERR_INVAL, dart_memalloc(1, DART_TYPE_INT, &pointer));
  CHECK(DART_GPTR_ISNULL(pointer));
  EXPECT(DART_ERR_INVAL, dart_barrier(DART_TEAM_ALL));
  config->log_enabled = 1;
}

static void outside(void) {
  dart_thread_support_level_t level = (dart_thread_support_level_t)7;
  dart_config_t* config;
  dart_config(&config);
  CHECK(config->log_enabled == 1);
  expect_outside();
  SUCCEED(dart_init_thread(NULL, NULL, &level));
  CHECK(level == DART_THREAD_MULTIPLE);
  SUCCEED(dart_exit());
  expect_outside();
}

/* One unit is killed while the others wait for it. */
static void death(const char* where) {
  SUCCEED(dart_init(NULL, NULL));
  dart_lock_t lock;
  SUCCEED(dart_team_lock_init(DART_TEAM_ALL, &lock));
  const int last = units() - 1;
  dart_gptr_t flag;
  SUCCEED(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_INT, &flag));
  SUCCEED(dart_gptr_setunit(&flag, DART_TEAM_UNIT_ID(last)));
  if (me() == last && strcmp(where, "dies_with_lock") == 0) SUCCEED(dart_lock_acquire(lock));
  barrier();
  if (me() == last) raise(SIGKILL);
  int value = 0;
  if (strcmp(where, "dies_before_message") == 0) dart_recv(&value, 1, DART_TYPE_INT, 1, DART_GLOBAL_UNIT_ID(last));
  while (strcmp(where, "dies_before_flag") == 0) SUCCEED(dart_flush(flag)); /* polls for what never comes */
  if (strcmp(where, "dies_with_lock") == 0) {
    SUCCEED(dart_lock_acquire(lock)); /* it is passed on */
    SUCCEED(dart_lock_release(lock));
  }
  dart_barrier(DART_TEAM_ALL);
  fprintf(stderr, "nobody should come here\n");
  _exit(0);
}

static void aborts(void) {
  SUCCEED(dart_init(NULL, NULL));
  barrier();
  if (me() == units() - 1) dart_abort(43);
  dart_barrier(DART_TEAM_ALL); /* which never ends */
}

/* Neither waits for the other: the process may end without dart_exit. */
static void forgets_to_exit(void) {
  SUCCEED(dart_init(NULL, NULL));
  allocate(DART_TEAM_ALL, 100, DART_TYPE_INT);
  team_of(DART_TEAM_ALL, me() % 2, 2);
  barrier();
}

/* What a child has copies of stays its parent's: the memory of teams, and the place in the job. */
static void forks(void) {
  SUCCEED(dart_init(NULL, NULL));
  const dart_gptr_t pointer = allocate(DART_TEAM_ALL, 1000, DART_TYPE_INT);
  int values[1000], there[1000];
  for (int i = 0; i < 1000; ++i) values[i] = me() + i;
  SUCCEED(dart_put_blocking(at(pointer, me(), 0), values, 1000, DART_TYPE_INT, DART_TYPE_INT));
  barrier();
  const pid_t child = fork();
  if (child == 0) exit(EXIT_SUCCESS);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  for (int i = 0; i < 20; ++i) barrier();
  const int next = (me() + 1) % units();
  SUCCEED(dart_get_blocking(there, at(pointer, next, 0), 1000, DART_TYPE_INT, DART_TYPE_INT));
  for (int i = 0; i < 1000; ++i) CHECK(there[i] == next + i);
  barrier();
  SUCCEED(dart_exit());
}

static void tells_what_is_wrong(void) {
  dart_gptr_t pointer;
  int value = 1;
  SUCCEED(dart_init(NULL, NULL));
  pointer = allocate(DART_TEAM_ALL, 10, DART_TYPE_INT);
  EXPECT(DART_ERR_INVAL, dart_put_blocking(at(pointer, 0, 38), &value, 1, DART_TYPE_INT, DART_TYPE_INT));
  SUCCEED(dart_exit());
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "";
  alarm(60);
  if (strcmp(way, "outside") == 0)
    outside();
  else if (strncmp(way, "dies", 4) == 0)
    death(way);
  else if (strcmp(way, "aborts") == 0)
    aborts();
  else if (strcmp(way, "forgets_to_exit") == 0)
    forgets_to_exit();
  else if (strcmp(way, "forks") == 0)
    forks();
  else if (strcmp(way, "tells") == 0)
    tells_what_is_wrong();
  else
    return EXIT_FAILURE;
  return 0;
}
