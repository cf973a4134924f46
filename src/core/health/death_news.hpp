// Across nodes nobody watches all ranks: those of a node watch each other, and a link tells of its other end. So a rank
// that finds that another one has failed, as its own node knows, tells it to the ranks of other nodes that it has links
// to; they note it for theirs, and each of them passes it on in the same way. Every link carries such news once in each
// direction.
//
// Only what a node knows for certain is passed on: that a process has ended, that a user said so, or such news. That a
// link is broken is told to nobody: it may be that link alone.
#pragma once

#include "core/peers/peer_watcher.hpp"
#include "core/progress/duty.hpp"
#include "util/mutex.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <mutex>
#include <vector>

namespace polder::core {

class Peers;
class Progress;
class Requests;
struct Outside;
struct Request;

// Thread safe.
class DeathNews final : public Duty, public PeerWatcher {
 public:
  DeathNews(Outside& outside, Progress& progress, Peers& peers, Requests& requests);

  // Finds out who has failed, and whom to tell.
  void health_changed() override;

  // Sends what is left to be told. Returns how much. One load where that is nothing.
  int attend() override;

  // Tells `peer` that `rank` has failed, or that it is given up.
  Status tell(const Peer& peer, Rank rank);

 private:
  struct Item {
    Peer* peer;
    Rank dead;
  };

  void hear(const Request& request);
  void hear_of(Rank rank);

  Outside& outside_;
  Peers& peers_;
  Requests& requests_;
  util::Mutex mutex_;
  std::vector<bool> known_;  // by rank: whom to tell of it has been found out
  std::vector<Item> untold_;
  std::atomic<std::size_t> left_{0};
};

}  // namespace polder::core
