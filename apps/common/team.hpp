// The ranks that work together: a runtime with the patience of this job, and the small exchanges between phases.
#pragma once

#include "common/crew.hpp"

#include <polder/collective.hpp>
#include <polder/runtime.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace apps {

// Every call is collective: all ranks make the same calls in the same order. A rank that has died, or from which
// nothing was heard for `patience` seconds, is an error at the others and never a hang.
class Team {
 public:
  // All ranks of the job.
  Team(polder::Runtime& runtime, double patience);
  // The members of a committed group, by which they are numbered; it must outlive the team.
  Team(polder::Runtime& runtime, polder::Group& group, double patience);

  polder::Runtime& runtime() const { return runtime_; }
  polder::Group& group() const { return group_; }
  unsigned rank() const { return group_.index(); }
  unsigned size() const { return unsigned(group_.size()); }
  polder::Timeout patience() const { return patience_; }

  Status barrier() const;
  // Element-wise over ranks, in place.
  Status sum(std::span<double> values) const;
  Status minimum(std::span<double> values) const;
  Result<std::uint64_t> maximum(std::uint64_t mine) const;

  // T of each rank, in order.
  template <class T>
  Result<std::vector<T>> allgather(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= polder::Group::kMaxGather);
    std::vector<T> all(size());
    Status status = named("allgather", group_.allgather(std::as_bytes(std::span(&mine, 1)),
                                                        std::as_writable_bytes(std::span(all)), patience_));
    if (!status.ok()) return status;
    return all;
  }

  // Success if `status` is; else with `what` and what a timeout means in the text.
  Status named(const char* what, const Status& status) const;

  // Ends a phase: vote(), unless a rank has been lost.
  Status agree(const Status& mine) const;

 private:
  Status reduce(polder::Reduction op, std::span<double> values) const;

  polder::Runtime& runtime_;
  polder::Group& group_;
  polder::Timeout patience_;
};

// The team, for files that its ranks share; it must outlive the crew.
Crew crew_of(const Team& team);

// Whether the others can still be reached after this error.
inline bool lost_others(const Status& status) {
  // With a text, unlike stopped_by_another(): it is this rank that was taken from the job.
  const bool taken = status.code() == Code::closed && !status.message().empty();
  return taken || status.code() == Code::peer_failed || status.code() == Code::timeout;
}

}  // namespace apps
