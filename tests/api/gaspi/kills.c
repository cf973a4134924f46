/* gaspi_proc_kill: rank 0 ends the last rank, which would have slept for ever. */
#include "check.h"

int main(void) {
  gaspi_state_t states[64];
  SUCCEED(gaspi_proc_init(PATIENCE));
  const gaspi_rank_t last = (gaspi_rank_t)(num_ranks() - 1);
  barrier();
  if (my_rank() == last) {
    for (;;) sleep_ms(1000);
  }
  if (my_rank() == 0) {
    SUCCEED(gaspi_proc_kill(last, PATIENCE));
    SUCCEED(gaspi_state_vec_get(states));
    CHECK(states[last] == GASPI_STATE_CORRUPT && states[0] == GASPI_STATE_HEALTHY);
  }
  SUCCEED(gaspi_proc_term(PATIENCE));
  printf("rank survived\n");
  return EXIT_SUCCESS;
}
