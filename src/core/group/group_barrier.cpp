// The barrier of a group, behind a fence where something is under way.
#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/progress.hpp"
#include "trace/record/span.hpp"

namespace polder::core {

Status GroupState::barrier(Timeout timeout) {
  trace::Span span(ports_.outside.recorder(), trace::Kind::barrier, {.segment = trace_tag()});
  if (Status status = check_committed(); !status.ok()) return status;
  const Busy running(busy_[0]);
  if (!running.mine()) return busy("barrier");
  if (Status status = ports_.peers.check_open(); !status.ok()) return status;
  if (barrier_.under_way()) return span.outcome(barrier_.run(timeout));
  return span.outcome(fenced_barrier(timeout));
}

Status GroupState::fenced_barrier(Timeout timeout) {
  // One that has begun is also brought to its end: the next barrier must not take it for its own.
  if (!fence_.under_way() && !MemberFence::needed(ports_)) return barrier_.run(timeout);
  const util::Deadline deadline(timeout, ports_.progress.clock());
  if (Status status = fence_.run(ports_, ranks_, barrier_, timeout); !status.ok()) return status;
  return barrier_.run(deadline.remaining());
}

}  // namespace polder::core
