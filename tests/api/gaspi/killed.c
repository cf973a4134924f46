/* A rank dies without a word. The others learn of it in every call that needs it, find its name in the state vector,
 * and go on without it. */
#include "check.h"

#include <GASPI_Lowlevel.h>

#include <signal.h>

static gaspi_rank_t victim(void) {
  return (gaspi_rank_t)(num_ranks() - 1);
}

static void wait_until_seen(void) {
  gaspi_state_t states[64];
  const double end = now_ms() + PATIENCE;
  do {
    CHECK(now_ms() < end);
    sleep_ms(5);
    SUCCEED(gaspi_state_vec_get(states));
  } while (states[victim()] == GASPI_STATE_HEALTHY);
  for (gaspi_rank_t rank = 0; rank < victim(); ++rank) CHECK(states[rank] == GASPI_STATE_HEALTHY);
}

/* A barrier that is under way when the rank dies: an error, and soon. */
static void check_barrier(void) {
  const double start = now_ms();
  gaspi_return_t code;
  do {
    code = gaspi_barrier(GASPI_GROUP_ALL, 100);
  } while (code == GASPI_TIMEOUT && now_ms() - start < PATIENCE);
  EXPECT(GASPI_ERROR, code);
  EXPECT(GASPI_ERROR, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK)); /* for ever: nobody waits for the dead */
}

/* Posting to the dead succeeds, as to anybody; the wait tells, once, and the queue can be used for others after it. */
static void expect_failing_wait(void) {
  gaspi_number_t open = 0;
  SUCCEED(gaspi_queue_size(0, &open));
  CHECK(open > 0);
  EXPECT(GASPI_ERROR, gaspi_wait(0, GASPI_BLOCK));
  CHECK(strstr(gaspi_error_detail(), "rank") != NULL);
  SUCCEED(gaspi_queue_purge(0, PATIENCE));
  SUCCEED(gaspi_queue_size(0, &open));
  CHECK(open == 0);
  SUCCEED(gaspi_write(0, 0, my_rank(), 0, 8, 8, 0, GASPI_BLOCK));
  SUCCEED(gaspi_wait(0, PATIENCE));
}

#define POST_FAILS(call) \
  SUCCEED(call);         \
  expect_failing_wait()

/* A tagged request tells with its tag; the queue's own wait has nothing to say. */
static void expect_failing_tag(gaspi_tag_t tag) {
  gaspi_number_t done = 0;
  gaspi_tag_t tags[2];
  gaspi_status_t statuses[2];
  SUCCEED(gaspi_request_wait(0, 2, &done, tags, statuses, PATIENCE));
  CHECK(done == 1 && tags[0] == tag && statuses[0].error == GASPI_ERROR);
  SUCCEED(gaspi_wait(0, PATIENCE));
}

static void check_tagged_requests(void) {
  gaspi_segment_id_t segments[] = {0, 0};
  gaspi_offset_t offsets[] = {0, 16};
  gaspi_size_t sizes[] = {8, 8};
  SUCCEED(gaspi_operation_submit(GASPI_OP_WRITE, 5, 0, 0, victim(), 0, 8, 8, 0, 0, 0, PATIENCE));
  expect_failing_tag(5);
  SUCCEED(gaspi_operation_submit(GASPI_OP_NOTIFY, 6, 0, 0, victim(), 0, 0, 0, 0, 1, 0, GASPI_TEST));
  expect_failing_tag(6);
  SUCCEED(gaspi_operation_list_submit(GASPI_OP_WRITE_LIST_NOTIFY, 7, 2, segments, offsets, victim(), segments, offsets,
                                      sizes, 0, 0, 1, 0, PATIENCE));
  expect_failing_tag(7);
}

static void check_calls(void) {
  gaspi_atomic_value_t old = 0;
  int value = 1;
  gaspi_segment_id_t segments[] = {0, 0};
  gaspi_offset_t offsets[] = {0, 16};
  gaspi_size_t sizes[] = {8, 8};
  EXPECT(GASPI_ERROR, gaspi_connect(victim(), PATIENCE));
  EXPECT(GASPI_ERROR, gaspi_proc_ping(victim(), PATIENCE));
  EXPECT(GASPI_ERROR, gaspi_segment_register(0, victim(), PATIENCE));
  EXPECT(GASPI_ERROR, gaspi_passive_send(0, 0, victim(), 8, GASPI_BLOCK));
  EXPECT(GASPI_ERROR, gaspi_allreduce(&value, &value, 1, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL, GASPI_BLOCK));
  SUCCEED(gaspi_disconnect(victim(), PATIENCE));
  SUCCEED(gaspi_proc_kill(victim(), PATIENCE)); /* it is gone, as wanted */
  EXPECT(GASPI_ERROR, gaspi_atomic_fetch_add(0, 0, victim(), 1, &old, GASPI_BLOCK));
  POST_FAILS(gaspi_write(0, 0, victim(), 0, 8, 8, 0, GASPI_BLOCK));
  POST_FAILS(gaspi_write(0, 0, victim(), 0, 8, 8, 0, GASPI_TEST));
  POST_FAILS(gaspi_read(0, 0, victim(), 0, 8, 8, 0, GASPI_BLOCK));
  POST_FAILS(gaspi_notify(0, victim(), 0, 1, 0, GASPI_BLOCK));
  POST_FAILS(gaspi_write_notify(0, 0, victim(), 0, 8, 8, 0, 1, 0, GASPI_BLOCK));
  POST_FAILS(gaspi_read_notify(0, 0, victim(), 0, 8, 8, 0, 0, GASPI_BLOCK));
  POST_FAILS(gaspi_write_list_notify(2, segments, offsets, victim(), segments, offsets, sizes, 0, 0, 1, 0, PATIENCE));
  POST_FAILS(gaspi_read_list(2, segments, offsets, victim(), segments, offsets, sizes, 0, PATIENCE));
  check_tagged_requests();
  SUCCEED(gaspi_passive_queue_purge(PATIENCE));
}

static void go_on(void) {
  gaspi_group_t survivors = 0;
  gaspi_long sum = 1;
  SUCCEED(gaspi_group_create(&survivors));
  for (gaspi_rank_t rank = 0; rank < victim(); ++rank) SUCCEED(gaspi_group_add(survivors, rank));
  SUCCEED(gaspi_group_commit(survivors, PATIENCE));
  for (int round = 0; round < 10; ++round) SUCCEED(gaspi_barrier(survivors, PATIENCE));
  SUCCEED(gaspi_allreduce(&sum, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_LONG, survivors, PATIENCE));
  CHECK(sum == victim());
  SUCCEED(gaspi_segment_create(1, 64, survivors, PATIENCE, GASPI_ALLOC_DEFAULT));
  const gaspi_rank_t next = (gaspi_rank_t)((my_rank() + 1) % victim());
  SUCCEED(gaspi_write_notify(0, 0, next, 1, 0, 8, 3, 4, 0, PATIENCE));
  CHECK(take_flag(1, 3) == 4);
  SUCCEED(gaspi_wait(0, PATIENCE));
  SUCCEED(gaspi_barrier(survivors, PATIENCE));
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  barrier();
  if (my_rank() == victim()) {
    sleep_ms(100);
    raise(SIGKILL);
  }
  check_barrier();
  wait_until_seen();
  check_calls();
  go_on();
  SUCCEED(gaspi_proc_term(PATIENCE));
  printf("rank survived\n");
  return EXIT_SUCCESS;
}
