// GASPI 17.1, section 11.2.
#include "api/gaspi/collective/collective_group.hpp"

using namespace polder;
using namespace polder::gaspi;

extern "C" {

gaspi_return_t pgaspi_barrier(gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  CollectiveGroup on;
  if (const auto code = find_committed("gaspi_barrier", group, on); code != GASPI_SUCCESS) return code;
  const api::Exclusive turn(on.entry->in_barrier);
  if (!turn.mine())
    return refuse(GASPI_ERR_ACTIVE_COLL, "gaspi_barrier", "another thread is in a barrier of the group");
  const Waiting waiting;
  const Timed timed(Counter::time_barriers);
  const Status status = on.group->barrier(to_timeout(timeout_ms));
  if (status.ok()) statistics().count(Counter::barriers);
  return collective_outcome(outcome(status));
}
POLDER_WEAK_ALIAS(barrier);

}  // extern "C"
