// The same work on several parts of a range, each in a thread of its own.
#pragma once

#include "file.hpp"
#include "part.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace terasort {

// Calls `work(index, part)` for `threads` parts of 0 .. total-1 (as many as there are records, if they are fewer) and
// returns the first error. `work` returns a Status and is called from several threads at once.
template <class Work>
Status in_threads(std::uint64_t total, unsigned threads, Work&& work) {
  const auto parts = unsigned(std::clamp<std::uint64_t>(total, 1, std::max(threads, 1u)));
  std::vector<Status> outcomes(parts);
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < parts; ++i)
      others.emplace_back([&, i] { outcomes[i] = work(i, part_of(total, i, parts)); });
    outcomes[0] = work(0u, part_of(total, 0, parts));
  }
  for (Status& outcome : outcomes)
    if (!outcome.ok()) return outcome;
  return {};
}

}  // namespace terasort
