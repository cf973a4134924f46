// GASPI 17.1, section 8.3: weak synchronisation.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/post/posting.hpp"

using namespace polder;
using namespace polder::gaspi;

namespace {

struct Flags {
  gaspi_segment_id_t segment;
  gaspi_notification_id_t begin;
  gaspi_number_t num;
};

gaspi_return_t sleep_for_flag(Context& context, const Flags& flags, gaspi_notification_id_t& first_id,
                              gaspi_timeout_t timeout_ms) {
  const FlagWaiting waiting({flags.segment, flags.begin});
  const auto id = context.runtime().wait_some(flags.segment, flags.begin, flags.num, to_timeout(timeout_ms));
  if (context.ends()) return ended_by_term("gaspi_notify_waitsome");
  if (!id.ok()) return failed(id.status());
  first_id = *id;
  return GASPI_SUCCESS;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_notify(gaspi_segment_id_t segment_id_remote, gaspi_rank_t rank,
                             gaspi_notification_id_t notification_id, gaspi_notification_t notification_value,
                             gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::notify, {.peer = rank,
                                                   .segment = segment_id_remote,
                                                   .queue = queue,
                                                   .notification = notification_id,
                                                   .value = notification_value});
  Posting to;
  auto code = check_queue("gaspi_notify", queue, to);
  if (code != GASPI_SUCCESS) return code;
  code = check_value("gaspi_notify", notification_value);
  if (code != GASPI_SUCCESS) return code;
  const Timed timed(Counter::time_notifications);
  statistics().count_notification(rank);
  return post(to, timeout_ms, [&](Post how) {
    return to.runtime().notify(rank, segment_id_remote, {.id = notification_id, .value = notification_value}, how);
  });
}
POLDER_WEAK_ALIAS(notify);

gaspi_return_t pgaspi_notify_waitsome(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_begin,
                                      gaspi_number_t notification_num, gaspi_notification_id_t* first_id,
                                      gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::notify_waitsome, {.segment = segment_id_local});
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_notify_waitsome");
  if (first_id == nullptr) return refuse_null("gaspi_notify_waitsome", "first_id");
  if (!context->segments.has(segment_id_local)) {
    return refuse(GASPI_ERR_INV_SEG, "gaspi_notify_waitsome", "the local segment must exist", segment_id_local);
  }
  if (notification_num == 0) return GASPI_SUCCESS;
  const Timed timed(Counter::time_notification_waits);
  auto id = context->runtime().wait_some(segment_id_local, notification_begin, notification_num, Timeout::test());
  if (id.ok()) [[likely]] {
    *first_id = *id;
    return GASPI_SUCCESS;
  }
  if (!id.status().timed_out() || timeout_ms == GASPI_TEST) return failed(id.status());
  return sleep_for_flag(*context, {segment_id_local, notification_begin, notification_num}, *first_id, timeout_ms);
}
POLDER_WEAK_ALIAS(notify_waitsome);

gaspi_return_t pgaspi_notify_reset(gaspi_segment_id_t segment_id_local, gaspi_notification_id_t notification_id,
                                   gaspi_notification_t* old_notification_value) {
  const TracedGaspiCall traced(GaspiCall::notify_reset, {.segment = segment_id_local, .notification = notification_id});
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_notify_reset");
  if (!context->segments.has(segment_id_local)) {
    return refuse(GASPI_ERR_INV_SEG, "gaspi_notify_reset", "the local segment must exist", segment_id_local);
  }
  const auto value = context->runtime().reset(segment_id_local, notification_id);
  if (!value.ok()) return failed(value.status());
  if (old_notification_value != nullptr) *old_notification_value = *value;
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(notify_reset);

}  // extern "C"
