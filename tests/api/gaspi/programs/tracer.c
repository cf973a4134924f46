/* In the style of tracing tools: preloaded into a program that knows nothing of it, stands in front of the calls,
 * counts them and their time, and reports when the rank ends. As some tools do, it never passes gaspi_proc_term on. */
#include <GASPI.h>
#include <PGASPI.h>
#include <PGASPI_Ext.h>

#include <stdatomic.h>
#include <stdio.h>

enum { WRITES, BYTES, WAITS, WAITSOMES, BARRIERS, ALLREDUCES, COUNTERS };
static atomic_ulong counters[COUNTERS];
static gaspi_rank_t rank_of_process;

static void count(int counter, unsigned long amount) {
  atomic_fetch_add(&counters[counter], amount);
}

gaspi_return_t gaspi_proc_init(gaspi_timeout_t timeout_ms) {
  const gaspi_return_t code = pgaspi_proc_init(timeout_ms);
  if (code == GASPI_SUCCESS) pgaspi_proc_rank(&rank_of_process);
  return code;
}

gaspi_return_t gaspi_proc_term(gaspi_timeout_t timeout_ms) {
  (void)timeout_ms;
  fprintf(stderr, "tracer: rank %u: %lu writes of %lu bytes, %lu waits, %lu waitsomes, %lu barriers, %lu allreduces\n",
          (unsigned)rank_of_process, counters[WRITES], counters[BYTES], counters[WAITS], counters[WAITSOMES],
          counters[BARRIERS], counters[ALLREDUCES]);
  return GASPI_SUCCESS;
}

gaspi_return_t gaspi_write_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                  gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                  gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                                  gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const gaspi_return_t code =
      pgaspi_write_notify(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, notification_id,
                          notification_value, queue, timeout_ms);
  if (code == GASPI_SUCCESS) {
    count(WRITES, 1);
    count(BYTES, size);
  }
  return code;
}

gaspi_return_t gaspi_wait(gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  count(WAITS, 1);
  return pgaspi_wait(queue, timeout_ms);
}

gaspi_return_t gaspi_notify_waitsome(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_begin,
                                     gaspi_number_t notification_num, gaspi_notification_id_t* first_id,
                                     gaspi_timeout_t timeout_ms) {
  count(WAITSOMES, 1);
  return pgaspi_notify_waitsome(segment_id_local, notification_begin, notification_num, first_id, timeout_ms);
}

gaspi_return_t gaspi_barrier(gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  count(BARRIERS, 1);
  return pgaspi_barrier(group, timeout_ms);
}

gaspi_return_t gaspi_allreduce(gaspi_pointer_t const buffer_send, gaspi_pointer_t const buffer_receive,
                               gaspi_number_t num, gaspi_operation_t operation, gaspi_datatype_t datatype,
                               gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  count(ALLREDUCES, 1);
  return pgaspi_allreduce(buffer_send, buffer_receive, num, operation, datatype, group, timeout_ms);
}
