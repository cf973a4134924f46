/* GASPI 17.1, section 14.1. */
#include "check.h"

static gaspi_statistic_counter_t find(const char* wanted) {
  gaspi_number_t most = 0;
  SUCCEED(gaspi_statistic_counter_max(&most));
  for (gaspi_statistic_counter_t counter = 0; counter < most; ++counter) {
    gaspi_statistic_argument_t argument;
    gaspi_string_t name = NULL;
    gaspi_string_t description = NULL;
    gaspi_number_t level = 0;
    SUCCEED(gaspi_statistic_counter_info(counter, &argument, &name, &description, &level));
    CHECK(name != NULL && strlen(description) > 4 && level >= 1);
    CHECK((argument == GASPI_STATISTIC_ARGUMENT_RANK) == (strstr(name, "_to_rank") != NULL));
    CHECK(level == (argument == GASPI_STATISTIC_ARGUMENT_RANK || strncmp(name, "time_", 5) == 0 ? 2u : 1u));
    if (strcmp(name, wanted) == 0) return counter;
  }
  fprintf(stderr, "no counter '%s'\n", wanted);
  exit(EXIT_FAILURE);
}

static unsigned long get(const char* name, gaspi_number_t argument) {
  unsigned long value = ~0ul;
  SUCCEED(gaspi_statistic_counter_get(find(name), argument, &value));
  return value;
}

static gaspi_rank_t next(void) {
  return (gaspi_rank_t)((my_rank() + 1) % num_ranks());
}

static void work(void) {
  gaspi_atomic_value_t old = 0;
  gaspi_rank_t from = 0;
  gaspi_segment_id_t segments[2] = {0, 0};
  gaspi_offset_t here[2] = {0, 16};
  gaspi_offset_t there[2] = {384, 400}; /* and nothing of these comes into what the peers send */
  gaspi_size_t sizes[2] = {8, 4};
  int value = 1;
  SUCCEED(gaspi_write(0, 0, next(), 0, 128, 100, 0, PATIENCE));
  SUCCEED(gaspi_write_notify(0, 0, next(), 0, 256, 10, 1, 1, 0, PATIENCE));
  SUCCEED(gaspi_write_list(2, segments, here, next(), segments, there, sizes, 0, PATIENCE));
  SUCCEED(gaspi_notify(0, next(), 2, 1, 0, PATIENCE));
  SUCCEED(gaspi_read(0, 512, next(), 0, 0, 7, 0, PATIENCE));
  SUCCEED(gaspi_wait(0, PATIENCE));
  SUCCEED(gaspi_atomic_fetch_add(0, 1000, next(), 1, &old, PATIENCE));
  SUCCEED(gaspi_allreduce(&value, &value, 1, GASPI_OP_SUM, GASPI_TYPE_INT, GASPI_GROUP_ALL, PATIENCE));
  EXPECT(GASPI_TIMEOUT, gaspi_passive_send(0, 0, my_rank(), 1, GASPI_TEST));
  SUCCEED(gaspi_passive_receive(0, 1, &from, 1, PATIENCE));
  SUCCEED(gaspi_passive_send(0, 0, my_rank(), 1, PATIENCE));
  barrier();
}

static void check_counts(unsigned long times) {
  CHECK(get("writes", 0) == 4 * times && get("bytes_written", 0) == 122 * times);
  CHECK(get("reads", 0) == times && get("bytes_read", 0) == 7 * times);
  CHECK(get("notifications", 0) == 2 * times && get("waits", 0) == times);
  CHECK(get("atomics", 0) == times && get("allreduces", 0) == times && get("barriers", 0) == times);
  CHECK(get("passive_sends", 0) == times && get("passive_receives", 0) == times);
}

/* Of one round of work(): less than a second each, and something where the call does something. */
static void check_times(void) {
  const char* const names[] = {
      "time_writes",  "time_reads",    "time_notifications", "time_waits",         "time_notification_waits",
      "time_atomics", "time_barriers", "time_allreduces",    "time_passive_sends", "time_passive_receives"};
  gaspi_notification_id_t first = 0;
  CHECK(get("time_notification_waits", 0) == 0);
  SUCCEED(gaspi_notify_waitsome(0, 1, 1, &first, PATIENCE));
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    CHECK(get(names[i], 0) > 0 && get(names[i], 0) < 60ul * 1000 * 1000 * 1000);
  }
}

int main(void) {
  gaspi_number_t most = 0;
  unsigned long value = 0;
  gaspi_string_t text = NULL;
  gaspi_statistic_argument_t argument;
  gaspi_number_t level = 0;
  SUCCEED(gaspi_statistic_counter_max(&most));
  CHECK(get("writes", 0) == 0); /* at any time */
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 1024);

  work();
  check_counts(0);
  SUCCEED(gaspi_statistic_verbosity_level(1));
  work();
  check_counts(1);
  CHECK(get("bytes_to_rank", next()) == 0); /* of level 2 */
  SUCCEED(gaspi_statistic_verbosity_level(2));
  work();
  check_counts(2);
  for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) {
    const unsigned long passive = rank == my_rank() ? 1 : 0;
    CHECK(get("bytes_to_rank", rank) == (rank == next() ? 122u : 0u) + passive);
    CHECK(get("messages_to_rank", rank) == (rank == next() ? 5u : 0u) + passive);
  }
  check_times();
  SUCCEED(gaspi_statistic_verbosity_level(0));
  work();
  check_counts(2);

  SUCCEED(gaspi_statistic_counter_reset(find("writes")));
  SUCCEED(gaspi_statistic_counter_reset(find("bytes_to_rank")));
  CHECK(get("writes", 0) == 0 && get("bytes_to_rank", next()) == 0 && get("bytes_written", 0) == 244);

  EXPECT(GASPI_ERR_INV_NUM, gaspi_statistic_counter_info(most, &argument, &text, &text, &level));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_statistic_counter_get(most, 0, &value));
  EXPECT(GASPI_ERR_INV_NUM, gaspi_statistic_counter_reset(most));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_statistic_counter_get(find("messages_to_rank"), num_ranks(), &value));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_statistic_counter_max(NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_statistic_counter_get(0, 0, NULL));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_statistic_counter_info(0, NULL, &text, &text, &level));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_statistic_counter_info(0, &argument, NULL, &text, &level));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_statistic_counter_info(0, &argument, &text, NULL, &level));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_statistic_counter_info(0, &argument, &text, &text, NULL));
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
