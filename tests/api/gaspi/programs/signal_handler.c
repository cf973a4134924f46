/* After the standard's listing 9: a handler that ends the other ranks, terminates, and leaves, while the program sits
 * in a call that blocks. Here rank 0 sends itself the signal. */
#include "../check.h"

#include <signal.h>
#include <unistd.h>

static void end_all(int number) {
  gaspi_rank_t me = 0;
  gaspi_rank_t num = 0;
  (void)number;
  gaspi_proc_rank(&me);
  gaspi_proc_num(&num);
  for (gaspi_rank_t rank = 1; me == 0 && rank < num; ++rank) gaspi_proc_kill(rank, GASPI_BLOCK);
  gaspi_proc_term(GASPI_BLOCK);
  fprintf(stderr, "the handler of rank %u is through\n", (unsigned)me);
  exit(3);
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  barrier();
  CHECK(signal(SIGALRM, &end_all) != SIG_ERR);
  gaspi_notification_id_t first = 0;
  if (my_rank() == 0) alarm(1);
  gaspi_notify_waitsome(0, 0, 10, &first, GASPI_BLOCK); /* nobody will ever notify */
  sleep_ms(PATIENCE);                                   /* the other ranks are killed here or above */
  return EXIT_SUCCESS;
}
