// Groups of ranks, with the two collectives that set-up needs: barrier and allgather. The rich ones are in
// collective.hpp.
#pragma once

#include <polder/export.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace polder {

namespace core {
class GroupState;
}

// Made by Runtime::create_group() with the same ranks at each member, then committed by all members. Must not outlive
// its runtime. Collectives are called by one thread of a rank at a time per group; a barrier may run beside an
// allgather or an allreduce.
class POLDER_API Group {
 public:
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Ranks of the job that belong to the group, ascending.
  std::span<const Rank> ranks() const;
  std::size_t size() const { return ranks().size(); }
  Rank index() const;  // of this rank among them

  // Ranks are *absolute* (of the job) or *relative* (the place among the members, from 0).
  Rank absolute(Rank index) const { return ranks()[index]; }  // REQUIRES: index < size()
  std::optional<Rank> relative(Rank rank) const;              // nothing: it is no member. O(log size)
  // The group from which create_group(parent, indices) made this one; null for others, and for the world.
  const Group* parent() const { return parent_; }

  // Collective. Agrees with the other members that the group exists. timeout: call again to go on. peer_failed: a
  // member is dead; the group can only be destroyed.
  Status commit(Timeout timeout);
  bool committed() const;

  // Collective: all have entered, and what members posted to each other before is there. timeout: call again to go on.
  Status barrier(Timeout timeout);

  // Collective. `all` receives the `mine` of each member in order: size() * mine.size() bytes. At most kMaxGather bytes
  // a member, the same number at each. timeout: call again with the same arguments to go on.
  static constexpr std::size_t kMaxGather = 4096;
  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all, Timeout timeout);

  // For the runtime and the collectives above it.
  core::GroupState& state() const { return *state_; }

 private:
  friend class core::GroupState;
  friend class Runtime;
  explicit Group(std::unique_ptr<core::GroupState> state);
  std::unique_ptr<core::GroupState> state_;
  const Group* parent_ = nullptr;
};

}  // namespace polder
