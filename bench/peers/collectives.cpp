// The same collectives as in bench/micro/collectives.cpp, with MPI.
#include "peers/peers.hpp"

#include <string>
#include <vector>

namespace bench {

void measure_collectives(MpiWorld& world, const Arguments& arguments) {
  const auto sizes = arguments.sizes_or({8, 4096, 65536, 1 << 20, 16 << 20});
  const auto ranks = std::size_t(world.size());
  const std::size_t room = 2 * sizes.back();
  std::vector<double> send(room / sizeof(double)), receive(room / sizeof(double));
  const auto run = [&](const std::string& kind, std::size_t bytes, auto&& call) {
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) call(int(i % ranks));
    });
    if (world.rank() == 0) report({.name = "coll_" + kind, .ranks = world.size(), .size = bytes, .samples = samples});
  };
  run("barrier", 0, [](int) { MPI_Barrier(MPI_COMM_WORLD); });
  for (const std::size_t bytes : sizes) {
    const int count = int(bytes / sizeof(double)), size = int(bytes);
    run("bcast", bytes, [&](int root) { MPI_Bcast(receive.data(), size, MPI_BYTE, root, MPI_COMM_WORLD); });
    run("reduce", bytes,
        [&](int root) { MPI_Reduce(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD); });
    run("allreduce", bytes,
        [&](int) { MPI_Allreduce(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    if (bytes * ranks > room) continue;
    run("allgather", bytes,
        [&](int) { MPI_Allgather(send.data(), size, MPI_BYTE, receive.data(), size, MPI_BYTE, MPI_COMM_WORLD); });
    run("alltoall", bytes,
        [&](int) { MPI_Alltoall(send.data(), size, MPI_BYTE, receive.data(), size, MPI_BYTE, MPI_COMM_WORLD); });
  }
}

}  // namespace bench
