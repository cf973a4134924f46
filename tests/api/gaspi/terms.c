/* gaspi_proc_term while threads of the program wait for what never comes: the handler thread of everybody's tutorial
 * receives passively for ever, another waits for a notification. Their calls end with GASPI_ERROR; one that will come
 * to an end by itself is waited for. */
#include "check.h"

#include <pthread.h>

static void* receive(void* outcome) {
  gaspi_rank_t from = 0;
  *(gaspi_return_t*)outcome = gaspi_passive_receive(0, 0, &from, 8, GASPI_BLOCK);
  return NULL;
}

static void* await_flag(void* outcome) {
  gaspi_notification_id_t first = 0;
  *(gaspi_return_t*)outcome = gaspi_notify_waitsome(0, 0, 8, &first, GASPI_BLOCK);
  return NULL;
}

/* Nobody else comes, so that it takes the time it is given. */
static void* meet_alone(void* outcome) {
  *(gaspi_return_t*)outcome = gaspi_barrier(GASPI_GROUP_ALL, 400);
  return NULL;
}

static void end_with_sleepers(gaspi_timeout_t timeout) {
  void* (*const bodies[])(void*) = {receive, receive, await_flag, await_flag};
  enum { THREADS = sizeof bodies / sizeof bodies[0] };
  gaspi_return_t outcomes[THREADS];
  pthread_t threads[THREADS];
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  for (int i = 0; i < THREADS; ++i) {
    outcomes[i] = GASPI_SUCCESS;
    CHECK(pthread_create(&threads[i], NULL, bodies[i], &outcomes[i]) == 0);
  }
  sleep_ms(30);
  barrier();
  SUCCEED(gaspi_proc_term(timeout));
  for (int i = 0; i < THREADS; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    EXPECT(GASPI_ERROR, outcomes[i]);
  }
}

static void end_beside_barrier(void) {
  gaspi_return_t outcome = GASPI_SUCCESS;
  pthread_t thread;
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  barrier();
  if (num_ranks() > 1 && my_rank() != 0) CHECK(take_flag(0, 0) == 1);
  if (num_ranks() > 1 && my_rank() == 0) {
    CHECK(pthread_create(&thread, NULL, meet_alone, &outcome) == 0);
    sleep_ms(30);
    EXPECT(GASPI_TIMEOUT, gaspi_proc_term(20));
    CHECK(my_rank() == 0); /* nothing has happened */
    CHECK(pthread_join(thread, NULL) == 0);
    EXPECT(GASPI_TIMEOUT, outcome);
    for (gaspi_rank_t rank = 1; rank < num_ranks(); ++rank) SUCCEED(gaspi_notify(0, rank, 0, 1, 0, PATIENCE));
  }
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
}

/* An atomic that timed out goes on; the end waits for it, and not for longer than the program does. From the moment that
 * its target has told rank 0 so, it answers nothing until it sees the word in its own memory: within a host a write
 * arrives without help. */
static void end_beside_atomic(void) {
  static gaspi_atomic_value_t counter;
  gaspi_atomic_value_t old = 0;
  const char* const device = getenv("POLDER_DEVICE");
  if (device != NULL && strcmp(device, "shm") != 0) return;
  CHECK(setenv("POLDER_HELPER", "none", 1) == 0);
  SUCCEED(gaspi_proc_init(PATIENCE));
  volatile gaspi_atomic_value_t* const words = create_segment(0, 64);
  SUCCEED(gaspi_segment_use(1, &counter, sizeof counter, GASPI_GROUP_ALL, PATIENCE, 0));
  barrier();
  gaspi_rank_t here;
  SUCCEED(gaspi_proc_local_num(&here));
  const int tried = num_ranks() > 1 && here == num_ranks();
  if (tried && my_rank() == 1) {
    words[2] = 1;
    SUCCEED(gaspi_write(0, 16, 0, 0, 24, 8, 0, PATIENCE));
  }
  if (tried && my_rank() == 0) {
    while (words[3] == 0) sleep_ms(1);
    EXPECT(GASPI_TIMEOUT, gaspi_atomic_fetch_add(1, 0, 1, 1, &old, 10));
    EXPECT(GASPI_TIMEOUT, gaspi_proc_term(20));
    words[1] = 1;
    SUCCEED(gaspi_write(0, 8, 1, 0, 0, 8, 0, PATIENCE));
  }
  while (tried && my_rank() == 1 && words[0] == 0) sleep_ms(1);
  SUCCEED(gaspi_proc_term(PATIENCE));
  CHECK(unsetenv("POLDER_HELPER") == 0);
}

int main(void) {
  end_with_sleepers(GASPI_BLOCK);
  end_with_sleepers(PATIENCE);
  end_with_sleepers(GASPI_BLOCK);
  end_beside_barrier();
  end_beside_atomic();
  return EXIT_SUCCESS;
}
