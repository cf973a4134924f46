// GASPI 17.1, section 11.2.
#include "api/gaspi/base/traced.hpp"
#include "api/gaspi/collective/collective_group.hpp"

using namespace polder;
using namespace polder::gaspi;

extern "C" {

gaspi_return_t pgaspi_barrier(gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  const TracedGaspiCall traced(GaspiCall::barrier, {});
  CollectiveGroup on;
  if (const auto code = find_committed("gaspi_barrier", group, on); code != GASPI_SUCCESS) return code;
  const Waiting waiting;
  const Timed timed(Counter::time_barriers);
  const Deadline deadline(timeout_ms);
  const api::Turn turn(on.entry->barrier_turns, deadline);
  if (!turn.mine()) return in_trace(GASPI_TIMEOUT);
  const Status status = on.group->barrier(deadline.left());
  if (status.ok()) statistics().count(Counter::barriers);
  return collective_outcome(outcome(status));
}
POLDER_WEAK_ALIAS(barrier);

}  // extern "C"
