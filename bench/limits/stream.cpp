#include "common/keep.hpp"
#include "common/report.hpp"
#include "common/shared_world.hpp"
#include "limits/limits.hpp"
#include "limits/solo_world.hpp"

#include <algorithm>

namespace bench {
namespace {

// BENCH_VECTOR_CLONES comes from CMake: the attribute that has the compiler make one version per vector width of the
// family and choose at run time. Without it a limit for a newer processor would be measured with the oldest one's
// instructions.
BENCH_VECTOR_CLONES
void add_scaled(double* __restrict y, const double* __restrict x, double a, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) y[i] += a * x[i];
}

}  // namespace

void measure_stream(Machine& machine, const Arguments& arguments) {
  const auto sizes = arguments.sizes_or({8, 512, 8 << 10, 64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20});
  const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
  SoloWorld world(machine.cores[0]);
  const auto* x = reinterpret_cast<const double*>(shared_pages(largest));
  auto* y = reinterpret_cast<double*>(shared_pages(largest));
  for (const std::size_t size : sizes) {
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        add_scaled(y, x, 0.5, size / sizeof(double));
        keep(y);
      }
    });
    report({.name = "stream", .ranks = 1, .size = size, .samples = samples});
  }
}

}  // namespace bench
