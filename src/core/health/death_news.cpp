#include "core/health/death_news.hpp"

#include "core/engine/engine.hpp"

namespace polder::core {

void DeathNews::look() {
  const bootstrap::Bootstrap& bootstrap = *engine_.bootstrap;
  if (bootstrap.job().local_size == engine_.size()) return;
  std::lock_guard lock(mutex_);
  known_.resize(engine_.size());
  for (Rank rank = 0; rank < engine_.size(); ++rank) {
    if (known_[rank] || bootstrap.health(rank) != Health::failed) continue;
    known_[rank] = true;
    engine_.peers.for_each_met([&](Peer& peer) {
      const bool linked = peer.connected.load(std::memory_order_acquire) && !peer.failed.load();
      if (linked && peer.rank != rank && !bootstrap.same_node(peer.rank)) untold_.push_back({&peer, rank});
    });
  }
  left_.store(untold_.size(), std::memory_order_release);
  if (!untold_.empty()) engine_.device->wake();  // the helper tells it
}

int DeathNews::tell() {
  if (left_.load(std::memory_order_acquire) == 0) return 0;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  const auto told = std::erase_if(untold_, [&](const Item& item) {
    return item.peer->failed.load() ||
           engine_.emulation.tell_of_death(*item.peer, item.dead).code() != Code::queue_full;
  });
  left_.store(untold_.size(), std::memory_order_release);
  return int(told);
}

// Of a rank of our own node that lives it says that the others have given it up: they and we shall agree.
void DeathNews::hear(Rank rank) {
  if (rank >= engine_.size()) return;
  if (rank == engine_.rank()) return engine_.peers.be_alone();
  if (engine_.bootstrap->health(rank) == Health::healthy) engine_.bootstrap->report_failure(rank);
}

}  // namespace polder::core
