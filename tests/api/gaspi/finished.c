/* A rank that finishes early never leaves another one spinning. */
#include "check.h"

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  barrier();
  if (my_rank() == 0) {
    SUCCEED(gaspi_proc_term(PATIENCE));
    return EXIT_SUCCESS;
  }
  EXPECT(GASPI_ERROR, gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK));
  gaspi_state_t states[64];
  SUCCEED(gaspi_state_vec_get(states));
  CHECK(states[0] == GASPI_STATE_CORRUPT && states[my_rank()] == GASPI_STATE_HEALTHY);
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
