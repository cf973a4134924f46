/* sleepers END: all ranks but the last sleep in every blocking call at once, a thread for each, and need the last rank
 * for it. That one ends: exit, exit(1); crash, SIGKILL; term, gaspi_proc_term and a good end; wait, not by itself.
 * Prints "ready RANK", "told RANK CALL CODE" for each call that ended, and "well RANK" if all did, with GASPI_ERROR. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { GROUPS = 9, SEGMENT = 0, TOGETHER = 1, START = 100000 };

static gaspi_group_t groups[GROUPS];
static gaspi_rank_t me, num;

static gaspi_return_t in_barrier(void) {
  return gaspi_barrier(groups[0], GASPI_BLOCK);
}

static gaspi_return_t in_allreduce(void) {
  int one = 1, sum = 0;
  return gaspi_allreduce(&one, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_INT, groups[1], GASPI_BLOCK);
}

static gaspi_return_t in_segment_create(void) {
  return gaspi_segment_create(TOGETHER, 64, groups[2], GASPI_BLOCK, GASPI_MEM_INITIALIZED);
}

static gaspi_return_t in_segment_use(void) {
  static double memory[8];
  return gaspi_segment_use(TOGETHER + 1, memory, sizeof memory, groups[3], GASPI_BLOCK, 0);
}

static gaspi_return_t add(gaspi_pointer_t const one, gaspi_pointer_t const two, gaspi_pointer_t const result,
                          gaspi_reduce_state_t state, gaspi_number_t num_elements, gaspi_size_t size,
                          gaspi_timeout_t timeout) {
  (void)state, (void)size, (void)timeout;
  for (gaspi_number_t i = 0; i < num_elements; ++i) ((int*)result)[i] = ((int*)one)[i] + ((int*)two)[i];
  return GASPI_SUCCESS;
}

static gaspi_return_t in_allreduce_user(void) {
  int one = 1, sum = 0;
  return gaspi_allreduce_user(&one, &sum, 1, sizeof one, add, NULL, groups[4], GASPI_BLOCK);
}

static gaspi_return_t in_bcast(void) {
  int word = 0;
  return gaspi_bcast(&word, sizeof word, (gaspi_rank_t)(num - 1), groups[5], GASPI_BLOCK);
}

static gaspi_return_t in_allgather(void) {
  int word = 0, all[64];
  return gaspi_allgather(&word, all, sizeof word, groups[6], GASPI_BLOCK);
}

static gaspi_return_t in_alltoall(void) {
  int words[64] = {0}, all[64];
  return gaspi_alltoall(words, all, sizeof *words, groups[7], GASPI_BLOCK);
}

static gaspi_return_t in_group_commit(void) {
  return gaspi_group_commit(groups[GROUPS - 1], GASPI_BLOCK);
}

/* Those that come to an end while the last rank is there are called until it is not. */
static gaspi_return_t until_error(gaspi_return_t (*call)(void)) {
  gaspi_return_t code;
  while ((code = call()) == GASPI_SUCCESS) sleep_ms(1);
  return code;
}

static gaspi_return_t write_and_wait(void) {
  const gaspi_return_t code = gaspi_write(SEGMENT, 0, (gaspi_rank_t)(num - 1), SEGMENT, 64, 8, 3, GASPI_BLOCK);
  return code == GASPI_SUCCESS ? gaspi_wait(3, GASPI_BLOCK) : code;
}

static gaspi_return_t add_one(void) {
  gaspi_atomic_value_t old = 0;
  return gaspi_atomic_fetch_add(SEGMENT, 128, (gaspi_rank_t)(num - 1), 1, &old, GASPI_BLOCK);
}

static gaspi_return_t in_wait(void) {
  return until_error(write_and_wait);
}

static gaspi_return_t in_atomic(void) {
  return until_error(add_one);
}

static gaspi_return_t in_passive_send(void) {
  return gaspi_passive_send(SEGMENT, 0, (gaspi_rank_t)(num - 1), 8, GASPI_BLOCK);
}

/* Only where nobody else is left who could raise the flag, or send. */
static gaspi_return_t in_notify_waitsome(void) {
  gaspi_notification_id_t first = 0;
  return gaspi_notify_waitsome(SEGMENT, 0, 8, &first, GASPI_BLOCK);
}

static gaspi_return_t in_passive_receive(void) {
  gaspi_rank_t sender = 0;
  return gaspi_passive_receive(SEGMENT, 8, &sender, 8, GASPI_BLOCK);
}

typedef struct {
  const char* name;
  gaspi_return_t (*call)(void);
  pthread_t thread;
  gaspi_return_t code;
} sleeper_t;

static sleeper_t sleepers[] = {
    {.name = "barrier", .call = in_barrier},
    {.name = "allreduce", .call = in_allreduce},
    {.name = "segment_create", .call = in_segment_create},
    {.name = "segment_use", .call = in_segment_use},
    {.name = "allreduce_user", .call = in_allreduce_user},
    {.name = "bcast", .call = in_bcast},
    {.name = "allgather", .call = in_allgather},
    {.name = "alltoall", .call = in_alltoall},
    {.name = "group_commit", .call = in_group_commit},
    {.name = "wait", .call = in_wait},
    {.name = "atomic", .call = in_atomic},
    {.name = "passive_send", .call = in_passive_send},
    {.name = "notify_waitsome", .call = in_notify_waitsome},
    {.name = "passive_receive", .call = in_passive_receive},
};

static void* sleep_in(void* argument) {
  sleeper_t* sleeper = argument;
  sleeper->code = sleeper->call();
  printf("told %u %s %d\n", (unsigned)me, sleeper->name, (int)sleeper->code);
  fflush(stdout);
  return NULL;
}

static void make_groups(void) {
  for (int i = 0; i < GROUPS; ++i) {
    SUCCEED(gaspi_group_create(&groups[i]));
    for (gaspi_rank_t rank = 0; rank < num; ++rank) SUCCEED(gaspi_group_add(groups[i], rank));
    if (i + 1 < GROUPS) SUCCEED(gaspi_group_commit(groups[i], START));
  }
}

static void end(const char* how) {
  sleep(1); /* mostly all others sleep by now; one that comes later must be told as well */
  if (strcmp(how, "exit") == 0) exit(1);
  if (strcmp(how, "crash") == 0) raise(SIGKILL);
  if (strcmp(how, "wait") == 0) sleep(3600);
  SUCCEED(gaspi_proc_term(START));
  exit(0);
}

int main(int count, char** words) {
  CHECK(count == 2);
  SUCCEED(gaspi_proc_init(START));
  me = my_rank();
  num = num_ranks();
  create_segment(SEGMENT, 4096);
  make_groups();
  barrier();
  printf("ready %u\n", (unsigned)me);
  fflush(stdout);
  if (me + 1 == num) end(words[1]);
  const size_t all = sizeof sleepers / sizeof *sleepers, used = num == 2 ? all : all - 2;
  for (size_t i = 0; i < used; ++i) CHECK(pthread_create(&sleepers[i].thread, NULL, sleep_in, &sleepers[i]) == 0);
  for (size_t i = 0; i < used; ++i) {
    CHECK(pthread_join(sleepers[i].thread, NULL) == 0);
    CHECK(sleepers[i].code == GASPI_ERROR);
  }
  printf("well %u\n", (unsigned)me);
  fflush(stdout);
  return EXIT_SUCCESS;
}
