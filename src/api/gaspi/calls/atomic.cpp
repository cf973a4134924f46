// GASPI 17.1, section 10: global atomics.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/life/context.hpp"

using namespace polder;
using namespace polder::gaspi;

namespace {

gaspi_return_t check_atomic(const char* operation, const Context* context, const gaspi_atomic_value_t* value_old) {
  if (context == nullptr) return refuse_before_init(operation);
  if (value_old == nullptr) return refuse_null(operation, "value_old");
  return GASPI_SUCCESS;
}

// Only what is behind a network, or must be asked of its owner, can take long.
Result<gaspi_atomic_value_t> run(Context& context, const AtomicCall& call, gaspi_timeout_t timeout_ms) {
  Runtime& runtime = context.runtime();
  const Deadline deadline(timeout_ms);
  if (timeout_ms != GASPI_BLOCK) {
    const auto segment = runtime.remote_segment(call.target.rank, call.target.segment, deadline.left());
    if (!segment.ok()) return segment.status();
    if (segment->direct == nullptr) return context.pending_atomics.run(call, deadline);
  } else if (auto pending = context.pending_atomics.go_on(call, deadline)) {
    return *std::move(pending);
  }
  return runtime.atomic(call.op, call.target, sizeof(gaspi_atomic_value_t), call.operand, call.compare);
}

gaspi_return_t finish(const char* operation, Context& context, const AtomicCall& call, gaspi_atomic_value_t& value_old,
                      gaspi_timeout_t timeout_ms) {
  return guarded(operation, [&] {
    const Waiting waiting;
    const Timed timed(Counter::time_atomics);
    const auto value = run(context, call, timeout_ms);
    if (!value.ok()) return failed(value.status());
    statistics().count(Counter::atomics);
    value_old = *value;
    return GASPI_SUCCESS;
  });
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_atomic_fetch_add(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                       gaspi_atomic_value_t value_add, gaspi_atomic_value_t* value_old,
                                       gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::atomic_fetch_add,
                               {.peer = rank, .segment = segment_id, .bytes = sizeof(gaspi_atomic_value_t)});
  Context* const context = current();
  const auto code = check_atomic("gaspi_atomic_fetch_add", context, value_old);
  if (code != GASPI_SUCCESS) return code;
  const AtomicCall call{AtomicOp::fetch_add, {rank, segment_id, offset}, value_add, 0};
  return finish("gaspi_atomic_fetch_add", *context, call, *value_old, timeout_ms);
}
POLDER_WEAK_ALIAS(atomic_fetch_add);

gaspi_return_t pgaspi_atomic_compare_swap(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                          gaspi_atomic_value_t comparator, gaspi_atomic_value_t value_new,
                                          gaspi_atomic_value_t* value_old, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::atomic_compare_swap,
                               {.peer = rank, .segment = segment_id, .bytes = sizeof(gaspi_atomic_value_t)});
  Context* const context = current();
  const auto code = check_atomic("gaspi_atomic_compare_swap", context, value_old);
  if (code != GASPI_SUCCESS) return code;
  const AtomicCall call{AtomicOp::compare_swap, {rank, segment_id, offset}, value_new, comparator};
  return finish("gaspi_atomic_compare_swap", *context, call, *value_old, timeout_ms);
}
POLDER_WEAK_ALIAS(atomic_compare_swap);

}  // extern "C"
