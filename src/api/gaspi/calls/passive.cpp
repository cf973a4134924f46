// GASPI 17.1, section 9: the calls of passive communication. How it works is in passive.hpp.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/life/context.hpp"
#include "api/gaspi/post/posting.hpp"

#include <cstdio>

using namespace polder;
using namespace polder::gaspi;

namespace {

gaspi_return_t check_passive(const char* operation, const Context* context, gaspi_segment_id_t segment,
                             gaspi_offset_t offset, gaspi_size_t size) {
  if (context == nullptr) return refuse_before_init(operation);
  if (size == 0 || size > context->config.passive_transfer_size_max) {
    return refuse(GASPI_ERR_INV_COMMSIZE, operation, "the size must lie in 1 .. passive_transfer_size_max", size);
  }
  const auto code = context->segments.range(segment, offset, size).code;
  return code == GASPI_SUCCESS ? code : refuse_range(code, operation, segment, offset, size);
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_passive_send(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                   gaspi_size_t size, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::passive_send, {.peer = rank, .segment = segment_id_local, .bytes = size});
  Context* const context = current();
  const auto wrong = check_passive("gaspi_passive_send", context, segment_id_local, offset_local, size);
  if (wrong != GASPI_SUCCESS) return wrong;
  if (rank >= context->size()) {
    return refuse(GASPI_ERR_INV_RANK, "gaspi_passive_send", "the rank must be below gaspi_proc_num", rank);
  }
  return guarded("gaspi_passive_send", [&] {
    const Waiting waiting;
    const Timed timed(Counter::time_passive_sends);
    const auto code = context->passive_sends.send(context->runtime(), {rank, segment_id_local, offset_local, size},
                                                  context->config.passive_queue_size_max, Deadline(timeout_ms));
    if (code == GASPI_SUCCESS) statistics().count_passive_send(rank, size);
    return code;
  });
}
POLDER_WEAK_ALIAS(passive_send);

gaspi_return_t pgaspi_passive_receive(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local,
                                      gaspi_rank_t* rank, gaspi_size_t size, gaspi_timeout_t timeout_ms) {
  TracedGaspiCall traced(GaspiCall::passive_receive, {.segment = segment_id_local, .bytes = size});
  Context* const context = current();
  const auto wrong = check_passive("gaspi_passive_receive", context, segment_id_local, offset_local, size);
  if (wrong != GASPI_SUCCESS) return wrong;
  if (rank == nullptr) return refuse_null("gaspi_passive_receive", "rank");
  return guarded("gaspi_passive_receive", [&] {
    const EndableWaiting waiting;
    const Timed timed(Counter::time_passive_receives);
    std::byte* const memory = context->segments.data(segment_id_local) + offset_local;
    Rank source = 0;
    const auto code = context->passive_offers().receive(context->runtime(), memory, size, source, Deadline(timeout_ms));
    if (code != GASPI_SUCCESS) return code;
    statistics().count(Counter::passive_receives);
    *rank = gaspi_rank_t(source);
    traced.set_peer(source);
    return GASPI_SUCCESS;
  });
}
POLDER_WEAK_ALIAS(passive_receive);

gaspi_return_t pgaspi_passive_queue_purge(gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::passive_queue_purge, {});
  Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_passive_queue_purge");
  const Waiting waiting;
  context->passive_offers().forget(context->runtime());
  return context->passive_sends.forget(context->runtime(), Deadline(timeout_ms));
}
POLDER_WEAK_ALIAS(passive_queue_purge);

}  // extern "C"
