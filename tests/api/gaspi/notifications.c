/* GASPI 17.1, section 8.3. */
#include "check.h"

static void check_values(void) {
  const gaspi_rank_t num = num_ranks();
  gaspi_notification_t value = 9;
  for (gaspi_rank_t rank = 0; rank < num; ++rank) {
    SUCCEED(gaspi_notify(0, rank, 100 + my_rank(), 0xffffffffu - my_rank(), rank % 8, PATIENCE));
  }
  for (gaspi_rank_t rank = 0; rank < num; ++rank) CHECK(take_flag(0, 100 + rank) == 0xffffffffu - rank);
  SUCCEED(gaspi_notify_reset(0, 100, &value)); /* not set any more */
  CHECK(value == 0);
  barrier();
}

/* The first that is set, from the front; setting again replaces; waiting does not take. */
static void check_order(void) {
  const gaspi_rank_t me = my_rank();
  gaspi_notification_id_t first = 0;
  gaspi_notification_t value = 0;
  SUCCEED(gaspi_notify(0, me, 65535, 1, 0, PATIENCE));
  SUCCEED(gaspi_notify(0, me, 40, 2, 0, PATIENCE));
  SUCCEED(gaspi_notify(0, me, 40, 3, 0, PATIENCE));
  SUCCEED(gaspi_notify_waitsome(0, 0, 65536, &first, PATIENCE));
  CHECK(first == 40);
  SUCCEED(gaspi_notify_waitsome(0, 0, 65536, &first, GASPI_TEST));
  CHECK(first == 40);
  SUCCEED(gaspi_notify_waitsome(0, 41, 65495, &first, GASPI_TEST));
  CHECK(first == 65535);
  EXPECT(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 41, 65494, &first, GASPI_TEST));
  SUCCEED(gaspi_notify_reset(0, 40, &value));
  CHECK(value == 3);
  SUCCEED(gaspi_notify_reset(0, 65535, &value));
  CHECK(value == 1);
  SUCCEED(gaspi_notify_waitsome(0, 0, 0, &first, GASPI_BLOCK)); /* nothing to wait for */
}

static void check_timeout(void) {
  gaspi_notification_id_t first = 0;
  const double start = now_ms();
  EXPECT(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 0, 65536, &first, 50));
  CHECK(now_ms() - start >= 49);
  barrier();
  if (my_rank() == 0) {
    sleep_ms(30);
    for (gaspi_rank_t rank = 0; rank < num_ranks(); ++rank) SUCCEED(gaspi_notify(0, rank, 3, 1, 0, PATIENCE));
  }
  gaspi_return_t code;
  int calls = 0;
  while ((code = gaspi_notify_waitsome(0, 0, 8, &first, 5)) == GASPI_TIMEOUT) CHECK(++calls < PATIENCE);
  EXPECT(GASPI_SUCCESS, code);
  CHECK(first == 3 && take_flag(0, 3) == 1);
  barrier();
}

static void check_errors(void) {
  const gaspi_rank_t me = my_rank();
  gaspi_notification_id_t first = 77;
  gaspi_notification_t value = 77;
  EXPECT(GASPI_ERR_INV_SEG, gaspi_notify(9, me, 0, 1, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_RANK, gaspi_notify(0, num_ranks(), 0, 1, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_ID, gaspi_notify(0, me, 65536, 1, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_VAL, gaspi_notify(0, me, 0, 0, 0, PATIENCE));
  EXPECT(GASPI_ERR_INV_QUEUE, gaspi_notify(0, me, 0, 1, 8, PATIENCE));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_notify_waitsome(9, 0, 1, &first, PATIENCE));
  EXPECT(GASPI_ERR_NULLPTR, gaspi_notify_waitsome(0, 0, 1, NULL, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_ID, gaspi_notify_waitsome(0, 0, 65537, &first, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_ID, gaspi_notify_waitsome(0, 65536, 1, &first, PATIENCE));
  EXPECT(GASPI_ERR_INV_NOTIF_ID, gaspi_notify_waitsome(0, 0xffffffffu, 2, &first, PATIENCE));
  EXPECT(GASPI_ERR_INV_SEG, gaspi_notify_reset(9, 0, &value));
  EXPECT(GASPI_ERR_INV_NOTIF_ID, gaspi_notify_reset(0, 65536, &value));
  SUCCEED(gaspi_notify_reset(0, 0, NULL)); /* for who does not want the value */
  CHECK(first == 77 && value == 77);
  EXPECT(GASPI_TIMEOUT, gaspi_notify_waitsome(0, 0, 65536, &first, GASPI_TEST));
}

int main(void) {
  SUCCEED(gaspi_proc_init(PATIENCE));
  create_segment(0, 64);
  check_values();
  check_order();
  check_timeout();
  check_errors();
  barrier();
  SUCCEED(gaspi_proc_term(PATIENCE));
  return EXIT_SUCCESS;
}
