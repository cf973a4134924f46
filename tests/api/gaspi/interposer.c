/* A tool as the standard means it (section 14.2): it brings a strong gaspi_write_notify of its own and goes on to
 * pgaspi_write_notify. */
#include <GASPI.h>
#include <PGASPI.h>

static unsigned calls;

/* For the program, which looks it up by name. */
unsigned interposed_calls(void) {
  return __atomic_load_n(&calls, __ATOMIC_RELAXED);
}

gaspi_return_t gaspi_write_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                  gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                  gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                  gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  return pgaspi_write_notify(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size,
                             notification_id, notification_value, queue, timeout_ms);
}

/* Kept from the library: the process has to leave in good order by itself. */
gaspi_return_t gaspi_proc_term(gaspi_timeout_t timeout_ms) {
  (void)timeout_ms;
  return GASPI_SUCCESS;
}
