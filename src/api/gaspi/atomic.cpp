// GASPI 17.1, section 10: global atomics.
#include "api/gaspi/context.hpp"
#include "api/gaspi/error.hpp"

using namespace polder;
using namespace polder::gaspi;

namespace {

gaspi_return_t check_atomic(const char* operation, const Context* context, const gaspi_atomic_value_t* value_old) {
  if (context == nullptr) return refuse_before_init(operation);
  if (value_old == nullptr) return refuse_null(operation, "value_old");
  return GASPI_SUCCESS;
}

gaspi_return_t store(const Result<gaspi_atomic_value_t>& value, gaspi_atomic_value_t& value_old) {
  if (!value.ok()) return failed(value.status());
  statistics().count(Counter::atomics);
  value_old = *value;
  return GASPI_SUCCESS;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_atomic_fetch_add(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                       gaspi_atomic_value_t value_add, gaspi_atomic_value_t* value_old,
                                       gaspi_timeout_t timeout_ms) {
  Context* const context = current();
  const auto code = check_atomic("gaspi_atomic_fetch_add", context, value_old);
  if (code != GASPI_SUCCESS) return code;
  const Waiting waiting(*context);
  return store(context->runtime().fetch_add({rank, segment_id, offset}, value_add, to_timeout(timeout_ms)), *value_old);
}
[[gnu::weak, gnu::alias("pgaspi_atomic_fetch_add")]] decltype(pgaspi_atomic_fetch_add) gaspi_atomic_fetch_add;

gaspi_return_t pgaspi_atomic_compare_swap(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                          gaspi_atomic_value_t comparator, gaspi_atomic_value_t value_new,
                                          gaspi_atomic_value_t* value_old, gaspi_timeout_t timeout_ms) {
  Context* const context = current();
  const auto code = check_atomic("gaspi_atomic_compare_swap", context, value_old);
  if (code != GASPI_SUCCESS) return code;
  const Waiting waiting(*context);
  return store(
      context->runtime().compare_swap({rank, segment_id, offset}, comparator, value_new, to_timeout(timeout_ms)),
      *value_old);
}
[[gnu::weak, gnu::alias("pgaspi_atomic_compare_swap")]] decltype(pgaspi_atomic_compare_swap) gaspi_atomic_compare_swap;

}  // extern "C"
