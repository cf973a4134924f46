#include "core/segment/withdrawal.hpp"

#include "core/engine/engine.hpp"

#include <utility>

namespace polder::core {

Withdrawal::Withdrawal(Engine& engine, LocalSegment local)
    : engine_(engine), local_(std::move(local)), unanswered_(local_.importers.size()), untold_(local_.importers) {}

int Withdrawal::tell() {
  std::unique_lock lock(telling_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  return int(std::erase_if(untold_, [this](Rank importer) { return tell(importer); }));
}

// False: the device has no room for it now.
bool Withdrawal::tell(Rank importer) {
  auto peer = engine_.peers.connect(importer, Timeout::test());
  Status status = peer.ok() ? engine_.emulation.revoke(**peer, {local_.segment.id, local_.entry.generation}, this)
                            : std::move(peer).status();
  if (status.ok()) return true;
  if (status.code() == Code::queue_full || status.timed_out()) return false;
  remote(status);  // it is gone
  return true;
}

// Whatever the status: who cannot be reached does not use the segment.
void Withdrawal::remote(const Status&) {
  Engine& engine = engine_;
  unanswered_.fetch_sub(1, std::memory_order_acq_rel);
  engine.completions.ring();
}

}  // namespace polder::core
