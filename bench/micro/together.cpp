#include "common/cores.hpp"
#include "common/work.hpp"
#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <polder/collective.hpp>

#include <vector>

namespace bench {
namespace {

constexpr std::int64_t kStepWork = 100'000;  // ns, as in bench/peers

// Flags of this rank, told by others.
class Flags {
 public:
  explicit Flags(PolderWorld& world) : world_(world), segment_(world, 8) {}

  void tell(int rank, int flag) {
    world_.must("notify",
                world_.runtime().notify(polder::Rank(rank), SharedSegment::kId, {.id = polder::NotificationId(flag)}));
  }
  // Waits for any flag of first .. first+count-1 and takes it down.
  void await(int first, int count = 1) {
    auto& rt = world_.runtime();
    const auto id = world_.must("wait_some", rt.wait_some(SharedSegment::kId, polder::NotificationId(first),
                                                          polder::NotificationId(count), kPatience));
    world_.must("reset", rt.reset(SharedSegment::kId, id));
  }

 private:
  PolderWorld& world_;
  SharedSegment segment_;
};

}  // namespace

void measure_barrier(PolderWorld& world, const Arguments& arguments) {
  const auto samples = sample(world, of_many(arguments.plan, world.size()), [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) world.barrier();
  });
  if (world.rank() == 0) report({.name = "barrier", .ranks = world.size(), .samples = samples});
}

void measure_one_core(PolderWorld& world, const Arguments& arguments) {
  int core = usable_cores().front();  // of rank 0, for all
  world.must("broadcast", polder::broadcast(world.runtime().world(), 0, &core, sizeof core, kPatience));
  pin_to(core);
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) world.barrier();
  });
  if (world.rank() == 0) report({.name = "one_core", .ranks = world.size(), .samples = samples});
}

void measure_step(PolderWorld& world, const Arguments& arguments) {
  const Work work(kStepWork);
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      work.run();
      world.barrier();
    }
  });
  if (world.rank() == 0) report({.name = "step", .ranks = world.size(), .samples = samples});
}

void measure_ring(PolderWorld& world, const Arguments& arguments) {
  Flags flags(world);
  const int next = (world.rank() + 1) % world.size();
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (world.rank() == 0) flags.tell(next, 0);
      flags.await(0);
      if (world.rank() != 0) flags.tell(next, 0);
    }
  });
  if (world.rank() == 0) report({.name = "ring", .ranks = world.size(), .size = 8, .samples = samples});
}

void measure_fan_in(PolderWorld& world, const Arguments& arguments) {
  Flags flags(world);
  const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      if (world.rank() != 0) {
        flags.tell(0, world.rank());
        flags.await(0);
      } else {
        for (int rank = 1; rank < world.size(); ++rank) flags.await(1, world.size() - 1);
        for (int rank = 1; rank < world.size(); ++rank) flags.tell(rank, 0);
      }
    }
  });
  if (world.rank() == 0) report({.name = "fan_in", .ranks = world.size(), .size = 8, .samples = samples});
}

void measure_allreduce(PolderWorld& world, const Arguments& arguments) {
  for (const std::size_t size : arguments.sizes_or({8, 64, 512, 2040})) {
    const std::vector<double> mine(size / sizeof(double), 1.0);
    std::vector<double> sum(mine.size());
    const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i)
        world.must("allreduce",
                   polder::allreduce(world.runtime().world(), polder::Reduction::sum, polder::DataType::float64,
                                     mine.data(), sum.data(), mine.size(), kPatience));
    });
    if (world.rank() == 0) report({.name = "allreduce", .ranks = world.size(), .size = size, .samples = samples});
  }
}

void measure_empty(PolderWorld&, const Arguments&) {}

}  // namespace bench
