// The whole sort by the members of a working set, of which some may die: check, sample, shuffle, sort, write. Every rank runs it,
// spares too.
#pragma once

#include "../sort_job.hpp"

#include <polder/runtime.hpp>
#include <polder/working_set.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace terasort {

// Where a job is, for those who want to disturb it: each rank comes to each of them, some several times.
enum class Step : std::uint8_t {
  sample,
  agreed,
  shuffle,
  half_shuffled,
  shuffled,
  sorting,
  half_written,
  written,
  named
};
inline constexpr std::array<const char*, 9> kStepNames{
    "sample", "agreed", "shuffle", "half-shuffled", "shuffled", "sorting", "half-written", "written", "named"};

struct SparedOptions {
  SortOptions sort;
  unsigned spares = 1;  // of the job's ranks, the last ones
  std::function<void(Step)> at_step = {};
  // Ends the job, at a rank that has heard nothing of the others for too long: a rank that hangs comes to no agreement, and nobody
  // can tell which one it is. The partial output is gone by then.
  std::function<void(const Status&)> give_up = {};
};

struct SparedOutcome {
  Status status;
  // Of the sort, at the rank that has the lowest place, which speaks for all.
  std::optional<SortReport> report;
  std::vector<polder::Recovery> recoveries;
};

// Collective, of all ranks of the job. A member that dies is replaced by a spare, which reads the dead one's part again and sends
// what is missing of it; the others send the spare its share again, and keep theirs. They learn of it from counts: of each stream
// of records, from one place to another, the receiver knows how much it has. Where to cut, the name of the output and what is in
// it survive in whoever lives. On success the output has its name, once all of it was written; on failure it has not changed. All
// that live fail together. peer_failed: there was no spare left, or this rank was given up by the others.
SparedOutcome sort_with_spares(polder::Runtime& runtime, const SparedOptions& options);

}  // namespace terasort
