// What parts of core do when a peer goes. They register with Peers, which knows none of them.
#pragma once

#include <polder/types.hpp>

namespace polder::core {

struct Peer;

// Each function may be called from any thread, and returns soon.
class PeerWatcher {
 public:
  // `peer` is gone: from now on nobody may reach into its memory. The device still holds the way to it.
  virtual void is_gone(Peer&) {}
  // The device has given up the way to `rank`: what it has not answered it never will.
  virtual void is_cut_off(Rank) {}
  // The runtime of `rank`, of another node, has ended in good order. Called after the two above.
  virtual void has_left(Rank) {}
  // The link to `rank` broke. Called after is_gone() and is_cut_off().
  virtual void link_broke(Rank) {}
  // Somebody's health has changed, as the job knows it.
  virtual void health_changed() {}

 protected:
  ~PeerWatcher() = default;
};

}  // namespace polder::core
