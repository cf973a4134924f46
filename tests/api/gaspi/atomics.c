/* GASPI 17.1, section 10. */
#include "check.h"

enum { ROUNDS = 2000 };

/* Everybody draws numbers at rank 0: each number is drawn once. */
static void check_counter(gaspi_atomic_value_t* values) {
  const gaspi_rank_t num = num_ranks();
  gaspi_atomic_value_t old = 0;
  gaspi_atomic_value_t last = 0;
  gaspi_ulong sum = 0;
  gaspi_ulong total = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    SUCCEED(gaspi_atomic_fetch_add(0, 8, 0, 1, &old, PATIENCE));
    CHECK(i == 0 || old > last);
    last = old;
    sum += old;
  }
  SUCCEED(gaspi_allreduce(&sum, &total, 1, GASPI_OP_SUM, GASPI_TYPE_ULONG, GASPI_GROUP_ALL, PATIENCE));
  const gaspi_ulong drawn = (gaspi_ulong)num * ROUNDS;
  CHECK(total == drawn * (drawn - 1) / 2);
  if (my_rank() == 0) CHECK(values[1] == drawn);
  barrier();
}

/* A lock in rank 0's memory guards a plain counter at the last rank. */
static void check_lock(gaspi_atomic_value_t* values) {
  const gaspi_rank_t keeper = (gaspi_rank_t)(num_ranks() - 1);
  const gaspi_atomic_value_t me = my_rank() + 1u;
  gaspi_atomic_value_t old = 0;
  for (int i = 0; i < 100; ++i) {
    do {
      SUCCEED(gaspi_atomic_compare_swap(0, 16, 0, 0, me, &old, PATIENCE));
    } while (old != 0);
    SUCCEED(gaspi_read(0, 64, keeper, 0, 24, 8, 0, PATIENCE));
    SUCCEED(gaspi_wait(0, PATIENCE));
    values[8] += 1;
    SUCCEED(gaspi_write(0, 64, keeper, 0, 24, 8, 0, PATIENCE));
    SUCCEED(gaspi_wait(0, PATIENCE));
    /* Local completion is not arrival: the way through is to read it back before the lock is given up. */
    SUCCEED(gaspi_read(0, 72, keeper, 0, 24, 8, 0, PATIENCE));
    SUCCEED(gaspi_wait(0, PATIENCE));
    CHECK(values[9] == values[8]);
    SUCCEED(gaspi_atomic_compare_swap(0, 16, 0, me, 0, &old, PATIENCE));
    CHECK(old == me);
  }
  barrier();
  if (my_rank() == keeper) CHECK(values[3] == 100ul * num_ranks());
}

static void check_values(gaspi_atomic_value_t* values) {
  gaspi_atomic_value_t old = 0;
  gaspi_atomic_value_t most = 0;
  SUCCEED(gaspi_atomic_max(&most));
  CHECK(most == ~0ul);
  values[6] = most;
  SUCCEED(gaspi_atomic_fetch_add(0, 48, my_rank(), 2, &old, PATIENCE));
  CHECK(old == most && values[6] == 1);
  SUCCEED(gaspi_atomic_compare_swap(0, 48, my_rank(), 5, 9, &old, PATIENCE));
  CHECK(old == 1 && values[6] == 1);
  SUCCEED(gaspi_atomic_compare_swap(0, 48, my_rank(), 1, most, &old, GASPI_BLOCK));
  CHECK(old == 1 && values[6] == most);
}

/* In memory of the program, which peers cannot add to by themselves: a call that times out goes on, and counts once. In
 * the second half the program looks once and then waits for as long as it takes. */
static void check_steps(void) {
  static gaspi_atomic_value_t counter[2];
  enum { STEPS = 200 };
  const gaspi_rank_t last = (gaspi_rank_t)(num_ranks() - 1);
  const gaspi_atomic_value_t me = my_rank() + 1u;
  gaspi_atomic_value_t old = 0;
  gaspi_return_t code;
  SUCCEED(gaspi_segment_use(1, counter, sizeof counter, GASPI_GROUP_ALL, PATIENCE, 0));
  for (int i = 0; i < STEPS / 2; ++i) {
    while ((code = gaspi_atomic_fetch_add(1, 0, last, 1, &old, i % 2 ? GASPI_TEST : 1)) == GASPI_TIMEOUT) {
    }
    EXPECT(GASPI_SUCCESS, code);
  }
  for (int i = 0; i < STEPS / 2; ++i) {
    code = gaspi_atomic_fetch_add(1, 0, last, 1, &old, GASPI_TEST);
    if (code == GASPI_TIMEOUT) code = gaspi_atomic_fetch_add(1, 0, last, 1, &old, GASPI_BLOCK);
    EXPECT(GASPI_SUCCESS, code);
  }
  barrier();
  if (my_rank() == last) CHECK(counter[0] == (gaspi_atomic_value_t)STEPS * num_ranks());
  /* Of all who swap, one finds the 0; that one knows it, even if its first call timed out. */
  while ((code = gaspi_atomic_compare_swap(1, 8, last, 0, me, &old, GASPI_TEST)) == GASPI_TIMEOUT) {
  }
  EXPECT(GASPI_SUCCESS, code);
  gaspi_ulong won = old == 0;
  SUCCEED(gaspi_allreduce(&won, &won, 1, GASPI_OP_SUM, GASPI_TYPE_ULONG, GASPI_GROUP_ALL, PATIENCE));
  CHECK(won == 1);
  barrier();
  SUCCEED(gaspi_segment_delete(1));
}

static void check_errors(void) {
  const gaspi_rank_t me = my_rank();
  gaspi_atomic_value_t old = 5;
#define BOTH(code, segment, offset, rank)                                         \
  EXPECT(code, gaspi_atomic_fetch_add(segment, offset, rank, 1, &old, PATIENCE)); \
  EXPECT(code, gaspi_atomic_compare_swap(segment, offset, rank, 0, 1, &old, PATIENCE))
  BOTH(GASPI_ERR_INV_SEG, 9, 0, me);
  BOTH(GASPI_ERR_INV_RANK, 0, 0, num_ranks());
  BOTH(GASPI_ERR_UNALIGN_OFF, 0, 4, me);
  BOTH(GASPI_ERR_INV_REM_OFF, 0, 1024, me);
  BOTH(GASPI_ERR_INV_REM_OFF, 0, ~7ul, me);
#undef BOTH
  CHECK(old == 5);
  EXPECT(GASPI_ERR_NULLPTR, gaspi_atomic_fetch_add(0, 0, me, 1, NULL, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_atomic_compare_swap(0, 0, me, 1, 1, NULL, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_atomic_max(NULL));
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  gaspi_atomic_value_t* const values = create_segment(0, 1024);
  check_counter(values);
  check_lock(values);
  check_values(values);
  check_steps();
  check_errors();
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
