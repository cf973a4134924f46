#include "core/group/member_fence.hpp"

#include "core/group/barrier.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/waits.hpp"
#include "util/deadline.hpp"

namespace polder::core {

bool MemberFence::needed(const GroupPorts& ports) {
  return !ports.one_sided.idle();
}

Status MemberFence::run(const GroupPorts& ports, std::span<const Rank> members, Barrier& barrier, Timeout timeout) {
  const util::Deadline deadline(timeout, clock_of(ports.progress));
  if (!begun_)
    if (Status status = begin(ports, members, deadline); !status.ok()) return status;
  Status status = wait_for(
      ports.progress, [this] { return passed(); }, [&] { return barrier.trouble(); }, deadline.remaining(),
      [](bootstrap::LongWait& wait) { wait.say("in the fence before a barrier"); });
  begun_ = status.timed_out();
  return status;
}

// timeout: it has not begun.
Status MemberFence::begin(const GroupPorts& ports, std::span<const Rank> members, const util::Deadline& deadline) {
  for (const Rank member : members)
    if (Status status = ports.one_sided.post_kept_for(member, deadline.remaining()); !status.ok()) return status;
  begun_ = true;
  pending_.clear();
  for (const Rank member : members)
    if (Peer* peer = ports.peers.met(member); peer != nullptr && peer->operations.count() != 0)
      pending_.push_back({&peer->operations, {}});
  return {};
}

bool MemberFence::passed() {
  std::erase_if(pending_, [](Pending& each) { return each.operations->passed(each.wait); });
  return pending_.empty();
}

}  // namespace polder::core
