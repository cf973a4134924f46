/* A work queue: ranks take the next task from a counter at rank 0 until none is left, so a slow rank takes fewer, and
 * nobody hands them out. Rank 0 computes like all others and does not even notice.
 *
 * A task counts the primes among some numbers. How many there are below 200,000 is known: 17,984. */
#include "check.h"

enum { NUMBERS = 200000, PRIMES = 17984 };
enum { TASK = 500 };             /* numbers in a task: some ten microseconds or more, where taking one costs less */
enum { COUNTER = 0, OWNER = 0 }; /* the segment, and the rank that has it */

static int is_prime(unsigned long number) {
  for (unsigned long divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return 0;
  return number >= 2;
}

/* The first number that nobody has taken. */
static unsigned long take_task(void) {
  gaspi_atomic_value_t first = 0;
  CHECK(gaspi_atomic_fetch_add(COUNTER, 0, OWNER, TASK, &first, PATIENCE));
  return first;
}

int main(void) {
  gaspi_rank_t me = 0;
  CHECK(gaspi_proc_init(PATIENCE));
  CHECK(gaspi_proc_rank(&me));
  CHECK(gaspi_segment_create(COUNTER, sizeof(gaspi_atomic_value_t), GASPI_GROUP_ALL, PATIENCE, GASPI_MEM_INITIALIZED));

  unsigned long tasks = 0, primes = 0, all = 0;
  for (unsigned long first; (first = take_task()) < NUMBERS; ++tasks)
    for (unsigned long number = first; number < first + TASK; ++number) primes += (unsigned long)is_prime(number);
  printf("rank %u did %lu tasks\n", (unsigned)me, tasks);

  CHECK(gaspi_allreduce(&primes, &all, 1, GASPI_OP_SUM, GASPI_TYPE_ULONG, GASPI_GROUP_ALL, PATIENCE));
  if (me == 0) printf("%lu primes\n", all);
  CHECK(gaspi_proc_term(PATIENCE));
  return all == PRIMES ? EXIT_SUCCESS : EXIT_FAILURE;
}
