// GASPI 17.1, sections 8.2.1, 8.2.2, 8.4.1 and 8.4.4: contiguous writes and reads.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/post/posting.hpp"

using namespace polder;
using namespace polder::gaspi;

extern "C" {

gaspi_return_t pgaspi_write(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                            gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                            gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::write,
                               {.peer = rank, .segment = segment_id_remote, .bytes = size, .queue = queue});
  Posting to;
  const auto code = check_posting("gaspi_write", segment_id_local, offset_local, size, queue, to);
  if (code != GASPI_SUCCESS) return code;
  const Timed timed(Counter::time_writes);
  statistics().count_write(rank, size);
  return post(to, timeout_ms, [&](Post how) {
    return to.runtime().put(to.memory, {rank, segment_id_remote, offset_remote}, size, how);
  });
}
POLDER_WEAK_ALIAS(write);

gaspi_return_t pgaspi_read(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                           gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                           gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::read,
                               {.peer = rank, .segment = segment_id_remote, .bytes = size, .queue = queue});
  Posting to;
  const auto code = check_posting("gaspi_read", segment_id_local, offset_local, size, queue, to);
  if (code != GASPI_SUCCESS) return code;
  const Timed timed(Counter::time_reads);
  statistics().count_read(size);
  return post(to, timeout_ms, [&](Post how) {
    return to.runtime().get(to.memory, {rank, segment_id_remote, offset_remote}, size, how);
  });
}
POLDER_WEAK_ALIAS(read);

gaspi_return_t pgaspi_write_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                   gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote,
                                   gaspi_size_t size, gaspi_notification_id_t notification_id,
                                   gaspi_notification_t notification_value, gaspi_queue_id_t queue,
                                   gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::write_notify, {.peer = rank,
                                                         .segment = segment_id_remote,
                                                         .bytes = size,
                                                         .queue = queue,
                                                         .notification = notification_id,
                                                         .value = notification_value});
  Posting to;
  auto code = check_posting("gaspi_write_notify", segment_id_local, offset_local, size, queue, to);
  if (code != GASPI_SUCCESS) return code;
  code = check_value("gaspi_write_notify", notification_value);
  if (code != GASPI_SUCCESS) return code;
  const Timed timed(Counter::time_writes);
  statistics().count_write(rank, size);
  statistics().count(Counter::notifications);
  return post(to, timeout_ms, [&](Post how) {
    return to.runtime().put_notify(to.memory, {rank, segment_id_remote, offset_remote}, size,
                                   {.id = notification_id, .value = notification_value}, how);
  });
}
POLDER_WEAK_ALIAS(write_notify);

gaspi_return_t pgaspi_read_notify(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                  gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                  gaspi_notification_id_t notification_id, gaspi_queue_id_t queue,
                                  gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(
      GaspiCall::read_notify,
      {.peer = rank, .segment = segment_id_remote, .bytes = size, .queue = queue, .notification = notification_id});
  Posting to;
  const auto code = check_posting("gaspi_read_notify", segment_id_local, offset_local, size, queue, to);
  if (code != GASPI_SUCCESS) return code;
  const Timed timed(Counter::time_reads);
  statistics().count_read(size);
  return post(to, timeout_ms, [&](Post how) {
    return to.runtime().get_notify(to.memory, {rank, segment_id_remote, offset_remote}, size,
                                   {.id = notification_id, .value = 1, .segment = segment_id_local}, how);
  });
}
POLDER_WEAK_ALIAS(read_notify);

}  // extern "C"
