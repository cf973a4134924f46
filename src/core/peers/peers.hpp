// All other ranks as this one sees them: connecting on first use, and noticing who is gone.
#pragma once

#include "util/clock.hpp"
#include "util/function_ref.hpp"
#include "util/mutex.hpp"
#include "util/platform.hpp"
#include "util/sparse_table.hpp"

#include <polder/health.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <atomic>
#include <mutex>
#include <vector>

namespace polder::core {

template <class T>
class Published;
class PeerWatcher;
class Progress;
struct Outside;
struct Peer;
struct Root;

class Peers {
 public:
  Peers(Outside& outside, Progress& progress);
  ~Peers();

  // Once, before any other call: the root of this rank.
  void open(const Root& own) { own_root_ = &own; }
  // Likewise. They are told in the order of their registration.
  void add(PeerWatcher& watcher) { watchers_.push_back(&watcher); }

  // The peer, connected.
  Result<Peer*> connect(Rank rank, Timeout timeout);

  // A peer that has been named before. REQUIRES: rank < size.
  Peer& at(Rank rank);

  // The peer if it has been named before, else null. REQUIRES: rank < size.
  Peer* met(Rank rank) const { return table_.find(rank); }

  template <class Visit>
  void for_each_met(Visit&& visit) {
    table_.for_each([&](std::size_t, Peer& peer) { visit(peer); });
  }

  // Repeats `attempt` while it returns queue_full, making progress in between.
  template <class Attempt>
  Status post_until_accepted(Peer& peer, Attempt&& attempt, Timeout timeout) {
    Status status = attempt();
    return status.code() == Code::queue_full ? post_in_the_end(peer, attempt, timeout) : status;
  }

  // Why an answer of `peer` will never come.
  Status trouble_with(const Peer& peer) const;

  // Success, or why no call of this runtime can go on.
  Status check_open();

  // Success, or peer_failed for one of `ranks` that is gone.
  template <class Ranks>
  Status check_healthy(const Ranks& ranks) {
    return check_none(ranks, [this](Rank rank) { return health(rank) != Health::healthy; });
  }

  // Success unless one of `ranks` can never join: a rank that has left an older runtime may come back as long as its
  // process runs.
  template <class Ranks>
  Status check_may_join(const Ranks& ranks) {
    return check_none(ranks, [this](Rank rank) { return is_gone(rank); });
  }

  // Success, or why a wait is in vain for a caller that watches these.
  Status check_watched(const Watch& watch) const;

  // It does nothing any more in this runtime. One that has finished and was never met may be about to join it: it left
  // an older one.
  bool is_gone(Rank rank) const;
  bool any_left() const;  // of the others, who could still do something

  // Grows with what this rank learns of states: of the whole node, and by its own links.
  std::uint64_t changes() const;

  Health health(Rank rank) const;
  Status gone(Rank rank) const;  // peer_failed with a sentence

  // Looks whose health has changed, and tells the watchers.
  void refresh();

  // The link to `rank` is broken.
  void link_failed(Rank rank, const Status& why);

  // The runtime of a rank of another node has ended in good order: what it has not answered it never will. It may come
  // back with a newer one.
  void has_left(Rank rank);

  // The others have given this rank up: it calls all of them failed, as they call it.
  void be_alone();
  bool alone() const { return alone_.load(std::memory_order_acquire); }

  // A copy of what the peer has published in its root. timeout: a writer was at work all the time.
  template <class T>
  Result<T> read_published(Peer& peer, const Published<T>& published, Timeout timeout) {
    T value;
    if (published.read(value)) [[likely]]
      return value;
    const Status status = read_again(
        peer, [&] { return published.read(value); }, timeout);
    return status.ok() ? Result<T>(value) : Result<T>(status);
  }

 private:
  // Names one that died before those that left: they mostly left because of it.
  template <class Ranks, class Lost>
  Status check_none(const Ranks& ranks, Lost&& lost) {
    if (Status status = check_open(); !status.ok()) return status;
    const Rank* left = nullptr;
    for (const Rank& rank : ranks) {
      if (!lost(rank)) continue;
      if (health(rank) == Health::failed) return gone(rank);
      if (left == nullptr) left = &rank;
    }
    return left == nullptr ? Status() : gone(*left);
  }

  Status post_in_the_end(Peer& peer, util::FunctionRef<Status()> attempt, Timeout timeout);
  Status read_again(const Peer& peer, util::FunctionRef<bool()> read, Timeout timeout);
  bool is_lost(const Peer& peer) const;
  void mark_gone(Peer& peer);
  Status take_turn(Peer& peer, std::unique_lock<util::Mutex>& lock, Timeout timeout);
  void note_connected(Peer& peer);
  Status attach_root(Peer& peer, Timeout timeout);

  Outside& outside_;
  Progress& progress_;
  const Rank size_;
  const Root* own_root_ = nullptr;
  std::vector<PeerWatcher*> watchers_;
  std::atomic<std::uint64_t> own_changes_{0};  // of states that only this rank knows: its links'
  std::atomic<bool> alone_{false};
  util::Mutex refreshing_;
  util::SparseTable<Peer> table_;
};

}  // namespace polder::core
