#include "common/work.hpp"
#include "peers/peers.hpp"

#include <vector>

namespace bench {
namespace {

constexpr std::int64_t kStepWork = 100'000;  // ns, as in bench/micro

}  // namespace

void measure_barrier(MpiWorld& world, const Arguments& arguments) {
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) MPI_Barrier(MPI_COMM_WORLD);
  });
  if (world.rank() == 0) report({.name = "barrier", .ranks = world.size(), .samples = samples});
}

void measure_step(MpiWorld& world, const Arguments& arguments) {
  const Work work(kStepWork);
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      work.run();
      MPI_Barrier(MPI_COMM_WORLD);
    }
  });
  if (world.rank() == 0) report({.name = "step", .ranks = world.size(), .samples = samples});
}

void measure_ring(MpiWorld& world, const Arguments& arguments) {
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  std::uint64_t token = 0;
  const auto send = [&] { MPI_Send(&token, 1, MPI_UINT64_T, next, 0, MPI_COMM_WORLD); };
  const auto receive = [&] { MPI_Recv(&token, 1, MPI_UINT64_T, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); };
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (world.rank() == 0) send();
      receive();
      if (world.rank() != 0) send();
    }
  });
  if (world.rank() == 0) report({.name = "ring", .ranks = world.size(), .size = 8, .samples = samples});
}

void measure_fan_in(MpiWorld& world, const Arguments& arguments) {
  std::uint64_t word = 1;
  const auto send = [&](int rank) { MPI_Send(&word, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD); };
  const auto receive = [&](int rank) { MPI_Recv(&word, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); };
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (world.rank() != 0)
        send(0), receive(0);
      else {
        for (int rank = 1; rank < world.size(); ++rank) receive(MPI_ANY_SOURCE);
        for (int rank = 1; rank < world.size(); ++rank) send(rank);
      }
    }
  });
  if (world.rank() == 0) report({.name = "fan_in", .ranks = world.size(), .size = 8, .samples = samples});
}

void measure_allreduce(MpiWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 64, 512, 2040})) {
    const std::vector<double> mine(size / sizeof(double), 1.0);
    std::vector<double> sum(mine.size());
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i)
        MPI_Allreduce(mine.data(), sum.data(), int(mine.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
    if (world.rank() == 0) report({.name = "allreduce", .ranks = world.size(), .size = size, .samples = samples});
  }
}

void measure_empty(MpiWorld&, const Arguments&) {}

}  // namespace bench
