// What a barrier of many costs where they share cores: each takes its turn.
#include "common/report.hpp"
#include "common/shared_world.hpp"
#include "limits/limits.hpp"

#include <atomic>
#include <cstdint>

#include <sched.h>

namespace bench {
namespace {

// A counter and a release, and between them nothing but turns.
struct Meeting {
  alignas(64) std::atomic<std::uint64_t> arrived;
  alignas(64) std::atomic<std::uint64_t> released;

  void wait(std::uint64_t number, std::uint64_t members) {
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == number * members)
      released.store(number, std::memory_order_release);
    while (released.load(std::memory_order_acquire) < number) sched_yield();
  }
};

void measure_with(const Machine& machine, const Arguments& arguments, std::size_t procs) {
  std::vector<int> cores;
  for (std::size_t i = 0; i < procs; ++i) cores.push_back(machine.cores[i % machine.cores.size()]);
  run_processes(cores, sizeof(Meeting), [&](SharedWorld& world) {
    auto& meeting = *reinterpret_cast<Meeting*>(world.memory());
    std::uint64_t number = 0;
    const auto samples = sample(world, of_many(arguments.plan, int(procs)), [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) meeting.wait(++number, procs);
    });
    if (world.rank() == 0) report({.name = "turns", .ranks = int(procs), .samples = samples});
  });
}

}  // namespace

void measure_turns(Machine& machine, const Arguments& arguments) {
  const std::vector<std::size_t> usual =
      arguments.quick ? std::vector<std::size_t>{64} : std::vector<std::size_t>{64, 128, 256, 512};
  for (const std::size_t procs : arguments.procs_or(usual)) measure_with(machine, arguments, procs);
}

}  // namespace bench
