/* gaspi_proc_kill: rank 0 ends the last rank, which would have slept for ever. */
#include "check.h"

int main(void) {
  gaspi_state_t states[64];
  SUCCEED(gaspi_proc_init(PATIENCE));
  const gaspi_rank_t last = (gaspi_rank_t)(num_ranks() - 1);
  create_segment(0, 64);
  barrier();
  if (my_rank() == last) {
    for (;;) sleep_ms(1000);
  }
  /* Who is through a barrier may still be needed by others that are not: nobody is ended before all have said so. */
  if (my_rank() != 0) SUCCEED(gaspi_notify(0, 0, my_rank(), 1, 0, PATIENCE));
  if (my_rank() == 0) {
    for (gaspi_notification_id_t rank = 1; rank < last; ++rank) CHECK(take_flag(0, rank) == 1);
    SUCCEED(gaspi_proc_kill(last, PATIENCE));
    SUCCEED(gaspi_state_vec_get(states));
    CHECK(states[last] == GASPI_STATE_CORRUPT && states[0] == GASPI_STATE_HEALTHY);
  }
  SUCCEED(gaspi_proc_term(PATIENCE));
  printf("rank survived\n");
  return EXIT_SUCCESS;
}
