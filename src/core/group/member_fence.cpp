#include "core/group/member_fence.hpp"

#include "core/engine/engine.hpp"
#include "core/group/barrier.hpp"

namespace polder::core {

bool MemberFence::needed(const Engine& engine) {
  return engine.operations.count() != 0 || engine.aggregates.any();
}

Status MemberFence::run(Engine& engine, std::span<const Rank> members, Barrier& barrier, Timeout timeout) {
  if (!begun_) begin(engine, members, timeout);
  Status status =
      engine.wait([this] { return passed(); }, [&] { return barrier.trouble(); }, engine.completions, timeout);
  begun_ = status.timed_out();
  return status;
}

void MemberFence::begin(Engine& engine, std::span<const Rank> members, Timeout timeout) {
  engine.aggregates.flush_all(timeout);
  begun_ = true;
  pending_.clear();
  for (const Rank member : members)
    if (Peer* peer = engine.peers.met(member); peer != nullptr && peer->operations.count() != 0)
      pending_.push_back({&peer->operations, {}});
}

bool MemberFence::passed() {
  std::erase_if(pending_, [](Pending& each) { return each.operations->passed(each.wait); });
  return pending_.empty();
}

}  // namespace polder::core
