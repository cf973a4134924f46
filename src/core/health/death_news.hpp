// Across nodes nobody watches all ranks: those of a node watch each other, and a link tells of its other end. So a rank
// that finds that another one has failed, as its own node knows, tells it to the ranks of other nodes that it has links
// to; they note it for theirs, and each of them passes it on in the same way. Every link carries such news once in each
// direction.
//
// Only what a node knows for certain is passed on: that a process has ended, that a user said so, or such news. That a
// link is broken is told to nobody: it may be that link alone.
#pragma once

#include <polder/types.hpp>

#include <atomic>
#include <mutex>
#include <vector>

namespace polder::core {

class Engine;
struct Peer;

// Thread safe.
class DeathNews {
 public:
  explicit DeathNews(Engine& engine) : engine_(engine) {}

  // The health of some rank has changed: finds out who has failed, and whom to tell.
  void look();

  // Sends what is left to be told. Returns how much. One load where that is nothing.
  int tell();

  // A peer says that `rank` has failed.
  void hear(Rank rank);

 private:
  struct Item {
    Peer* peer;
    Rank dead;
  };

  Engine& engine_;
  std::mutex mutex_;
  std::vector<bool> known_;  // by rank: whom to tell of it has been found out
  std::vector<Item> untold_;
  std::atomic<std::size_t> left_{0};
};

}  // namespace polder::core
