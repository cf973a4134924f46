// The parts of an epoch of a checkpoint, to be read by ranks that have not saved them.
#pragma once

#include <polder/checkpoint.hpp>
#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace polder {

// The parts of an epoch as a set of members saved them, by place.
class POLDER_API SavedParts {
 public:
  virtual ~SavedParts();
  virtual Rank size() const = 0;
  virtual std::size_t bytes_of(Rank place) const = 0;  // REQUIRES: place < size()
  // Bytes of a part from `offset` on; its ranges lie one behind the other. The part read last is at hand: reading it piece by
  // piece is one transfer. invalid_rank, invalid_size; timeout: call again to go on; peer_failed: no copy can be reached.
  virtual Status read(Rank place, std::size_t offset, std::span<std::byte> bytes, Timeout timeout) = 0;
};

// Those of a checkpoint in memory that has ended, known to all of a group: also to ranks that take the place of a dead member.
// Used by one thread at a time.
class POLDER_API SharedParts final : public SavedParts {
 public:
  // `ended`: this member's checkpoint after restore() or end(); null at those that had none. It, the runtime and the group must
  // outlive this, and members keep theirs until all have read.
  SharedParts(Runtime& rt, Group& group, const Checkpoint* ended);
  ~SharedParts() override;  // of one whose share() has timed out: as Group::lose_step(), if the broadcast is under way

  // Collective: those that have a checkpoint tell the others where its copies are. Costs an allgather and a broadcast. timeout: call
  // again to go on. peer_failed: a member of the group is gone; invalid_argument, at all: nobody has an epoch.
  Status share(Timeout timeout);

  // REQUIRES, all: share() has succeeded.
  std::uint64_t epoch() const;
  std::span<const Rank> ranks() const;  // of the job, by place, that saved it
  Rank size() const override;
  std::size_t bytes_of(Rank place) const override;
  Status read(Rank place, std::size_t offset, std::span<std::byte> bytes, Timeout timeout) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace polder
