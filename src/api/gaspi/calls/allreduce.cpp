// GASPI 17.1, sections 11.3 and 11.4.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/collective/collective_group.hpp"
#include "api/gaspi/collective/reduction_kinds.hpp"
#include "api/gaspi/collective/segment_creation.hpp"

using namespace polder;
using namespace polder::gaspi;

namespace {

struct Buffers {
  const void* send;
  void* receive;
  gaspi_reduce_state_t state;
};

gaspi_return_t check_buffers(const char* operation, const Buffers& buffers) {
  if (buffers.send == nullptr) return refuse_null(operation, "buffer_send");
  if (buffers.receive == nullptr) return refuse_null(operation, "buffer_receive");
  return GASPI_SUCCESS;
}

gaspi_return_t reduce(const char* operation, const CollectiveGroup& on, const ReduceKind& kind, const Buffers& buffers,
                      gaspi_timeout_t timeout) {
  const Waiting waiting;
  const Deadline deadline(timeout);
  const api::Turn turn(on.entry->collective_turns, deadline);
  if (!turn.mine()) return in_trace(GASPI_TIMEOUT);
  const gaspi_return_t before = guarded(operation, [&] { return finish_given_up(on, deadline); });
  if (before != GASPI_SUCCESS) return in_trace(before);
  if (on.entry->agreement.segment()) {
    return refuse(GASPI_ERR_ACTIVE_COLL, operation, "the group creates a segment, which has to be finished first");
  }
  const Timed timed(Counter::time_allreduces);
  return guarded(operation, [&] {
    const gaspi_return_t code =
        on.entry->reducer.run(*on.group, kind, buffers.send, buffers.receive, buffers.state, deadline);
    if (code == GASPI_SUCCESS) statistics().count(Counter::allreduces);
    return collective_outcome(code);
  });
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_allreduce(gaspi_pointer_t const buffer_send, gaspi_pointer_t const buffer_receive,
                                gaspi_number_t num, gaspi_operation_t operation, gaspi_datatype_t datatype,
                                gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::allreduce,
                               {.bytes = num * (unsigned(datatype) < kTypes.size() ? size_of(kTypes[datatype]) : 0)});
  CollectiveGroup on;
  if (const auto code = find_committed("gaspi_allreduce", group, on); code != GASPI_SUCCESS) return code;
  const Buffers buffers{buffer_send, buffer_receive, nullptr};
  if (const auto code = check_buffers("gaspi_allreduce", buffers); code != GASPI_SUCCESS) return code;
  if (num == 0 || num > on.context->limits.allreduce_elements) {
    return refuse(GASPI_ERR_INV_NUM, "gaspi_allreduce", "the number of elements must lie in 1 .. allreduce_elem_max",
                  num);
  }
  if (const auto code = check_kinds("gaspi_allreduce", operation, datatype); code != GASPI_SUCCESS) return code;
  const DataType type = kTypes[datatype];
  return reduce("gaspi_allreduce", on,
                {.num = num, .element_size = size_of(type), .operation = kOperations[operation], .type = type}, buffers,
                timeout_ms);
}
POLDER_WEAK_ALIAS(allreduce);

gaspi_return_t pgaspi_allreduce_user(gaspi_pointer_t const buffer_send, gaspi_pointer_t const buffer_receive,
                                     gaspi_number_t num, gaspi_size_t element_size,
                                     gaspi_reduce_operation_t reduce_operation, gaspi_reduce_state_t reduce_state,
                                     gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::allreduce_user, {.bytes = num * element_size});
  CollectiveGroup on;
  if (const auto code = find_committed("gaspi_allreduce_user", group, on); code != GASPI_SUCCESS) return code;
  const Buffers buffers{buffer_send, buffer_receive, reduce_state};
  if (const auto code = check_buffers("gaspi_allreduce_user", buffers); code != GASPI_SUCCESS) return code;
  if (reduce_operation == nullptr) return refuse_null("gaspi_allreduce_user", "reduce_operation");
  if (num == 0) return refuse(GASPI_ERR_INV_NUM, "gaspi_allreduce_user", "the number of elements must be at least 1");
  const gaspi_size_t limit = on.context->config.allreduce_buf_size;
  if (element_size == 0 || element_size > limit / num) {
    return refuse(GASPI_ERR_INV_SIZE, "gaspi_allreduce_user",
                  "all elements together must take 1 .. allreduce_buf_size bytes");
  }
  return reduce("gaspi_allreduce_user", on,
                {.num = num, .element_size = element_size, .operation = {}, .user = reduce_operation}, buffers,
                timeout_ms);
}
POLDER_WEAK_ALIAS(allreduce_user);

}  // extern "C"
