// The stale-synchronous allreduce without slack beside the consistent allreduce, over the same private vectors; alone, and
// with what its users do next and a stale-synchronous one has done: the sum is added to what was there.
#include "micro/measurements.hpp"

#include <polder/collective.hpp>
#include <polder/stale.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace bench {

using polder::Collective;
using polder::Stale;
using polder::StaleShape;

void measure_stale(PolderWorld& world, const Arguments& arguments) {
  polder::Group& group = world.runtime().world();
  for (const std::size_t bytes : arguments.sizes_or({8, 4096, 65536, 1 << 20, 8 << 20})) {
    const auto sum = world.must(
        "reduction", polder::reduction(polder::Reduction::sum, polder::DataType::float64, bytes / sizeof(double)));
    const std::vector<double> step(sum.count, 1e-3);
    std::vector<double> all(sum.count), model(sum.count);
    const auto time = [&](const char* name, auto&& call) {
      const auto samples = sample(world, arguments.plan, [&](std::uint64_t iterations) {
        for (std::uint64_t i = 0; i < iterations; ++i) call();
      });
      if (world.rank() == 0) report({.name = name, .ranks = world.size(), .size = bytes, .samples = samples});
    };
    Collective allreduce = world.must("allreduce", Collective::allreduce(group, sum, step.data(), all.data()));
    time("stale_consistent", [&] { world.must("allreduce", allreduce.run(kPatience)); });
    time("stale_consistent_added", [&] {
      world.must("allreduce", allreduce.run(kPatience));
      for (std::size_t i = 0; i < model.size(); ++i) model[i] += all[i];
    });
    constexpr std::pair<StaleShape, const char*> kShapes[] = {{StaleShape::hypercube, "stale_hypercube"},
                                                              {StaleShape::flat, "stale_flat"},
                                                              {StaleShape::sharded, "stale_sharded"}};
    for (const auto& [shape, name] : kShapes) {
      const auto stale = world.must("a stale allreduce", Stale::create(group, {sum, shape}, kPatience));
      time(name,
           [&] { world.must("allreduce_ssp", stale->allreduce_ssp(step.data(), all.data(), 0, kPatience).status()); });
    }
  }
}

}  // namespace bench
