/* The deprecated helpers of GASPI_Threads.h: numbers, barriers among threads and ranks, and what is refused. */
#include "check.h"

#include <GASPI_Threads.h>

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200 };

static int arrived[THREADS]; /* each thread's own round */

/* Between two meetings all threads are in the same round. */
static void rounds(int me) {
  for (int round = 1; round <= ROUNDS; ++round) {
    arrived[me] = round;
    SUCCEED(gaspi_threads_sync());
    for (int i = 0; i < THREADS; ++i) CHECK(arrived[i] == round);
    SUCCEED(gaspi_threads_sync());
  }
}

/* With the barrier inside, the other ranks' values have come too: each thread notifies the next rank. */
static void rounds_of_all(int me) {
  const gaspi_rank_t next_rank = (gaspi_rank_t)((my_rank() + 1) % num_ranks());
  for (gaspi_notification_t round = 1; round <= 20; ++round) {
    SUCCEED(gaspi_notify(0, next_rank, (gaspi_notification_id_t)me, round, 0, PATIENCE));
    SUCCEED(gaspi_threads_sync_all(GASPI_GROUP_ALL, PATIENCE));
    gaspi_notification_t value = 0;
    SUCCEED(gaspi_notify_reset(0, (gaspi_notification_id_t)((me + 1) % THREADS), &value));
    CHECK(value == round);
    SUCCEED(gaspi_threads_sync_all(GASPI_GROUP_ALL, PATIENCE));
  }
}

static void* work(void* argument) {
  gaspi_int me = -1, again = -1, total = 0;
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_get_tid(&me));
  SUCCEED(gaspi_threads_register(&me));
  CHECK(me >= 0 && me < THREADS);
  SUCCEED(gaspi_threads_register(&again));
  CHECK(again == me);
  SUCCEED(gaspi_threads_get_tid(&again));
  CHECK(again == me);
  SUCCEED(gaspi_threads_get_total(&total));
  CHECK(total == THREADS);
  if (argument != NULL) __atomic_fetch_or((unsigned*)argument, 1u << me, __ATOMIC_RELAXED);
  rounds(me);
  rounds_of_all(me);
  return NULL;
}

static void before_init(void) {
  gaspi_int number = 0;
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_run(work, NULL));
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_register(&number));
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_get_tid(&number));
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_get_total(&number));
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_sync());
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_sync_all(GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_term());
  EXPECT(GASPI_ERR_INV_NUM, gaspi_threads_init_user(0));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_threads_init_user(65537));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_threads_init(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_threads_get_num_cores(NULL));
}

static void as_many_as_cores(void) {
  gaspi_int num = 0, cores = 0, total = 0;
  SUCCEED(gaspi_threads_get_num_cores(&cores));
  CHECK(cores >= 1);
  SUCCEED(gaspi_threads_init(&num));
  CHECK(num == cores);
  SUCCEED(gaspi_threads_get_total(&total));
  CHECK(total == cores);
  EXPECT(GASPI_ERR_INITED, gaspi_threads_init(&num));
  EXPECT(GASPI_ERR_INITED, gaspi_threads_init_user(3));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_threads_run(NULL, NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_threads_register(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_threads_get_tid(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_threads_get_total(NULL));
  SUCCEED(gaspi_threads_term());
}

/* The calling thread takes part; afterwards the numbers of the others are free, and they can be run again. */
static void main_takes_part(void) {
  SUCCEED(gaspi_threads_init_user(THREADS));
  for (int i = 1; i < THREADS; ++i) SUCCEED(gaspi_threads_run(work, NULL));
  work(NULL);
  SUCCEED(gaspi_threads_term());
}

static void all_are_started(void) {
  unsigned seen = 0;
  SUCCEED(gaspi_threads_init_user(THREADS));
  for (int i = 0; i < THREADS; ++i) SUCCEED(gaspi_threads_run(work, &seen));
  SUCCEED(gaspi_threads_term());
  CHECK(seen == (1u << THREADS) - 1);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void* wait_at_gate(void* code) {
  gaspi_int me = -1;
  SUCCEED(gaspi_threads_register(&me));
  EXPECT(GASPI_ERROR, gaspi_threads_term());
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  *(gaspi_int*)code = me;
  pthread_exit(NULL);
}

static void too_many(void) {
  gaspi_int first = -1, second = -1, mine = -1;
  SUCCEED(gaspi_threads_init_user(1));
  pthread_mutex_lock(&gate);
  SUCCEED(gaspi_threads_run(wait_at_gate, &first));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_threads_run(wait_at_gate, &second));
  pthread_mutex_unlock(&gate);
  /* The number comes free when the thread ends, also by pthread_exit. */
  const double start = now_ms();
  gaspi_return_t code = GASPI_ERR_INV_NUM;
  while ((code = gaspi_threads_run(wait_at_gate, &second)) == GASPI_ERR_INV_NUM && now_ms() - start < PATIENCE)
    sleep_ms(1);
  SUCCEED(code);
  SUCCEED(gaspi_threads_term());
  CHECK(first == 0 && second == 0);
  SUCCEED(gaspi_threads_init_user(1));
  EXPECT(GASPI_ERR_NOINIT, gaspi_threads_get_tid(&mine));
  SUCCEED(gaspi_threads_register(&mine));
  CHECK(mine == 0);
  SUCCEED(gaspi_threads_term());
}

/* A meeting that is given up is gone on with; a wrong group is everybody's error. */
static void* meet_late(void* argument) {
  (void)argument;
  sleep_ms(50);
  SUCCEED(gaspi_threads_sync_all(GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_threads_sync_all(77, PATIENCE));
  return NULL;
}

static void timeouts(void) {
  SUCCEED(gaspi_threads_init_user(2));
  EXPECT(GASPI_TIMEOUT, gaspi_threads_sync_all(GASPI_GROUP_ALL, GASPI_TEST));
  EXPECT(GASPI_TIMEOUT, gaspi_threads_sync_all(GASPI_GROUP_ALL, 5));
  SUCCEED(gaspi_threads_run(meet_late, NULL));
  SUCCEED(gaspi_threads_sync_all(GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_threads_sync_all(77, PATIENCE));
  SUCCEED(gaspi_threads_term());
}

static void* meet_in_the_end(void* argument) {
  gaspi_return_t code = GASPI_TIMEOUT;
  sleep_ms(50);
  while (code == GASPI_TIMEOUT) code = gaspi_threads_sync_all(GASPI_GROUP_ALL, GASPI_BLOCK);
  EXPECT(GASPI_SUCCESS, code);
  return argument;
}

/* A thread has less time than the one that came last, whose barrier waits for ranks that come when the first one gives up. */
static void short_of_time(void) {
  enum { FLAG = 40 };
  gaspi_return_t code = GASPI_TIMEOUT;
  int told = 0;
  SUCCEED(gaspi_threads_init_user(2));
  if (my_rank() != 0) CHECK(take_flag(0, FLAG) == 1);
  SUCCEED(gaspi_threads_run(meet_in_the_end, NULL));
  while (code == GASPI_TIMEOUT) {
    code = gaspi_threads_sync_all(GASPI_GROUP_ALL, my_rank() == 0 ? 200 : PATIENCE);
    if (code != GASPI_TIMEOUT || my_rank() != 0 || told++ > 0) continue;
    for (gaspi_rank_t rank = 1; rank < num_ranks(); ++rank) SUCCEED(gaspi_notify(0, rank, FLAG, 1, 0, PATIENCE));
  }
  EXPECT(GASPI_SUCCESS, code);
  SUCCEED(gaspi_threads_term());
}

int main(void) {
  before_init();
  as_many_as_cores();
  too_many();
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  main_takes_part();
  all_are_started();
  timeouts();
  short_of_time();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return 0;
}
