// The same work on several parts of a range, each in a thread of its own.
#pragma once

#include "file.hpp"
#include "part.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace terasort {

inline constexpr unsigned kMostThreads = 4096;  // that may be wanted

// Calls `work(index, part)` for `threads` parts of 0 .. total-1 (as many as there are records, if they are fewer) and
// returns the first error. `work` returns a Status and is called from several threads at once; from fewer where the system gives no
// more threads.
template <class Thread = std::jthread, class Work>
Status in_threads(std::uint64_t total, unsigned threads, Work&& work) {
  const auto parts = unsigned(std::clamp<std::uint64_t>(total, 1, std::max(threads, 1u)));
  std::vector<Status> outcomes(parts);
  std::atomic<unsigned> next = 0;
  const auto do_parts = [&] {
    for (unsigned i = next++; i < parts; i = next++) outcomes[i] = work(i, part_of(total, i, parts));
  };
  {
    std::vector<Thread> others;
    others.reserve(parts);
    try {
      while (others.size() + 1 < parts) others.emplace_back(do_parts);
    } catch (const std::system_error&) {
      // Those that have begun do all parts.
    }
    do_parts();
  }
  for (Status& outcome : outcomes)
    if (!outcome.ok()) return outcome;
  return {};
}

}  // namespace terasort
