// The slots of a group's member that are no distances: which edges have one. Both ends of an edge have a slot of their own
// for it, the reader for letters and the writer for credits, and tell each other which. So a slot still has one writer,
// for as long as the edge has it.
//
// An edge that nobody uses keeps its slots until both ends have said, in one and the same collective, that nothing is under way
// over it (coll/consistent/neighbour_commit.cpp). Then nothing that was meant for the old edge can come any more, and the slots are
// free for others. An end that has died says nothing, so what it has under way finds its slot as it was.
#pragma once

#include "coll/port/slots.hpp"
#include "util/assert.hpp"

#include <polder/types.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace polder::coll {

// What this member does at its end of an edge.
enum class Role : unsigned { reads, writes };

// Any thread.
class EdgeSlots {
 public:
  // Slots first .. first + count - 1.
  EdgeSlots(Slot first, Slot count);

  // This member's slot for its edge with `member`, one user more: the one that the edge has, or a free one. Nothing: all are
  // taken, or it is about to be given back.
  std::optional<Slot> take(Role role, Rank member);
  // One user less. If the other end never had a slot for it this one is free.
  void leave(Role role, Rank member);
  // The other end has this slot for it. REQUIRES: it is taken.
  void settle(Role role, Rank member, Slot other);
  // That one; nothing: it has none, or is not known.
  std::optional<Slot> other(Role role, Rank member) const;

  // Edges that nobody uses at this end.
  std::vector<std::pair<Rank, Slot>> idle(Role role) const;
  // From now on it cannot be taken. False: somebody uses it by now, or it is promised or free.
  bool promise_back(Role role, Rank member);
  // The other end has not promised it.
  void keep(Role role, Rank member);
  // It is free. REQUIRES: promised.
  Slot give_back(Role role, Rank member);

  std::size_t free(Role role) const;

 private:
  struct End {
    Slot own = 0;
    std::optional<Slot> other;
    unsigned users = 0;
    bool promised = false;
  };
  struct Ends {
    std::map<Rank, End> held;
    std::vector<Slot> free;  // the next one last
  };
  Ends& at(Role role) { return ends_[unsigned(role)]; }
  const Ends& at(Role role) const { return ends_[unsigned(role)]; }

  mutable std::mutex mutex_;
  Ends ends_[2];
};

// The slots that one neighbourhood has taken; it leaves them when it goes.
class EdgeLease {
 public:
  explicit EdgeLease(std::shared_ptr<EdgeSlots> slots) : slots_(std::move(slots)) {}
  ~EdgeLease() {
    for (const auto& [role, member] : taken_) slots_->leave(role, member);
  }
  EdgeLease(const EdgeLease&) = delete;
  EdgeLease& operator=(const EdgeLease&) = delete;

  // REQUIRES: not taken before.
  std::optional<Slot> take(Role role, Rank member) {
    POLDER_ASSERT(std::ranges::find(taken_, std::pair(role, member)) == taken_.end());
    const auto own = slots_->take(role, member);
    if (own) taken_.emplace_back(role, member);
    return own;
  }

 private:
  const std::shared_ptr<EdgeSlots> slots_;
  std::vector<std::pair<Role, Rank>> taken_;
};

}  // namespace polder::coll
