/* A program built with the address sanitizer, against a library that is not: segments of both kinds at odd places and
 * sizes, transfers that end at the last byte of the program's own memory, heap memory that is freed while the segment's
 * id is used again, messages, threads, and a second life. The sanitizer complains if the library touches a byte that is
 * not the program's, and its own mappings and signals must not meet ours. */
#include "../check.h"

#include <pthread.h>

enum { SIZE = 4099 }; /* odd, so that the end is nowhere aligned */

static gaspi_rank_t next(void) {
  return (gaspi_rank_t)((my_rank() + 1) % num_ranks());
}

static void exchange(gaspi_segment_id_t id, unsigned char* mine, gaspi_rank_t previous) {
  memset(mine, my_rank() + 1, SIZE);
  barrier();
  /* The last bytes of our memory to the first ones of theirs, and the other way round. */
  SUCCEED(gaspi_write_notify(id, SIZE - 7, next(), id, 0, 7, 3, 1, 0, PATIENCE));
  CHECK(take_flag(id, 3) == 1);
  for (int i = 0; i < 7; ++i) CHECK(mine[i] == previous + 1);
  SUCCEED(gaspi_read_notify(id, SIZE - 5, next(), id, SIZE / 2, 5, 4, 0, PATIENCE));
  CHECK(take_flag(id, 4) == 1);
  for (int i = SIZE - 5; i < SIZE; ++i) CHECK(mine[i] == next() + 1);
  SUCCEED(gaspi_wait(0, PATIENCE));
  barrier();
}

static void own_memory(gaspi_rank_t previous) {
  for (int round = 0; round < 3; ++round) {
    unsigned char* const block = malloc(SIZE + (size_t)round);
    CHECK(block != NULL);
    SUCCEED(gaspi_segment_use(1, block + round, SIZE, GASPI_GROUP_ALL, PATIENCE, 0));
    exchange(1, block + round, previous);
    SUCCEED(gaspi_segment_delete(1));
    free(block);
    barrier();
  }
}

static void* post_many(void* unused) {
  for (int i = 0; i < 500; ++i) {
    gaspi_return_t code;
    while ((code = gaspi_write(0, 8, next(), 0, 16, 8, 1, PATIENCE)) == GASPI_QUEUE_FULL)
      SUCCEED(gaspi_wait(1, PATIENCE));
    EXPECT(GASPI_SUCCESS, code);
  }
  return unused;
}

static void threads(void) {
  pthread_t others[3];
  for (int i = 0; i < 3; ++i) CHECK(pthread_create(&others[i], NULL, post_many, NULL) == 0);
  for (int i = 0; i < 3; ++i) CHECK(pthread_join(others[i], NULL) == 0);
  SUCCEED(gaspi_wait(1, PATIENCE));
  barrier();
}

static void messages(void) {
  gaspi_rank_t from = 0;
  SUCCEED(gaspi_proc_ping(next(), PATIENCE));
  if (my_rank() != 0) SUCCEED(gaspi_passive_send(0, 0, 0, 5, PATIENCE));
  for (gaspi_rank_t i = 1; my_rank() == 0 && i < num_ranks(); ++i)
    SUCCEED(gaspi_passive_receive(0, 100, &from, 5, PATIENCE));
  gaspi_printf("%s\n", "done");
  barrier();
}

static void live(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  const gaspi_rank_t previous = (gaspi_rank_t)((my_rank() + num_ranks() - 1) % num_ranks());
  unsigned char* const memory = create_segment(0, SIZE);
  exchange(0, memory, previous);
  own_memory(previous);
  threads();
  messages();
  SUCCEED(gaspi_proc_term(PATIENCE));
}

int main(void) {
  live();
  live();
  return EXIT_SUCCESS;
}
