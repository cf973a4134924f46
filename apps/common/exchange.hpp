// Vectors that all ranks put together, or send to each other.
#pragma once

#include "common/team.hpp"

#include <polder/collective.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace apps {

// Those of all ranks, one behind the other. Collective.
template <class T>
Result<std::vector<T>> gather_all(const Team& team, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const Result<std::vector<std::uint64_t>> counts = team.allgather(std::uint64_t(mine.size()));
  if (!counts.ok()) return counts.status();
  std::vector<std::size_t> bytes;
  std::size_t total = 0;
  for (const std::uint64_t count : *counts) bytes.push_back(count * sizeof(T)), total += count;
  std::vector<T> all(total);
  Status status =
      team.named("allgather", polder::allgather(team.group(), bytes, mine.data(), all.data(), team.patience()));
  if (!status.ok()) return status;
  return all;
}

// `parts[r]` goes to rank r; what comes is in the order of the ranks that it comes from. Collective.
template <class T>
Result<std::vector<T>> send_to_each(const Team& team, const std::vector<std::vector<T>>& parts) {
  static_assert(std::is_trivially_copyable_v<T>);
  const unsigned ranks = team.size();
  std::vector<T> out;
  std::vector<polder::Part> sent, received;
  std::vector<std::uint64_t> counts;
  for (const std::vector<T>& part : parts) {
    sent.push_back({out.size() * sizeof(T), part.size() * sizeof(T)});
    counts.push_back(part.size());
    out.insert(out.end(), part.begin(), part.end());
  }
  std::vector<std::uint64_t> coming(ranks);
  Status status = team.named(
      "alltoall", polder::alltoall(team.group(), sizeof(std::uint64_t), counts.data(), coming.data(), team.patience()));
  if (!status.ok()) return status;
  std::size_t total = 0;
  for (const std::uint64_t count : coming) received.push_back({total * sizeof(T), count * sizeof(T)}), total += count;
  std::vector<T> in(total);
  status =
      team.named("alltoall", polder::alltoallv(team.group(), out.data(), sent, in.data(), received, team.patience()));
  if (!status.ok()) return status;
  return in;
}

}  // namespace apps
