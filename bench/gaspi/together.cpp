#include "gaspi/measurements.hpp"

#include <vector>

namespace bench {

void measure_gaspi_barrier(GaspiWorld& world, const Arguments& arguments) {
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) world.barrier();
  });
  if (world.rank() == 0) report({.name = "gaspi_barrier", .ranks = world.size(), .samples = samples});
}

void measure_gaspi_allreduce(GaspiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 64, 512, 2040})) {
    std::vector<double> mine(size / sizeof(double), 1.0);
    std::vector<double> sum(mine.size());
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        world.must("gaspi_allreduce",
                   gaspi_allreduce(mine.data(), sum.data(), gaspi_number_t(mine.size()), GASPI_OP_SUM,
                                   GASPI_TYPE_DOUBLE, GASPI_GROUP_ALL, kGaspiPatience));
      }
    });
    if (world.rank() == 0) report({.name = "gaspi_allreduce", .ranks = world.size(), .size = size, .samples = samples});
  }
}

}  // namespace bench
