// The same collectives as in bench/micro/collectives.cpp, with MPI.
#include "peers/peers.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace bench {

void measure_collectives(MpiWorld& world, const Arguments& arguments) {
  const auto sizes = arguments.sizes_or({8, 4096, 65536, 1 << 20, 16 << 20});
  const auto ranks = std::size_t(world.size());
  const std::size_t room = room_for_blocks(sizes, ranks);
  std::vector<double> send(room / sizeof(double)), receive(room / sizeof(double));
  const auto run = [&](const std::string& kind, std::size_t bytes, auto&& call) {
    if (!arguments.takes(kind)) return;
    const auto all = [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        const std::size_t root = i % ranks;
        if (arguments.written)
          std::fill_n(kind == "bcast" ? receive.data() : send.data(),
                      bytes_sent(kind, bytes, ranks, root == std::size_t(world.rank())) / sizeof(double), 1.0);
        call(int(root));
      }
    };
    const auto samples = sample(world, arguments.plan, all, Timed::span);
    if (world.rank() == 0) report({.name = "coll_" + kind, .ranks = world.size(), .size = bytes, .samples = samples});
  };
  const int extent = world.size(), periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, 0, &ring);
  run("barrier", 0, [](int) { MPI_Barrier(MPI_COMM_WORLD); });
  for (const std::size_t bytes : sizes) {
    const int count = int(bytes / sizeof(double)), size = int(bytes);
    run("bcast", bytes, [&](int root) { MPI_Bcast(receive.data(), size, MPI_BYTE, root, MPI_COMM_WORLD); });
    run("reduce", bytes,
        [&](int root) { MPI_Reduce(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD); });
    run("allreduce", bytes,
        [&](int) { MPI_Allreduce(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    std::vector<int> counts;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      counts.push_back(int(std::size_t(count) * (rank + 1) / ranks - std::size_t(count) * rank / ranks));
    run("reduce_scatter", bytes, [&](int) {
      MPI_Reduce_scatter(send.data(), receive.data(), counts.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    });
    run("scan", bytes, [&](int) { MPI_Scan(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    run("exscan", bytes,
        [&](int) { MPI_Exscan(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
    run("neighbours", bytes,
        [&](int) { MPI_Neighbor_alltoall(send.data(), size, MPI_BYTE, receive.data(), size, MPI_BYTE, ring); });
    if (!takes_blocks(bytes, ranks)) continue;
    run("allgather", bytes,
        [&](int) { MPI_Allgather(send.data(), size, MPI_BYTE, receive.data(), size, MPI_BYTE, MPI_COMM_WORLD); });
    run("alltoall", bytes,
        [&](int) { MPI_Alltoall(send.data(), size, MPI_BYTE, receive.data(), size, MPI_BYTE, MPI_COMM_WORLD); });
    run("gather", bytes, [&](int root) {
      MPI_Gather(send.data(), size, MPI_BYTE, receive.data(), size, MPI_BYTE, root, MPI_COMM_WORLD);
    });
    run("scatter", bytes, [&](int root) {
      MPI_Scatter(send.data(), size, MPI_BYTE, receive.data(), size, MPI_BYTE, root, MPI_COMM_WORLD);
    });
  }
  MPI_Comm_free(&ring);
}

void measure_alltoall(MpiWorld& world, const Arguments& arguments) {
  const auto sizes = arguments.sizes_or({2048, 4096, 8192, 16384, 32768, 65536});
  std::vector<std::byte> send(sizes.back() * std::size_t(world.size())), receive(send.size());
  for (const std::size_t bytes : sizes) {
    const int size = int(bytes);
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i)
        MPI_Alltoall(send.data(), size, MPI_BYTE, receive.data(), size, MPI_BYTE, MPI_COMM_WORLD);
    });
    if (world.rank() == 0) report({.name = "alltoall", .ranks = world.size(), .size = bytes, .samples = samples});
  }
}

}  // namespace bench
