// GASPI 17.1, sections 5.3.5, 5.4 and 5.5, and gaspi_proc_ping: calls about one other process.
#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/life/context.hpp"
#include "api/gaspi/life/peer_check.hpp"

#include <chrono>
#include <thread>

using namespace polder;
using namespace polder::gaspi;

namespace {

gaspi_return_t wait_for_end(const Context& context, Rank rank, const Deadline& deadline) {
  while (context.runtime().health(rank) == Health::healthy) {
    if (deadline.over()) return in_trace(GASPI_TIMEOUT);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return GASPI_SUCCESS;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_proc_kill(gaspi_rank_t rank, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::proc_kill, {.peer = rank});
  Context* const context = current();
  if (const auto code = check_rank("gaspi_proc_kill", context, rank); code != GASPI_SUCCESS) return code;
  if (rank == context->rank()) {
    return refuse(GASPI_ERR_INV_RANK, "gaspi_proc_kill", "the rank must be another than the caller's own", rank);
  }
  const Waiting waiting;
  const Deadline deadline(timeout_ms);
  const Status status = context->runtime().kill(rank, deadline.left());
  // One that is gone already is what was wanted.
  if (!status.ok() && status.code() != Code::peer_failed) return failed(status);
  return wait_for_end(*context, rank, deadline);
}
POLDER_WEAK_ALIAS(proc_kill);

gaspi_return_t pgaspi_proc_ping(gaspi_rank_t rank, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::proc_ping, {.peer = rank});
  Context* const context = current();
  if (const auto code = check_alive("gaspi_proc_ping", context, rank); code != GASPI_SUCCESS) return code;
  return guarded("gaspi_proc_ping", [&] {
    const Waiting waiting;
    return context->pings.ping(context->runtime(), rank, Deadline(timeout_ms));
  });
}
POLDER_WEAK_ALIAS(proc_ping);

gaspi_return_t pgaspi_connect(gaspi_rank_t rank, gaspi_timeout_t) {
  const TracedGaspiCall traced(GaspiCall::connect, {.peer = rank});
  return check_alive("gaspi_connect", current(), rank);
}
POLDER_WEAK_ALIAS(connect);

gaspi_return_t pgaspi_disconnect(gaspi_rank_t rank, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::disconnect, {.peer = rank});
  Context* const context = current();
  if (const auto code = check_rank("gaspi_disconnect", context, rank); code != GASPI_SUCCESS) return code;
  if (context->runtime().health(rank) != Health::healthy) return GASPI_SUCCESS;
  const Waiting waiting;
  return outcome(context->runtime().fence(rank, to_timeout(timeout_ms)));
}
POLDER_WEAK_ALIAS(disconnect);

gaspi_return_t pgaspi_state_vec_get(gaspi_state_vector_t state_vector) {
  const TracedGaspiCall traced(GaspiCall::state_vec_get, {});
  const Context* const context = current();
  if (context == nullptr) return refuse_before_init("gaspi_state_vec_get");
  if (state_vector == nullptr) return refuse_null("gaspi_state_vec_get", "state_vector");
  for (Rank rank = 0; rank < context->size(); ++rank) {
    const bool healthy = context->runtime().health(rank) == Health::healthy;
    state_vector[rank] = healthy ? GASPI_STATE_HEALTHY : GASPI_STATE_CORRUPT;
  }
  return GASPI_SUCCESS;
}
POLDER_WEAK_ALIAS(state_vec_get);

}  // extern "C"
