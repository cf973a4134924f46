// Collectives of any length, each as an object that is run again and again. Roots change with every round, so that no
// root runs ahead of those that it serves.
#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <polder/collective.hpp>
#include <polder/neighbours.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace bench {
namespace {

using polder::Collective;
using polder::Rank;

// Where the vectors lie.
struct Vectors {
  std::byte *send, *receive;
  std::size_t room;  // bytes of each
};

class Kinds {
 public:
  Kinds(PolderWorld& world, const Arguments& arguments, const Vectors& vectors, std::string suffix)
      : world_(world), arguments_(arguments), vectors_(vectors), suffix_(std::move(suffix)) {}

  void measure(std::size_t bytes) {
    polder::Group& group = world_.runtime().world();
    const auto sum = world_.must(
        "reduction", polder::reduction(polder::Reduction::sum, polder::DataType::float64, bytes / sizeof(double)));
    const auto ranks = Rank(world_.size());
    const std::vector<std::size_t> parts(ranks, bytes);
    const auto all = [&](auto&& make) {
      for (Rank root = 0; root < ranks; ++root) each_root_.push_back(world_.must("a collective", make(root)));
    };
    all([&](Rank root) { return Collective::broadcast(group, root, vectors_.receive, bytes); });
    run("bcast", bytes);
    all([&](Rank root) { return Collective::reduce(group, root, sum, vectors_.send, vectors_.receive); });
    run("reduce", bytes);
    all([&](Rank) { return Collective::allreduce(group, sum, vectors_.send, vectors_.receive); });
    run("allreduce", bytes);
    std::vector<std::size_t> elements;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      elements.push_back(sum.count * (rank + 1) / ranks - sum.count * rank / ranks);
    all([&](Rank) { return Collective::reduce_scatter(group, sum, elements, vectors_.send, vectors_.receive); });
    run("reduce_scatter", bytes);
    all([&](Rank) { return Collective::scan(group, sum, vectors_.send, vectors_.receive); });
    run("scan", bytes);
    all([&](Rank) { return Collective::exscan(group, sum, vectors_.send, vectors_.receive); });
    run("exscan", bytes);
    measure_ring(bytes);
    if (!takes_blocks(bytes, ranks)) return;
    all([&](Rank) { return Collective::allgather(group, parts, vectors_.send, vectors_.receive); });
    run("allgather", bytes);
    all([&](Rank) { return Collective::alltoall(group, bytes, vectors_.send, vectors_.receive); });
    run("alltoall", bytes);
    all([&](Rank root) { return Collective::gather(group, root, parts, vectors_.send, vectors_.receive); });
    run("gather", bytes);
    all([&](Rank root) { return Collective::scatter(group, root, parts, vectors_.send, vectors_.receive); });
    run("scatter", bytes);
  }

  void measure_barrier() {
    each_root_.push_back(world_.must("barrier", Collective::barrier(world_.runtime().world())));
    run("barrier", 0);
  }

 private:
  // A block to each side of a periodic ring.
  void measure_ring(std::size_t bytes) {
    if (2 * bytes > vectors_.room) return;
    const polder::GridDimension ring{std::size_t(world_.size()), true};
    auto neighbours = world_.must("a ring", polder::Neighbours::grid(world_.runtime().world(), {&ring, 1}));
    world_.must("a ring", neighbours.commit(kPatience));
    each_root_.push_back(
        world_.must("neighbours", Collective::neighbour_alltoall(neighbours, bytes, vectors_.send, vectors_.receive)));
    run("neighbours", bytes);
  }

  void run(const std::string& kind, std::size_t bytes) {
    if (arguments_.takes(kind)) time(kind, bytes);
    each_root_.clear();
  }

  void time(const std::string& kind, std::size_t bytes) {
    // In many kinds rank 0 waits for nobody: with long vectors, of which few fill a sample, its own time would say little.
    const auto ranks = std::size_t(world_.size());
    const auto all = [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        if (arguments_.written) write(kind, bytes_sent(kind, bytes, ranks, i % ranks == std::size_t(world_.rank())));
        world_.must("a collective", each_root_[i % each_root_.size()].run(kPatience));
      }
    };
    const auto samples = sample(world_, arguments_.plan, all, Timed::span);
    if (world_.rank() == 0)
      report({.name = "coll_" + kind + suffix_, .ranks = world_.size(), .size = bytes, .samples = samples});
  }

  void write(const std::string& kind, std::size_t bytes) {
    auto* const words = reinterpret_cast<double*>(kind == "bcast" ? vectors_.receive : vectors_.send);
    std::fill_n(words, bytes / sizeof(double), 1.0);
  }

  PolderWorld& world_;
  const Arguments& arguments_;
  const Vectors vectors_;
  const std::string suffix_;
  std::vector<Collective> each_root_;
};

}  // namespace

// First over private memory, as MPI does it; then, as "_segment", over memory that the others can load and store.
void measure_collectives(PolderWorld& world, const Arguments& arguments) {
  const auto sizes = arguments.sizes_or({8, 4096, 65536, 1 << 20, 16 << 20});
  const std::size_t room = room_for_blocks(sizes, std::size_t(world.size()));
  std::vector<std::byte> send(room), receive(room);
  Kinds own(world, arguments, {send.data(), receive.data(), room}, "");
  own.measure_barrier();
  for (const std::size_t bytes : sizes) own.measure(bytes);
  const SharedSegment segment(world, 2 * room);
  Kinds shared(world, arguments, {segment.mine(), segment.mine() + room, room}, "_segment");
  for (const std::size_t bytes : sizes) shared.measure(bytes);
}

void measure_alltoall(PolderWorld& world, const Arguments& arguments) {
  const auto sizes = arguments.sizes_or({2048, 4096, 8192, 16384, 32768, 65536});
  const std::size_t room = sizes.back() * std::size_t(world.size());
  std::vector<std::byte> send(room), receive(room);
  for (const std::size_t bytes : sizes) {
    Collective each =
        world.must("alltoall", Collective::alltoall(world.runtime().world(), bytes, send.data(), receive.data()));
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) world.must("alltoall", each.run(kPatience));
    });
    if (world.rank() == 0) report({.name = "alltoall", .ranks = world.size(), .size = bytes, .samples = samples});
  }
}

}  // namespace bench
