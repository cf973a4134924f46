// The barrier of a group: behind a fence where something is under way, and over which memories.
#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/segment/peer_segment.hpp"
#include "trace/record/span.hpp"
#include "util/deadline.hpp"

#include <algorithm>

namespace polder::core {
namespace {

// Members for each core, where they are so many that it is cheaper to give all of them turns than to wake them; else 0.
unsigned sharing(const GroupPorts& ports, std::size_t members) {
  constexpr std::size_t kMany = 16;
  if (ports.clock.simulated() != nullptr) return 0;  // one thread for all
  const std::size_t each = members / std::size_t(std::max(ports.outside.bootstrap->job().cores, 1));
  return each < kMany ? 0 : unsigned(each);
}

}  // namespace

Status GroupState::barrier(Timeout timeout) {
  trace::Span span(ports_.outside.recorder(), trace::EventKind::barrier,
                   {.segment = trace_tag(), .value = NotificationValue(barrier_.completed() + 1)});
  if (Status status = check_committed(); !status.ok()) return span.outcome(std::move(status));
  const Busy running(busy_[0]);
  if (!running.mine()) return span.outcome(busy("barrier"));
  if (Status status = ports_.peers.check_open(); !status.ok()) return span.outcome(std::move(status));
  if (barrier_.under_way()) return span.outcome(barrier_.run(timeout));
  return span.outcome(fenced_barrier(timeout));
}

Status GroupState::fenced_barrier(Timeout timeout) {
  // One that has begun is also brought to its end: the next barrier must not take it for its own.
  if (!fence_.under_way() && !MemberFence::needed(ports_)) return barrier_.run(timeout);
  const util::Deadline deadline(timeout, ports_.clock);
  if (Status status = fence_.run(ports_, ranks_, barrier_, timeout); !status.ok()) return status;
  return barrier_.run(deadline.remaining());
}

// ---- what it is made of ----

// Where this member's node meets before, or instead of, a dissemination.
Barrier::Counter GroupState::counter(unsigned lane) const {
  const std::size_t members = nodes_.beside().size();
  if (members == 1 || flat_) return {};
  const PeerSegment* leader = memories_[nodes_.leader()].segment;
  return {.central = &reinterpret_cast<GroupMemory*>(leader->data)->central[lane],
          .base = GroupMemory::central_base(nonce_of(nodes_.leader())),
          .at = ranks_[nodes_.leader()],
          .leader = nodes_.one() ? nullptr : leader,
          .leads = nodes_.leads(index_),
          .members = members,
          .sharing = sharing(ports_, members)};
}

std::vector<Barrier::Target> GroupState::targets() const {
  std::vector<Barrier::Target> to;
  if (nodes_.one() ? !flat_ : !nodes_.leads(index_)) return to;
  const std::vector<Rank>& ring = disseminating();
  const std::size_t me = nodes_.one() ? index_ : nodes_.place();
  for (unsigned round = 0; round < dissemination_rounds(ring.size()); ++round) {
    const std::size_t distance = std::size_t{1} << round;
    const Rank member = ring[(me + distance) % ring.size()];
    const Rank awaited = ring[(me + ring.size() - distance) % ring.size()];
    to.push_back({ranks_[member], memories_[member].segment, memories_[member].id, ranks_[awaited]});
  }
  return to;
}

}  // namespace polder::core
