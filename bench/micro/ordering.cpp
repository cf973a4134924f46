// What order costs, after figure 7 of the OSPRI paper: a small put, then a get, until the get is here. A strict get
// waits for the put if both touch the same bytes; a partial one never does. On memory that is loaded and stored all are
// the same, so the same measurement is also taken over a simulated network, where an operation takes 50 us each way.
#include "micro/measurements.hpp"
#include "micro/shared_segment.hpp"

#include <polder/simulate.hpp>

#include <string>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t kPutBytes = 8;
const std::vector<std::size_t> kSizes = {8, 64, 512, 4 << 10, 16 << 10};

struct Kind {
  const char* name;
  polder::Ordering ordering;
  bool elsewhere;  // the get touches other bytes than the put
};

constexpr Kind kKinds[] = {{"get_partial", polder::Ordering::partial, false},
                           {"get_strict", polder::Ordering::strict, false},
                           {"get_strict_elsewhere", polder::Ordering::strict, true}};

void measure_kinds(PolderWorld& world, const Arguments& arguments, const std::string& prefix) {
  for (const std::size_t size : arguments.sizes_or(kSizes)) {
    SharedSegment segment(world, 2 * size + 64);
    std::vector<std::byte> buffer(size);
    const std::uint64_t word = 1;
    for (const Kind& kind : kKinds) {
      polder::Runtime& rt = world.runtime();
      const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
        if (world.rank() != 0) return;
        for (std::uint64_t i = 0; i < iterations; ++i) {
          polder::Post post(kPatience);
          post.ordering = kind.ordering;
          world.must("put", rt.put(&word, segment.at(1), kPutBytes, post));
          post.until = polder::Until::local;
          world.must("get", rt.get(buffer.data(), segment.at(1, kind.elsewhere ? size + 64 : 0), size, post));
        }
        world.must("fence", rt.fence_all(kPatience));
      });
      const std::string name = prefix + kind.name;
      if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = size, .samples = samples});
    }
  }
}

}  // namespace

void measure_ordering(PolderWorld& world, const Arguments& arguments) {
  measure_kinds(world, arguments, "");
  if (world.rank() == 0) {
    polder::SimulationOptions network{.device = polder::SimulatedDevice::network};
    network.min_delay_ns = network.max_delay_ns = 50'000;
    polder::Simulation job(2, network);
    world.must("simulate", job.run([&](polder::Runtime& rt) {
      PolderWorld simulated(rt);
      measure_kinds(simulated, arguments, "sim_");
    }));
  }
  world.barrier();
}

}  // namespace bench
