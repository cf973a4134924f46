// A crew as threads of the test.
#pragma once

#include "common/crew.hpp"

#include <algorithm>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace apps {

// Runs `body` in `ranks` threads, each with its Crew.
inline void run_ranks(unsigned ranks, const std::function<void(const Crew&)>& body) {
  std::vector<std::uint64_t> shown(ranks);
  std::barrier<> gate(ranks);
  std::vector<std::jthread> threads;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const Maximum maximum = [&, rank](std::uint64_t mine) -> Result<std::uint64_t> {
        shown[rank] = mine;
        gate.arrive_and_wait();
        const std::uint64_t most = *std::ranges::max_element(shown);
        gate.arrive_and_wait();
        return most;
      };
      body({rank, maximum, [&, rank](const Status& mine) { return vote(rank, ranks, mine, maximum); }});
    });
  }
}

// A crew of one.
inline Crew solo() {
  return {0, [](std::uint64_t mine) -> Result<std::uint64_t> { return mine; }, [](const Status& mine) { return mine; }};
}

}  // namespace apps
