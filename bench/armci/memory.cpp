#include "armci/measurements.hpp"
#include "common/report.hpp"

#include <cstring>

namespace bench {

// Temporary arrays: everybody allocates, writes its part and frees it.
void measure_memory(ArmciWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({4 << 10, 32 << 10, 512 << 10})) {
    std::vector<void*> parts(std::size_t(world.size()));
    const auto body = [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        ARMCI_Malloc(parts.data(), armci_size_t(size));
        std::memset(parts[std::size_t(world.rank())], 1, size);
        ARMCI_Free(parts[std::size_t(world.rank())]);
      }
    };
    const auto samples = sample(world, arguments.plan, body);
    if (world.rank() == 0) report({.name = "armci_temporary", .ranks = world.size(), .size = size, .samples = samples});
  }
}

}  // namespace bench
