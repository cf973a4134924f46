// Two processes that take turns: what differs between the measurements is only how they wait.
#pragma once

#include "common/report.hpp"
#include "common/shared_world.hpp"

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

// A word on a line of its own, and away from the line that the prefetcher would fetch with it.
struct alignas(128) Line {
  std::atomic<std::uint32_t> word;
};

// Rank 0 writes turn k to one line, rank 1 answers on the other. `tell(line, k)` stores, `await(line, k)` returns once
// the line holds k. Prints the time one way under `name`.
template <class Tell, class Await>
void measure_ping_pong(std::string_view name, const std::vector<int>& cores, const Arguments& arguments, Tell tell,
                       Await await) {
  run_processes(cores, 2 * sizeof(Line), [&](SharedWorld& world) {
    auto* lines = reinterpret_cast<Line*>(world.memory());
    Line& mine = lines[world.rank()];
    Line& theirs = lines[1 - world.rank()];
    std::uint32_t turn = 0;
    auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        ++turn;
        if (world.rank() == 0) tell(mine, turn);
        await(theirs, turn);
        if (world.rank() == 1) tell(mine, turn);
      }
    });
    for (double& ns : samples) ns /= 2;  // there and back
    if (world.rank() == 0) report({.name = name, .ranks = 2, .samples = samples});
  });
}

}  // namespace bench
