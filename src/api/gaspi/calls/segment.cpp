// GASPI 17.1, section 7: segments.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/collective/segment_creation.hpp"
#include "api/gaspi/life/peer_check.hpp"

#include <algorithm>

using namespace polder;
using namespace polder::gaspi;

namespace {

// Of the arguments that the four creating calls share.
gaspi_return_t check_size(const char* operation, gaspi_size_t size) {
  if (size == 0) return refuse(GASPI_ERR_INV_SEGSIZE, operation, "the size must be at least 1");
  return GASPI_SUCCESS;
}

gaspi_return_t check_policy(const char* operation, gaspi_alloc_t policy) {
  if (policy == GASPI_MEM_UNINITIALIZED || policy == GASPI_MEM_INITIALIZED) return GASPI_SUCCESS;
  return refuse(GASPI_ERR_INV_NUM, operation,
                "the allocation policy must be GASPI_MEM_UNINITIALIZED or GASPI_MEM_INITIALIZED");
}

gaspi_return_t check_memory(const char* operation, gaspi_pointer_t pointer, gaspi_memory_description_t description) {
  if (pointer == nullptr) return refuse_null(operation, "pointer");
  if (description == 0) return GASPI_SUCCESS;
  return refuse(GASPI_ERR_INV_NUM, operation, "the memory description must be 0, ordinary memory",
                unsigned(description));
}

gaspi_return_t first_wrong(std::initializer_list<gaspi_return_t> codes) {
  const auto wrong = std::ranges::find_if(codes, [](gaspi_return_t code) { return code != GASPI_SUCCESS; });
  return wrong == codes.end() ? GASPI_SUCCESS : *wrong;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_segment_alloc(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_alloc_t alloc_policy) {
  const TracedGaspiCall traced(GaspiCall::segment_alloc, {.segment = segment_id, .bytes = size});
  constexpr auto kName = "gaspi_segment_alloc";
  Context* const context = current();
  if (context == nullptr) return refuse_before_init(kName);
  const auto code = first_wrong({check_size(kName, size), check_policy(kName, alloc_policy)});
  if (code != GASPI_SUCCESS) return code;
  return guarded(kName, [&] { return create_alone(kName, *context, {segment_id, size, nullptr}); });
}
POLDER_WEAK_ALIAS(segment_alloc);

gaspi_return_t pgaspi_segment_bind(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size,
                                   gaspi_memory_description_t memory_description) {
  const TracedGaspiCall traced(GaspiCall::segment_bind, {.segment = segment_id, .bytes = size});
  constexpr auto kName = "gaspi_segment_bind";
  Context* const context = current();
  if (context == nullptr) return refuse_before_init(kName);
  const auto code = first_wrong({check_memory(kName, pointer, memory_description), check_size(kName, size)});
  if (code != GASPI_SUCCESS) return code;
  return guarded(kName, [&] { return create_alone(kName, *context, {segment_id, size, pointer}); });
}
POLDER_WEAK_ALIAS(segment_bind);

// Peers can use a segment from its creation on: what is left to do is to see whether there is such a peer.
gaspi_return_t pgaspi_segment_register(gaspi_segment_id_t segment_id, gaspi_rank_t rank, gaspi_timeout_t) {
  const TracedGaspiCall traced(GaspiCall::segment_register, {.peer = rank, .segment = segment_id});
  constexpr auto kName = "gaspi_segment_register";
  Context* const context = current();
  if (context == nullptr) return refuse_before_init(kName);
  if (!context->segments.has(segment_id))
    return refuse(GASPI_ERR_INV_SEG, kName, "the local segment must exist", segment_id);
  return check_alive(kName, context, rank);
}
POLDER_WEAK_ALIAS(segment_register);

gaspi_return_t pgaspi_segment_create(gaspi_segment_id_t segment_id, gaspi_size_t size, gaspi_group_t group,
                                     gaspi_timeout_t timeout_ms, gaspi_alloc_t alloc_policy) {
  const TracedGaspiCall traced(GaspiCall::segment_create, {.segment = segment_id, .bytes = size});
  constexpr auto kName = "gaspi_segment_create";
  CollectiveGroup on;
  if (const auto code = find_committed(kName, group, on); code != GASPI_SUCCESS) return code;
  const auto code = first_wrong({check_size(kName, size), check_policy(kName, alloc_policy)});
  if (code != GASPI_SUCCESS) return code;
  return guarded(kName, [&] { return create_together(kName, on, {segment_id, size, nullptr}, timeout_ms); });
}
POLDER_WEAK_ALIAS(segment_create);

gaspi_return_t pgaspi_segment_use(gaspi_segment_id_t segment_id, gaspi_pointer_t pointer, gaspi_size_t size,
                                  gaspi_group_t group, gaspi_timeout_t timeout_ms,
                                  gaspi_memory_description_t memory_description) {
  const TracedGaspiCall traced(GaspiCall::segment_use, {.segment = segment_id, .bytes = size});
  constexpr auto kName = "gaspi_segment_use";
  CollectiveGroup on;
  if (const auto code = find_committed(kName, group, on); code != GASPI_SUCCESS) return code;
  const auto code = first_wrong({check_memory(kName, pointer, memory_description), check_size(kName, size)});
  if (code != GASPI_SUCCESS) return code;
  return guarded(kName, [&] { return create_together(kName, on, {segment_id, size, pointer}, timeout_ms); });
}
POLDER_WEAK_ALIAS(segment_use);

gaspi_return_t pgaspi_segment_delete(gaspi_segment_id_t segment_id) {
  const TracedGaspiCall traced(GaspiCall::segment_delete, {.segment = segment_id});
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_segment_delete");
  return delete_segment(*context, segment_id);
}
POLDER_WEAK_ALIAS(segment_delete);

}  // extern "C"
