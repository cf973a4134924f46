// GASPI 17.1, section 12, and the extensions: getters of the configuration in use.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/life/context.hpp"

#include <limits>

using namespace polder;
using namespace polder::gaspi;

namespace {

// `value` takes the context.
template <class Out, class Value>
gaspi_return_t get(const char* operation, const char* argument, Out* out, Value&& value) {
  const Context* const context = current();
  if (context == nullptr) return refuse_before_init(operation);
  if (out == nullptr) return refuse_null(operation, argument);
  *out = Out(value(*context));
  return GASPI_SUCCESS;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_group_max(gaspi_number_t* group_max) {
  return get("gaspi_group_max", "group_max", group_max, [](const Context& c) { return c.config.group_max; });
}
POLDER_WEAK_ALIAS(group_max);

gaspi_return_t pgaspi_segment_max(gaspi_number_t* segment_max) {
  return get("gaspi_segment_max", "segment_max", segment_max, [](const Context& c) { return c.config.segment_max; });
}
POLDER_WEAK_ALIAS(segment_max);

gaspi_return_t pgaspi_queue_num(gaspi_number_t* queue_num) {
  return get("gaspi_queue_num", "queue_num", queue_num, [](const Context& c) { return c.queues.count(); });
}
POLDER_WEAK_ALIAS(queue_num);

gaspi_return_t pgaspi_queue_size_max(gaspi_number_t* queue_size_max) {
  return get("gaspi_queue_size_max", "queue_size_max", queue_size_max,
             [](const Context& c) { return c.config.queue_size_max; });
}
POLDER_WEAK_ALIAS(queue_size_max);

gaspi_return_t pgaspi_queue_max(gaspi_number_t* queue_max) {
  return get("gaspi_queue_max", "queue_max", queue_max, [](const Context&) { return kMaxQueues; });
}
POLDER_WEAK_ALIAS(queue_max);

gaspi_return_t pgaspi_transfer_size_min(gaspi_size_t* transfer_size_min) {
  return get("gaspi_transfer_size_min", "transfer_size_min", transfer_size_min, [](const Context&) { return 0; });
}
POLDER_WEAK_ALIAS(transfer_size_min);

gaspi_return_t pgaspi_transfer_size_max(gaspi_size_t* transfer_size_max) {
  return get("gaspi_transfer_size_max", "transfer_size_max", transfer_size_max,
             [](const Context& c) { return c.config.transfer_size_max; });
}
POLDER_WEAK_ALIAS(transfer_size_max);

gaspi_return_t pgaspi_notification_num(gaspi_number_t* notification_num) {
  return get("gaspi_notification_num", "notification_num", notification_num,
             [](const Context& c) { return c.config.notification_num; });
}
POLDER_WEAK_ALIAS(notification_num);

gaspi_return_t pgaspi_passive_transfer_size_min(gaspi_size_t* passive_transfer_size_min) {
  return get("gaspi_passive_transfer_size_min", "passive_transfer_size_min", passive_transfer_size_min,
             [](const Context&) { return 1; });
}
POLDER_WEAK_ALIAS(passive_transfer_size_min);

gaspi_return_t pgaspi_passive_transfer_size_max(gaspi_size_t* transfer_size_max) {
  return get("gaspi_passive_transfer_size_max", "transfer_size_max", transfer_size_max,
             [](const Context& c) { return c.config.passive_transfer_size_max; });
}
POLDER_WEAK_ALIAS(passive_transfer_size_max);

gaspi_return_t pgaspi_atomic_max(gaspi_atomic_value_t* max_value) {
  return get("gaspi_atomic_max", "max_value", max_value,
             [](const Context&) { return std::numeric_limits<gaspi_atomic_value_t>::max(); });
}
POLDER_WEAK_ALIAS(atomic_max);

gaspi_return_t pgaspi_allreduce_buf_size(gaspi_size_t* buf_size) {
  return get("gaspi_allreduce_buf_size", "buf_size", buf_size,
             [](const Context& c) { return c.config.allreduce_buf_size; });
}
POLDER_WEAK_ALIAS(allreduce_buf_size);

gaspi_return_t pgaspi_allreduce_elem_max(gaspi_number_t* elem_max) {
  return get("gaspi_allreduce_elem_max", "elem_max", elem_max,
             [](const Context& c) { return c.config.allreduce_elem_max; });
}
POLDER_WEAK_ALIAS(allreduce_elem_max);

gaspi_return_t pgaspi_rw_list_elem_max(gaspi_number_t* elem_max) {
  return get("gaspi_rw_list_elem_max", "elem_max", elem_max,
             [](const Context& c) { return c.config.rw_list_elem_max; });
}
POLDER_WEAK_ALIAS(rw_list_elem_max);

gaspi_return_t pgaspi_network_type(gaspi_network_t* network_type) {
  return get("gaspi_network_type", "network_type", network_type, [](const Context& c) { return c.config.network; });
}
POLDER_WEAK_ALIAS(network_type);

gaspi_return_t pgaspi_build_infrastructure(gaspi_number_t* build_infrastructure) {
  return get("gaspi_build_infrastructure", "build_infrastructure", build_infrastructure,
             [](const Context& c) { return c.config.build_infrastructure; });
}
POLDER_WEAK_ALIAS(build_infrastructure);

}  // extern "C"
