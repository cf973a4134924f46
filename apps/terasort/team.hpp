// The ranks that work on one job, as far as the parts of the sort need to know: numbers, and small exchanges at the
// ends of phases. How they talk is an implementation's business, so the same parts serve the GASPI program and its MPI
// peer.
#pragma once

#include "common/crew.hpp"
#include "file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace terasort {

// Every call is collective: all ranks make the same calls in the same order. A rank that has died, or from which
// nothing was heard for too long, is an error at the others and never a hang.
class Team {
 public:
  virtual ~Team() = default;

  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;

  // Rank r's `mine` lands at r * mine.size() of `all` at every rank. The same sizes everywhere; all.size() == size() *
  // mine.size().
  virtual Status allgather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  // The same, but only rank 0 receives; `all` may be empty elsewhere.
  virtual Status gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;

  // Rank 0's `data` replaces that of the others.
  virtual Status broadcast(std::span<std::byte> data) = 0;

  // The largest `mine` of all ranks.
  virtual Result<std::uint64_t> maximum(std::uint64_t mine) = 0;
};

template <class T>
Result<std::vector<T>> allgather(Team& team, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(team.size());
  Status status = team.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  if (!status.ok()) return status;
  return all;
}

template <class T>
Status broadcast(Team& team, T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return team.broadcast(std::as_writable_bytes(std::span(&value, 1)));
}

using apps::stopped_by_another;

// Ends a phase: apps::vote.
Status agree(Team& team, const Status& mine);

// The team, for files that its ranks share; it must outlive the crew.
apps::Crew crew_of(Team& team);

}  // namespace terasort
