// Mutexes between ranks, which outlive their holder: when a rank dies with one, the next to lock it gets it together
// with the news.
//
//   auto mutexes = rt.create_mutexes(rt.world(), 4, 10s);           // four at each rank
//   Status locked = (*mutexes)->lock({.rank = 2, .index = 1}, 5s);
//   if (locked.code() == Code::owner_died) repair();                // and we hold it
//   ...
//   (*mutexes)->unlock({.rank = 2, .index = 1});
//
// A mutex is a word at its rank, taken with one compare-and-swap where nobody else wants it. A rank that waits enters
// itself in a set beside the word and sleeps on a bell of its own; unlock() hands the mutex to the next rank of that
// set, counted upwards from its own, so that everybody gets a turn. It works on any device; no rank has to help. Memory at its
// rank: 8 bytes and a bit for each member of the group, rounded up to 64 bytes.
#pragma once

#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <memory>

namespace polder {

namespace core {
class MutexesState;
}

// Which one: number `index` of those that `rank` (of the job) contributed.
struct MutexName {
  Rank rank = 0;
  std::size_t index = 0;
};

// Made by Runtime::create_mutexes(). Must not outlive its runtime or its group. lock() and unlock() may be called by
// many threads; a mutex is held by a rank, and any thread of it may unlock it. It is not recursive.
class POLDER_API Mutexes {
 public:
  ~Mutexes();  // as destroy(), without meeting the others
  Mutexes(const Mutexes&) = delete;
  Mutexes& operator=(const Mutexes&) = delete;

  // Success: this rank holds it. owner_died: this rank holds it, and the one before died (or left the job) holding it,
  // as the message says: what the mutex protects may be half changed. Only the next one is told. timeout: another holds
  // it. peer_failed: the rank where it lies is dead, and its mutexes are gone with it. invalid_rank, invalid_argument:
  // there is no such mutex. Where the mutex lies on another node each look at it takes a round trip, however short the
  // timeout; so it is with unlock().
  Status lock(MutexName which, Timeout timeout);

  // All that this rank put or accumulated anywhere while it held the mutex is visible before another gets it.
  // invalid_argument: this rank does not hold it. timeout: what was put has not arrived, and the mutex is still held.
  Status unlock(MutexName which, Timeout timeout = Timeout::block());

  // How many the rank contributed; 0 for ranks that are no members.
  std::size_t count(Rank rank) const;

  // Collective over the group. No member returns success before all have called it. timeout, busy: call
  // again to go on.
  Status destroy(Timeout timeout);

 private:
  friend class core::MutexesState;
  explicit Mutexes(std::unique_ptr<core::MutexesState> state);
  std::unique_ptr<core::MutexesState> state_;
};

}  // namespace polder
