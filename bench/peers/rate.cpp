#include "peers/peers.hpp"
#include "peers/window.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t kSpacing = 128;

// `threads` threads of rank 0 put 8 bytes to places of their own; one flush at the end.
void put_from(MpiWorld& world, const Arguments& arguments, int threads) {
  Window window(kSpacing * std::size_t(threads));
  std::memset(window.mine(), 1, kSpacing * std::size_t(threads));
  const auto put = [&](int thread, std::uint64_t count) {
    const std::size_t offset = kSpacing * std::size_t(thread);
    for (std::uint64_t i = 0; i < count; ++i)
      MPI_Put(window.mine() + offset, 8, MPI_BYTE, 1, MPI_Aint(offset), 8, MPI_BYTE, window.get());
  };
  // Some implementations keep every operation that was not flushed in memory.
  Plan plan = arguments.plan;
  plan.max_iterations = std::min(plan.max_iterations, std::uint64_t{20'000});
  auto samples = sample(world, plan, [&](std::uint64_t iterations) {
    if (world.rank() != 0) return;
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(put, thread, iterations);
    put(0, iterations);
    others.clear();  // joins
    window.flush(1);
  });
  for (double& ns : samples) ns /= threads;
  if (world.rank() == 0)
    report({.name = "rate", .ranks = world.size(), .size = 8, .threads = threads, .samples = samples});
}

}  // namespace

void measure_rate(MpiWorld& world, const Arguments& arguments) {
  for (const int threads : {1, 4}) put_from(world, arguments, threads);
}

}  // namespace bench
