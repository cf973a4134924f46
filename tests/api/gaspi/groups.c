/* GASPI 17.1, section 6. */
#include "check.h"

#include <pthread.h>

static gaspi_number_t count_groups(void) {
  gaspi_number_t number = 0;
  SUCCEED(gaspi_group_num(&number));
  return number;
}

static void check_all(void) {
  gaspi_number_t size = 0;
  gaspi_rank_t ranks[64];
  SUCCEED(gaspi_group_size(GASPI_GROUP_ALL, &size));
  CHECK(size == num_ranks());
  SUCCEED(gaspi_group_ranks(GASPI_GROUP_ALL, ranks));
  for (gaspi_number_t rank = 0; rank < size; ++rank) CHECK(ranks[rank] == rank);
  SUCCEED(gaspi_group_commit(GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_add(GASPI_GROUP_ALL, 0));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_delete(GASPI_GROUP_ALL));
}

static void check_errors(void) {
  gaspi_group_t group = 0;
  gaspi_number_t size = 0;
  gaspi_rank_t rank = 0;
  EXPECT(GASPI_ERR_NULLPTR, gaspi_group_create(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_group_num(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_group_size(GASPI_GROUP_ALL, NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_group_ranks(GASPI_GROUP_ALL, NULL));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_add(99, 0));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_commit(99, PATIENCE));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_delete(99));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_size(99, &size));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_ranks(99, &rank));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_barrier(99, PATIENCE));

  SUCCEED(gaspi_group_create(&group));
  CHECK(group != GASPI_GROUP_ALL);
  EXPECT(GASPI_ERR_INV_RANK, gaspi_group_add(group, num_ranks()));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_commit(group, PATIENCE)); /* this rank is not in it */
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_barrier(group, PATIENCE));      /* not committed */
  SUCCEED(gaspi_group_add(group, my_rank()));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_group_add(group, my_rank()));
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_add(group, 0));
  SUCCEED(gaspi_barrier(group, PATIENCE));
  SUCCEED(gaspi_group_delete(group));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_barrier(group, PATIENCE));
  EXPECT(GASPI_ERR_INV_GROUP, gaspi_group_delete(group));
}

/* Even and odd ranks, added from the highest down, each half with collectives of its own. */
static void check_halves(void) {
  const int parity = my_rank() % 2;
  gaspi_group_t group = 0;
  gaspi_number_t expected = 0;
  gaspi_long expected_sum = 0;
  SUCCEED(gaspi_group_create(&group));
  for (int rank = num_ranks() - 1; rank >= 0; --rank) {
    if (rank % 2 != parity) continue;
    SUCCEED(gaspi_group_add(group, (gaspi_rank_t)rank));
    ++expected;
    expected_sum += rank;
  }
  SUCCEED(gaspi_group_commit(group, PATIENCE));

  gaspi_number_t size = 0;
  gaspi_rank_t ranks[64];
  SUCCEED(gaspi_group_size(group, &size));
  CHECK(size == expected);
  SUCCEED(gaspi_group_ranks(group, ranks));
  for (gaspi_number_t i = 0; i < size; ++i) CHECK(ranks[i] == 2 * i + (unsigned)parity);

  gaspi_long mine = my_rank();
  gaspi_long sum = -1;
  SUCCEED(gaspi_allreduce(&mine, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_LONG, group, PATIENCE));
  CHECK(sum == expected_sum);
  SUCCEED(gaspi_barrier(group, PATIENCE));
  SUCCEED(gaspi_group_delete(group));
}

/* A commit for which the others are not there yet runs out of time, and is gone on with. */
static void check_late_commit(void) {
  gaspi_group_t group = 0;
  SUCCEED(gaspi_group_create(&group));
  for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) SUCCEED(gaspi_group_add(group, rank));
  barrier();
  if (my_rank() == 0 && num_ranks() > 1) {
    EXPECT(GASPI_TIMEOUT, gaspi_group_commit(group, 20));
    EXPECT(GASPI_TIMEOUT, gaspi_group_commit(group, GASPI_TEST));
    EXPECT(GASPI_ERR_INV_GROUP, gaspi_barrier(group, GASPI_TEST));
  }
  barrier();
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  SUCCEED(gaspi_barrier(group, PATIENCE));
  SUCCEED(gaspi_group_delete(group));
}

static void* commit(void* group) {
  gaspi_return_t code = GASPI_ERR_ACTIVE_COLL;
  while (code == GASPI_ERR_ACTIVE_COLL) code = gaspi_group_commit(*(const gaspi_group_t*)group, PATIENCE);
  EXPECT(GASPI_SUCCESS, code);
  return NULL;
}

/* A group stays while another thread commits it. */
static void check_delete_in_commit(void) {
  gaspi_group_t group = 0;
  pthread_t thread;
  SUCCEED(gaspi_group_create(&group));
  for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) SUCCEED(gaspi_group_add(group, rank));
  const int tries = my_rank() == 0 && num_ranks() > 1;
  if (tries) {
    CHECK(pthread_create(&thread, NULL, commit, &group) == 0);
    while (gaspi_group_commit(group, GASPI_TEST) != GASPI_ERR_ACTIVE_COLL) sleep_ms(1);
    EXPECT(GASPI_ERR_ACTIVE_COLL, gaspi_group_delete(group));
  }
  barrier();
  if (tries) CHECK(pthread_join(thread, NULL) == 0);
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  SUCCEED(gaspi_group_delete(group));
}

/* A group is given up with what is unfinished on it, as the standard has it after an allreduce that ran out of time. */
static void check_given_up(gaspi_number_t count) {
  static double values[1000];
  gaspi_group_t group = 0;
  SUCCEED(gaspi_group_create(&group));
  for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) SUCCEED(gaspi_group_add(group, rank));
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  barrier();
  if (my_rank() == 0 && num_ranks() > 1)
    EXPECT(GASPI_TIMEOUT, gaspi_allreduce(values, values, count, GASPI_OP_SUM, GASPI_TYPE_DOUBLE, group, 20));
  barrier();
  SUCCEED(gaspi_group_delete(group));
}

/* The number of a segment whose creation was not finished is free again when the group is given up. */
static void check_given_up_segment(void) {
  gaspi_group_t group = 0;
  gaspi_pointer_t memory = NULL;
  SUCCEED(gaspi_group_create(&group));
  for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) SUCCEED(gaspi_group_add(group, rank));
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  barrier();
  if (my_rank() == 0 && num_ranks() > 1)
    EXPECT(GASPI_TIMEOUT, gaspi_segment_create(1, 100, group, 20, GASPI_MEM_INITIALIZED));
  barrier();
  SUCCEED(gaspi_group_delete(group));
  SUCCEED(gaspi_segment_create(1, 100, GASPI_GROUP_ALL, PATIENCE, GASPI_MEM_INITIALIZED));
  SUCCEED(gaspi_segment_ptr(1, &memory));
  barrier();
  SUCCEED(gaspi_segment_delete(1));
}

/* Of a segment that was given up before its group, the number may be another one's when the group goes. */
static void check_given_up_before_its_group(void) {
  gaspi_group_t group = 0;
  gaspi_pointer_t memory = NULL;
  SUCCEED(gaspi_group_create(&group));
  for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) SUCCEED(gaspi_group_add(group, rank));
  SUCCEED(gaspi_group_commit(group, PATIENCE));
  barrier();
  if (my_rank() == 0 && num_ranks() > 1) {
    EXPECT(GASPI_TIMEOUT, gaspi_segment_create(1, 100, group, 20, GASPI_MEM_INITIALIZED));
    SUCCEED(gaspi_segment_delete(1));
    EXPECT(GASPI_ERR_INV_SEG, gaspi_segment_delete(1));
    SUCCEED(gaspi_segment_alloc(1, 8, GASPI_MEM_INITIALIZED));
    SUCCEED(gaspi_group_delete(group));
    SUCCEED(gaspi_segment_ptr(1, &memory));
    SUCCEED(gaspi_segment_delete(1));
  }
  barrier();
  if (my_rank() != 0 || num_ranks() == 1) SUCCEED(gaspi_group_delete(group));
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  CHECK(count_groups() == 1);
  check_all();
  check_errors();
  for (int round = 0; round < 3; ++round) check_halves();
  check_late_commit();
  check_delete_in_commit();
  check_given_up(1000);
  check_given_up(1);
  check_given_up_segment();
  check_given_up_before_its_group();
  CHECK(count_groups() == 1);
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
