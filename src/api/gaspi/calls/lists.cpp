// GASPI 17.1, sections 8.4.2, 8.4.3 and 8.4.5: lists of writes and reads.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/post/list_call.hpp"

using namespace polder;
using namespace polder::gaspi;

extern "C" {

gaspi_return_t pgaspi_write_list(gaspi_number_t num, gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                                 gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote,
                                 gaspi_offset_t* offset_remote, gaspi_size_t* size, gaspi_queue_id_t queue,
                                 gaspi_timeout_t timeout_ms) {
  TracedGaspiCall traced(GaspiCall::write_list, {.peer = rank, .queue = queue});
  if (traced.active()) traced.set_bytes(sum_of(size, num));
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (const auto code = call.prepare("gaspi_write_list", list, queue); code != GASPI_SUCCESS) return code;
  return call.write();
}
POLDER_WEAK_ALIAS(write_list);

gaspi_return_t pgaspi_write_list_notify(gaspi_number_t num, gaspi_segment_id_t* segment_id_local,
                                        gaspi_offset_t* offset_local, gaspi_rank_t rank,
                                        gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                        gaspi_size_t* size, gaspi_segment_id_t segment_id_notification,
                                        gaspi_notification_id_t notification_id,
                                        gaspi_notification_t notification_value, gaspi_queue_id_t queue,
                                        gaspi_timeout_t timeout_ms) {
  TracedGaspiCall traced(GaspiCall::write_list_notify, {.peer = rank,
                                                        .segment = segment_id_notification,
                                                        .queue = queue,
                                                        .notification = notification_id,
                                                        .value = notification_value});
  if (traced.active()) traced.set_bytes(sum_of(size, num));
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (const auto code = call.prepare("gaspi_write_list_notify", list, queue); code != GASPI_SUCCESS) return code;
  const Notification flag{.id = notification_id, .value = notification_value};
  const auto code = call.check_flag("gaspi_write_list_notify", segment_id_notification, flag);
  if (code != GASPI_SUCCESS) return code;
  return call.write_and_notify(segment_id_notification, flag);
}
POLDER_WEAK_ALIAS(write_list_notify);

gaspi_return_t pgaspi_read_list(gaspi_number_t num, gaspi_segment_id_t* segment_id_local, gaspi_offset_t* offset_local,
                                gaspi_rank_t rank, gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                gaspi_size_t* size, gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  TracedGaspiCall traced(GaspiCall::read_list, {.peer = rank, .queue = queue});
  if (traced.active()) traced.set_bytes(sum_of(size, num));
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (const auto code = call.prepare("gaspi_read_list", list, queue); code != GASPI_SUCCESS) return code;
  return call.read();
}
POLDER_WEAK_ALIAS(read_list);

gaspi_return_t pgaspi_read_list_notify(gaspi_number_t num, gaspi_segment_id_t* segment_id_local,
                                       gaspi_offset_t* offset_local, gaspi_rank_t rank,
                                       gaspi_segment_id_t* segment_id_remote, gaspi_offset_t* offset_remote,
                                       gaspi_size_t* size, gaspi_segment_id_t segment_id_notification,
                                       gaspi_notification_id_t notification_id, gaspi_queue_id_t queue,
                                       gaspi_timeout_t timeout_ms) {
  TracedGaspiCall traced(
      GaspiCall::read_list_notify,
      {.peer = rank, .segment = segment_id_notification, .queue = queue, .notification = notification_id});
  if (traced.active()) traced.set_bytes(sum_of(size, num));
  ListCall call(timeout_ms);
  const TransferList list{num, segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size};
  if (const auto code = call.prepare("gaspi_read_list_notify", list, queue); code != GASPI_SUCCESS) return code;
  const auto code = call.check_notification("gaspi_read_list_notify", call.to.context->rank(), segment_id_notification,
                                            notification_id);
  if (code != GASPI_SUCCESS) return code;
  return call.read_and_notify(segment_id_notification, notification_id);
}
POLDER_WEAK_ALIAS(read_list_notify);

}  // extern "C"
