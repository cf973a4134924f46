// Reducing vectors of all members of a group that spans nodes.
#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/progress.hpp"
#include "util/assert.hpp"

namespace polder::core {

Status GroupState::reduce(const ReductionPiece& piece, Status& outcome, Timeout timeout) {
  if (Status status = check_committed(); !status.ok()) return status;
  const Busy running(busy_[1]);
  if (!running.mine()) return busy("gathering collective");
  return reduce_in_turn(piece, outcome, timeout);
}

// REQUIRES: this thread is the one that runs a gathering collective.
Status GroupState::reduce_in_turn(const ReductionPiece& piece, Status& outcome, Timeout timeout) {
  POLDER_ASSERT(busy_[1].load(std::memory_order_relaxed));
  if (Status status = ports_.peers.check_open(); !status.ok()) return status;
  if (reduction_.under_way()) return reduction_.run(piece, outcome, timeout);
  const util::Deadline deadline(timeout, ports_.progress.clock());
  if (Status status = prepare_reduction(piece, timeout); !status.ok()) return status;
  return reduction_.run(piece, outcome, deadline.remaining());
}

Status GroupState::prepare_reduction(const ReductionPiece& piece, Timeout timeout) {
  if (!reduction_.is_set_up())
    reduction_.set_up({.ports = &ports_,
                       .barrier = &gather_barrier_,
                       .ranks = ranks_,
                       .index = index_,
                       .nodes = &nodes_,
                       .memories = memories_,
                       .room = room_});
  return find_memories(reduction_.partners(piece), timeout);
}

}  // namespace polder::core
