// GASPI 17.1, sections 8.2.3 and 8.5: queues.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/post/posting.hpp"

using namespace polder;
using namespace polder::gaspi;

extern "C" {

gaspi_return_t pgaspi_wait(gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::wait, {.queue = queue});
  Posting on;
  if (const auto code = check_queue("gaspi_wait", queue, on); code != GASPI_SUCCESS) return code;
  const Timed timed(Counter::time_waits);
  statistics().count(Counter::waits);
  const Status status = on.queue->wait(Timeout::test());
  if (!status.timed_out() || timeout_ms == GASPI_TEST) return outcome(status);
  const Waiting waiting;
  return outcome(on.queue->wait(to_timeout(timeout_ms)));
}
POLDER_WEAK_ALIAS(wait);

gaspi_return_t pgaspi_queue_create(gaspi_queue_id_t* queue, gaspi_timeout_t) {
  TracedGaspiCall traced(GaspiCall::queue_create, {});
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_queue_create");
  if (queue == nullptr) return refuse_null("gaspi_queue_create", "queue");
  return guarded("gaspi_queue_create", [&] {
    const Status status = context->queues.create(context->runtime(), context->config.queue_size_max, *queue);
    if (status.ok()) traced.set_queue(*queue);
    if (status.code() != Code::limit) return outcome(status);
    return refuse(GASPI_ERR_INV_NUM, "gaspi_queue_create", "all queues that there can be exist");
  });
}
POLDER_WEAK_ALIAS(queue_create);

gaspi_return_t pgaspi_queue_delete(gaspi_queue_id_t queue) {
  const TracedGaspiCall traced(GaspiCall::queue_delete, {.queue = queue});
  Posting on;
  if (const auto code = check_queue("gaspi_queue_delete", queue, on); code != GASPI_SUCCESS) return code;
  const Waiting waiting;
  return outcome(on.context->queues.remove(queue, to_timeout(on.context->config.sn_timeout)));
}
POLDER_WEAK_ALIAS(queue_delete);

gaspi_return_t pgaspi_queue_size(gaspi_queue_id_t queue, gaspi_number_t* queue_size) {
  Posting on;
  if (const auto code = check_queue("gaspi_queue_size", queue, on); code != GASPI_SUCCESS) return code;
  if (queue_size == nullptr) return refuse_null("gaspi_queue_size", "queue_size");
  *queue_size = gaspi_number_t(on.queue->posted.count() + on.queue->tagged.count());
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(queue_size);

gaspi_return_t pgaspi_queue_purge(gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::queue_purge, {.queue = queue});
  Posting on;
  if (const auto code = check_queue("gaspi_queue_purge", queue, on); code != GASPI_SUCCESS) return code;
  const Waiting waiting;
  return outcome(on.queue->purge(to_timeout(timeout_ms)));
}
POLDER_WEAK_ALIAS(queue_purge);

}  // extern "C"
