#include "core/health/death_news.hpp"

#include "core/health/health_messages.hpp"
#include "core/message/requests.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"

namespace polder::core {

DeathNews::DeathNews(Outside& outside, Progress& progress, Peers& peers, Requests& requests)
    : outside_(outside), peers_(peers), requests_(requests) {
  progress.add(*this);
  peers.add(*this);
  requests.serve(number::kDeath, [this](const Request& request) { hear(request); });
}

void DeathNews::health_changed() {
  const bootstrap::Bootstrap& bootstrap = *outside_.bootstrap;
  if (bootstrap.job().local_size == outside_.size()) return;
  std::lock_guard lock(mutex_);
  known_.resize(outside_.size());
  for (Rank rank = 0; rank < outside_.size(); ++rank) {
    if (known_[rank] || bootstrap.health(rank) != Health::failed) continue;
    known_[rank] = true;
    peers_.for_each_met([&](Peer& peer) {
      const bool linked = peer.connected.load(std::memory_order_acquire) && !peer.failed.load();
      if (linked && peer.rank != rank && !bootstrap.same_node(peer.rank)) untold_.push_back({&peer, rank});
    });
  }
  left_.store(untold_.size(), std::memory_order_release);
  if (!untold_.empty()) outside_.device->wake();  // the helper tells it
}

int DeathNews::attend() {
  if (left_.load(std::memory_order_acquire) == 0) return 0;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  const auto told = std::erase_if(untold_, [&](const Item& item) {
    return item.peer->failed.load() || tell(*item.peer, item.dead).code() != Code::queue_full;
  });
  left_.store(untold_.size(), std::memory_order_release);
  return int(told);
}

Status DeathNews::tell(const Peer& peer, Rank rank) {
  DeathMessage news;
  news.rank = rank;
  return requests_.tell(peer, number::kDeath, bytes_of(news));
}

void DeathNews::hear(const Request& request) {
  DeathMessage news;
  Decoder decoder(request.message);
  if (decoder.take(news) && decoder.done() && news.rank < outside_.size()) hear_of(news.rank);
}

// Of a rank of our own node that lives it says that the others have given it up: they and we shall agree.
void DeathNews::hear_of(Rank rank) {
  if (rank == outside_.rank()) return peers_.be_alone();
  if (outside_.bootstrap->health(rank) == Health::healthy) outside_.bootstrap->report_failure(rank);
}

}  // namespace polder::core
