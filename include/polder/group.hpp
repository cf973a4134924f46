// Groups of ranks, with the two collectives that set-up needs, barrier and allgather, and the two that recovery needs,
// agree and shrink. The rich ones are in collective.hpp.
#pragma once

#include <polder/export.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace polder {

namespace core {
class GroupState;
}

// What the living members of a group have decided, the same at all of them.
struct Agreement {
  std::uint64_t bits = 0;         // those that are set at every member that took part
  std::optional<Rank> dissenter;  // the lowest rank that did not set all 64
  std::vector<Rank> failed;       // ranks of the job, ascending, that took no part or were known to be gone by then
};

// Made by Runtime::create_group() with the same ranks at each member, then committed by all members. Must not outlive
// its runtime. Collectives are called by one thread of a rank at a time per group (busy); a barrier may run beside an
// allgather or an allreduce. Before commit() they are invalid_group.
class POLDER_API Group {
 public:
  ~Group();  // local, ends what is under way; waits up to 5 s for reads from and letters to a peer that is silent
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Ranks of the job that belong to the group, in its order: ascending, or by the keys of Runtime::split().
  std::span<const Rank> ranks() const;
  std::size_t size() const { return ranks().size(); }
  Rank index() const;  // of this rank among them

  // Ranks are *absolute* (of the job) or *relative* (the place among the members, from 0).
  Rank absolute(Rank index) const {  // REQUIRES: index < size()
    assert(index < size());
    return ranks()[index];
  }
  std::optional<Rank> relative(
      Rank rank) const;  // nothing: it is no member. O(log size), or O(size) after a split by keys
  // The group from which create_group(parent, indices) or split() made this one; null for others, and for the world.
  const Group* parent() const { return parent_; }

  // Collective. Agrees with the other members that the group exists. timeout: call again to go on. peer_failed: a
  // member is dead; the group can only be destroyed.
  Status commit(Timeout timeout);
  bool committed() const;

  // Collective: all have entered, and what members posted to each other before is there. timeout: call again to go on.
  Status barrier(Timeout timeout);  // peer_failed. Cost: a meeting on each node, ceil(log2 nodes) ways of the network

  // Collective. `all` receives the `mine` of each member in order: size() * mine.size() bytes, at most kMaxGather a member
  // (invalid_size), as many at each (invalid_argument; then no allgather of the group works any more). peer_failed. timeout: call again with the same to go on; another size is `busy` then.
  static constexpr std::size_t kMaxGather = 4096;
  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all, Timeout timeout);
  // The same in memory of the group, for callers that cannot keep theirs after a timeout. The result stays until the next
  // call of this form. timeout: call again with as many bytes to go on; the bytes of the first call are those that count.
  // busy: another number of bytes is under way since a timeout.
  Result<std::span<const std::byte>> allgather(std::span<const std::byte> mine, Timeout timeout);

  // Collective; the only one that goes on when members die, at whatever moment. Each that lives gets the same answer, and
  // nobody gets one before all that live can: what is decided stays so, whoever dies next. A member that has left its
  // runtime or deleted the group counts as gone. Works also where other collectives of the group have failed, and beside
  // them. timeout: call again with the same bits to go on. peer_failed: the others have given this rank up, maybe in
  // error: it is no member of theirs any more.
  // Cost without deaths: 4 ceil(log2 size()) steps. Where a network has been cut in two, each half decides for itself and
  // names the other as failed.
  Result<Agreement> agree(std::uint64_t bits, Timeout timeout);

  // Collective, of the members that live: a new group of those, committed. This one stays as it is. If more die while it is
  // made, it is made again without them; a later death is found by the next call. timeout: call again to go on. If one of
  // them cannot make it, none has it, and the call may be repeated: limit, some member has as many groups as it can have;
  // system, some member, which is named, had no memory for it, and gets its own error. Two agreements and a commit for
  // each attempt.
  Result<std::unique_ptr<Group>> shrink(Timeout timeout);

  // For callers who cannot call again with the same arguments after a timeout, as containers: they say so here, and ask
  // before each further collective, which would be taken for the one that this rank has not gone on with. A collective of
  // collective.hpp that a blocking call of this rank began, and that is under way since its time was up, ends here: when
  // this returns nobody reads or writes its buffers any more, which takes a few seconds at most, and collectives of that
  // header fail, here as invalid_group. Any thread.
  void lose_step();
  bool out_of_step() const { return out_of_step_.load(std::memory_order_relaxed); }

  // For the runtime and the collectives above it.
  core::GroupState& state() const { return *state_; }

 private:
  friend class core::GroupState;
  friend class Runtime;
  explicit Group(std::unique_ptr<core::GroupState> state);

  // What an allgather sends and receives whose caller need not keep it. It outlives the state, whose collectives use it.
  struct Kept {
    std::vector<std::byte> mine, all;
    bool under_way = false;  // since a timeout
    std::atomic<bool> busy{false};
  };
  Kept kept_;
  std::unique_ptr<core::GroupState> state_;
  const Group* parent_ = nullptr;
  std::atomic<bool> out_of_step_{false};
};

// The colour of a rank that joins no group in a split.
inline constexpr std::int64_t kNoColour = std::numeric_limits<std::int64_t>::min();

}  // namespace polder
