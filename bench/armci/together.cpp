#include "armci/measurements.hpp"
#include "common/report.hpp"

namespace bench {

void measure_fetch_add(ArmciWorld& world, const Arguments& arguments) {
  SharedMemory memory(world, sizeof(long));
  const int owner = world.size() - 1;
  const auto body = [&](std::uint64_t iterations) {
    long old = 0;
    for (std::uint64_t i = 0; i < iterations; ++i)
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.at(owner), 1, owner);
  };
  const auto samples = sample(world, arguments.plan, body, Timed::span);
  if (world.rank() == 0) report({.name = "armci_fetch_add", .ranks = world.size(), .size = 8, .samples = samples});
}

void measure_together(ArmciWorld& world, const Arguments& arguments) {
  const auto barriers = sample(world, arguments.plan, [](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) ARMCI_Barrier();
  });
  if (world.rank() == 0) report({.name = "armci_barrier", .ranks = world.size(), .samples = barriers});
  const auto sums = sample(world, arguments.plan, [](std::uint64_t iterations) {
    char plus[] = "+";
    double value = 0;
    for (std::uint64_t i = 0; i < iterations; ++i) armci_msg_dgop(&value, 1, plus);
  });
  if (world.rank() == 0) report({.name = "armci_dgop", .ranks = world.size(), .size = 8, .samples = sums});
}

}  // namespace bench
