#include "peers/peers.hpp"
#include "peers/window.hpp"

#include <cstring>
#include <vector>

namespace bench {
namespace {

// Ranks 0 .. adders-1 add to the first word of the last rank. Per operation of each.
void measure_adders(MpiWorld& world, const Arguments& arguments, const char* name, int adders) {
  Window window(64);
  std::memset(window.mine(), 0, 64);
  const int home = world.size() - 1;
  const auto add = [&](std::uint64_t iterations) {
    const std::uint64_t one = 1;
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < iterations && world.rank() < adders; ++i) {
      MPI_Fetch_and_op(&one, &seen, MPI_UINT64_T, home, 0, MPI_SUM, window.get());
      window.flush(home);
    }
  };
  const auto samples = sample(world, arguments.plan, add, adders > 1 ? Timed::span : Timed::here);
  if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = 8, .samples = samples});
}

}  // namespace

void measure_fetch_add(MpiWorld& world, const Arguments& arguments) {
  measure_adders(world, arguments, "fetch_add", world.size());
  measure_adders(world, arguments, "fetch_add_alone", 1);
}

void measure_accumulate(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 512, 8 << 10, 64 << 10, 1 << 20})) {
    Window window(size);
    std::memset(window.mine(), 0, size);
    const std::vector<double> source(size / sizeof(double), 0.5);
    const int count = int(source.size());
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations && world.rank() == 0; ++i) {
        MPI_Accumulate(source.data(), count, MPI_DOUBLE, 1, 0, count, MPI_DOUBLE, MPI_SUM, window.get());
        window.flush(1);
      }
    });
    if (world.rank() == 0) report({.name = "accumulate", .ranks = world.size(), .size = size, .samples = samples});
  }
}

}  // namespace bench
