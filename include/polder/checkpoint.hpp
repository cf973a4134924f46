// Checkpoints in the memory of other members, which outlive the ranks whose data they hold.
//
//   polder::Checkpoint saved(rt, *group, {.mirrors = 2});
//   saved.add(field.data(), field.size() * sizeof(double));
//   saved.open(10s);                       // collective
//   saved.start(1s);                       // copies, posts to the mirrors, and returns
//   ...                                    // compute; the copies travel
//   Status status = saved.commit(10s);     // collective: decided once, for all
//   if (!status.ok()) saved.restore(10s);  // all that live are at the last committed epoch again
//
// Every member keeps its last two epochs itself and at its mirrors. Which epoch counts is decided by Group::agree(), so
// whoever dies when, all that live come to the same one.
#pragma once

#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace polder {

struct CheckpointSpec {
  std::uint32_t mirrors = 1;       // members that keep a copy of each part: those of other nodes first; the same at all
  bool changed_pages = false;      // only pages of 4 KiB that differ from the epoch before the last one travel
  std::uint64_t first_epoch = 0;   // the last one of a checkpoint that this one carries on; the same at all
  std::uint64_t memory_limit = 0;  // bytes that a member may give for all its copies; 0: no limit; the same at all
  // Called at each step that a call comes to, with its name, by the caller's thread: for demonstrations, and for tests
  // that end a rank there.
  std::function<void(std::string_view step)> at_step = {};
};

// What restore() came to, the same at all members that live.
struct Restored {
  std::uint64_t epoch = 0;   // first_epoch: nothing was committed, and nothing was changed
  std::vector<Rank> failed;  // ranks of the job, ascending, that are gone
};

// A timeout bounds a call, however often that waits; copying and checksums come on top. Called by one thread of a rank at a time. The group and the
// runtime must outlive it, and so must registered memory. It calls Group::agree() of its group; nobody else may meanwhile. A
// member's memory: 2 x (its own bytes and those that it mirrors), each copy with a header of 24 bytes and rounded up to 64.
class POLDER_API Checkpoint {
 public:
  Checkpoint(Runtime& rt, Group& group, const CheckpointSpec& spec = {});  // local
  ~Checkpoint();  // local: members that read copies from this one must have done so before
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  // Local, before open(). Any number of ranges of any sizes, which may differ at each member; none is allowed.
  // invalid_argument: a null pointer, or open() has been called.
  Status add(void* data, std::size_t bytes);

  // Collective: chooses mirrors and makes room for copies. timeout: call again to go on. The same error at all members:
  // invalid_argument (fewer other members than mirrors, or specs that differ; the message names two ranks), limit (a member would have to give more than memory_limit; the
  // message names it), out_of_memory. peer_failed: it can only be destroyed.
  Status open(Timeout timeout);

  // Local: copies the ranges, which may change again when it returns, and posts the copies to the mirrors. To mirrors of
  // the same memory that is a second copy; over a network they travel in the background. timeout: not all is posted; call
  // again to go on, the copy has been taken. busy: the last start has not been committed. peer_failed: a mirror is gone;
  // commit() will say so to all.
  Status start(Timeout timeout);
  // The same with other bytes than those of the ranges, as many as they have together: after a recovery the last epoch, where
  // the ranges hold something newer. invalid_size.
  Status start(std::span<const std::byte> part, Timeout timeout);
  bool started() const;  // and not committed

  // Collective: the epoch counts once all members have it at all their mirrors. timeout (test() too): call again to go
  // on. peer_failed: a member is gone or could not save its part, or another one is in restore(): the epoch before stays
  // the last one, at all members, and restore() is next.
  Status commit(Timeout timeout);
  std::uint64_t epoch() const;  // the last committed one

  // Collective over the members that live, whatever each of them was doing: fills all ranges with the last committed epoch,
  // and ends the checkpoint but for fetch(), and for restore() itself: the same once more, with those that live by then, for
  // as long as the next checkpoint has committed nothing. timeout: call again to go on. peer_failed: the part of some member is lost
  // with all its mirrors, or this rank was given up by the others; the message names epoch and ranks, and no range has been
  // changed.
  Result<Restored> restore(Timeout timeout);

  // restore() that leaves the ranges as they are: for programs that know better what a survivor goes on with. Both may follow
  // each other.
  Result<Restored> end(Timeout timeout);

  // The last epoch of any member by its place in the group: how many bytes its part has, and the part itself, its ranges
  // one behind the other. It is read from the first copy that is whole. Local; while the checkpoint goes on only by a member that is in no other
  // call of it. After restore() or end() members keep their checkpoints until all have read: a barrier of the next group.
  // invalid_rank, invalid_size; invalid_argument: nothing was committed; timeout; peer_failed: no copy can be reached.
  Result<std::size_t> bytes_of(Rank member) const;
  Status fetch(Rank member, std::span<std::byte> part, Timeout timeout);
  // Where the copies of a member are: ranks of the job, its own first. Empty: it is not open, or there is no such member.
  std::vector<Rank> copies_of(Rank member) const;

  struct State;  // for the library's own use
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace polder
