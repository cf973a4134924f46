#include "common/report.hpp"
#include "common/shared_world.hpp"
#include "limits/limits.hpp"

#include <atomic>

namespace bench {
namespace {

void measure_with(const Machine& machine, const Arguments& arguments, std::size_t procs) {
  std::vector<int> cores;
  for (std::size_t i = 0; i < procs; ++i) cores.push_back(machine.cores[i % machine.cores.size()]);
  run_processes(cores, sizeof(std::atomic<std::uint64_t>), [&](SharedWorld& world) {
    auto& word = *reinterpret_cast<std::atomic<std::uint64_t>*>(world.memory());
    const auto add = [&](std::uint64_t iterations) {
      // As in a program, the old value is used: the next operation cannot start before it is there.
      std::uint64_t seen = 0;
      for (std::uint64_t i = 0; i < iterations; ++i)
        seen ^= word.fetch_add(1 + (seen >> 63), std::memory_order_acq_rel);
    };
    const auto samples = sample(world, arguments.plan, add, Timed::span);
    if (world.rank() == 0) report({.name = "fetch_add", .ranks = int(procs), .size = 8, .samples = samples});
  });
}

}  // namespace

void measure_fetch_add(Machine& machine, const Arguments& arguments) {
  for (const std::size_t procs : arguments.procs_or({1, 2, 4})) measure_with(machine, arguments, procs);
}

}  // namespace bench
