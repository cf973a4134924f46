// Telling ranks what has become of their operations, without holding any lock.
#include "device/sim/fabric.hpp"

namespace polder::device::sim {

void Fabric::notice(Rank rank, Notice notice) {
  endpoints_[rank].notices.push_back(std::move(notice));
  to_tell_.push_back(rank);
}

// Called at the end of everything that may have left notices. What a callback adds is told by the same loop, not by a
// deeper one.
void Fabric::tell(Lock& lock) {
  while (!to_tell_.empty()) {
    Endpoint& endpoint = endpoints_[to_tell_.back()];
    to_tell_.pop_back();
    if (!endpoint.telling) tell_endpoint(endpoint, lock);
  }
}

void Fabric::tell_endpoint(Endpoint& endpoint, Lock& lock) {
  endpoint.telling = true;
  while (!endpoint.notices.empty()) {
    const Notice notice = std::move(endpoint.notices.front());
    endpoint.notices.pop_front();
    const auto listener = notice.kind == Notice::Kind::lost_peer ? endpoint.listener : nullptr;
    lock.unlock();
    switch (notice.kind) {
      case Notice::Kind::local: notice.completion->local(); break;
      case Notice::Kind::remote: notice.completion->remote(notice.status); break;
      case Notice::Kind::lost_peer:
        if (listener) listener(notice.peer, notice.status);
        break;
    }
    lock.lock();
  }
  endpoint.telling = false;
  told_.ring();
}

}  // namespace polder::device::sim
