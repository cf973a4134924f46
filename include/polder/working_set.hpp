// Ranks that do a job's work by logical numbers, and spares that take the place of those that die.
//
//   polder::WorkingSet set(rt);                                        // spares: polder run --spares, or POLDER_SPARES
//   polder::Status status = set.run([&](polder::Member& me) -> polder::Status {
//     std::vector<double> field = initial_field(me.place(), me.size());
//     polder::Status status = me.keep(field.data(), field.size() * sizeof(double));  // what a checkpoint saves
//     if (status.ok()) status = me.begin(60s);                         // ... and what is filled here after a death
//     while (status.ok() && me.epoch() < kSteps) {
//       status = compute(me.group(), field);
//       if (status.ok()) status = me.save(60s);                        // the next epoch
//     }
//     return status;
//   });
//
// The set has as many members as the job has ranks that are no spares. A member has a place, from 0, which is its number in the
// set's group. When members die, the work ends at all others by peer_failed, and run() calls it anew, at all members: a spare has
// the place of each that died, and begin() has brought all to the last committed epoch. Where no spare is left the set becomes
// smaller, if the program allows it.
//
// The epoch that all go back to stays at its mirrors until the new set has it at its own, by agreement: so there is no moment at
// which no more deaths than mirrors lose anything. A rank that was merely slow, and was taken for dead, is out for good: its run()
// returns peer_failed, at a time of its own.
//
// polder run must not end the job at the first death: --keep-going.
#pragma once

#include <polder/checkpoint.hpp>
#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/runtime.hpp>
#include <polder/saved_parts.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder {

// The same at all ranks of the job.
struct WorkingSetSpec {
  // Of the job's ranks, the last ones; unset: POLDER_SPARES, which polder run --spares sets, else 0.
  std::optional<Rank> spares = std::nullopt;
  // Members with which the program goes on where no spare is left; 0: as many as at first. A network that has been cut in two may
  // go on in both parts, unless this is more than half of all ranks.
  Rank least = 0;
  bool anew = false;          // where all members die at once spares begin from nothing; else that is an error
  std::uint32_t mirrors = 1;  // as in CheckpointSpec, and so the rest; fewer where there are not as many other members
  bool changed_pages = false;
  std::uint64_t memory_limit = 0;
  // A directory that all ranks see, of this job alone: Member::store() writes epochs there, and begin() begins from the last one
  // of them that is whole where none is in memory. Empty: none.
  std::string directory = {};
  // How long a member may take to hear of a death: longer than the longest time between two calls that need the others.
  Timeout patience = std::chrono::minutes(10);
  std::function<void(std::string_view step)> at_step = {};
};

// Fills the ranges of a member of a set that has another size than the one that saved `parts`.
using Redistribute = std::function<Status(SavedParts& parts)>;

// What a death has cost.
struct Recovery {
  std::vector<Rank> lost;   // ranks of the job, spares among them
  std::uint64_t epoch = 0;  // at which all went on; 0: from the beginning
  double seconds = 0;       // from the error that told of it until all members had begun again
};

// What the work sees of the set. Valid while the work runs; used by one thread at a time. A member that gets an error returns
// it, and is called again if that was peer_failed and somebody has died.
class POLDER_API Member {
 public:
  Rank place() const { return group().index(); }
  Rank size() const { return Rank(group().size()); }
  Group& group() const;  // by places. Nobody else may call its agree() once begin() has been called
  Runtime& runtime() const;
  const std::vector<Recovery>& recoveries() const;  // so far, the one that led here the last

  // Local, before begin(): a range that each epoch saves; see Checkpoint::add(). A joiner keeps as many bytes as the one whose
  // place it has.
  Status keep(void* data, std::size_t bytes);

  // Collective: fills the ranges with the last committed epoch, if there is one, and makes room for the next. Where the set has
  // another size than the one that saved it, `redistribute` fills them, at each member. Costs a copy, its way to the mirrors, and four
  // agreements. timeout: the work must end. invalid_size, invalid_argument: what is kept does not fit what was saved, or there
  // is nobody who redistributes; limit, out_of_memory: as Checkpoint::open(); system: a member cannot look at an epoch on disk, so
  // that it is not known whether that is whole (it does not see the directory, too many files are open, the disk has an error), or
  // place 0 does not see the last one that others do: what is there stays as it is. peer_failed: return it.
  Status begin(Timeout timeout, const Redistribute& redistribute = {});

  // As those of Checkpoint; save() is both. An epoch is a number that grows by one with each commit, across recoveries; 0: there
  // is none, and the ranges are what the program made of them. timeout: call the same again to go on. REQUIRES: begin().
  Status start(Timeout timeout);
  Status commit(Timeout timeout);
  Status save(Timeout timeout);
  std::uint64_t epoch() const;

  // Collective: writes the last epoch to the directory, from the copy in memory, so the ranges may change meanwhile; until it
  // ends, start() and save() are `busy`. Each member writes a file and syncs it; when all have, the epoch gets its name. The last
  // two that are whole stay there. timeout: call again to go on. system (a full disk, or a directory that not all members see):
  // this epoch is not there, at any member the same, the one before is, and the program can go on. peer_failed: return it.
  // invalid_argument: no directory, or no epoch.
  Status store(Timeout timeout);

 private:
  friend class WorkingSet;
  struct State;
  explicit Member(State& state) : state_(state) {}
  State& state_;
};

// One at a time in a job. The runtime must outlive it. Used by one thread at a time.
class POLDER_API WorkingSet {
 public:
  explicit WorkingSet(Runtime& rt, const WorkingSetSpec& spec = {});
  ~WorkingSet();
  WorkingSet(const WorkingSet&) = delete;
  WorkingSet& operator=(const WorkingSet&) = delete;

  using Work = std::function<Status(Member& me)>;

  // Collective over all ranks of the job, once. Calls work() at the members, until no death has disturbed it; spares wait. An
  // error of one member is an error of all: its own where it arose, `closed` without a text at the others. An exception becomes
  // such an error, system; work() that is to be called again returns the status of a containers::Failure. peer_failed: too many have
  // died, or a part is lost with all its mirrors (the message names it), or this rank was given up by the others.
  Status run(const Work& work);

  // After run(): of this rank in the last set; nothing: it is a spare that nobody has needed.
  std::optional<Rank> place() const;
  const std::vector<Recovery>& recoveries() const;

 private:
  std::unique_ptr<Member::State> state_;
};

}  // namespace polder
