// Ranks anywhere, started by any launcher: bench-mapping step. One step of the 3-D stencil in the launcher's order of ranks and in that
// of polder::map(). bench/mapping_hosts.py starts it on hosts with unequal links.
#include "common/menu.hpp"
#include "common/report.hpp"
#include "mapping/step.hpp"

#include <polder/containers/cartesian.hpp>
#include <polder/group.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>

namespace bench {
namespace {

constexpr polder::Timeout kMappingPatience = std::chrono::seconds(60);

// Rank 0 waits for its neighbours only: over some steps these have waited for theirs.
Plan of_coupled(const Arguments& arguments) {
  Plan plan = arguments.plan;
  if (!arguments.quick) plan.min_iterations = std::max<std::uint64_t>(plan.min_iterations, 4);
  return plan;
}

void report_steps(polder::Runtime& runtime, polder::Group& group, const polder::CommunicationPattern& pattern,
                  const Arguments& arguments, const std::string& name) {
  const auto sizes = arguments.sizes_or({1, 1 << 10, 1 << 16, 1 << 18});
  GridStep step(runtime, group, pattern, *std::max_element(sizes.begin(), sizes.end()));
  for (const std::size_t bytes : sizes) {
    const auto samples = sample(step, of_coupled(arguments), [&](std::uint64_t iterations) {
      for (std::uint64_t i = 0; i < iterations; ++i) step.run(bytes);
    });
    if (step.rank() == 0) report({.name = name, .ranks = step.size(), .size = bytes, .samples = samples});
  }
}

void print_cost(const polder::CommunicationPattern& pattern, const polder::Topology& topology,
                const std::vector<polder::Rank>& order, const char* name) {
  const auto cost = polder::mapping_cost(pattern, topology, order);
  ensure(cost.status(), "the cost of an order");
  std::fprintf(stderr,
               "%s: %.1f hop-bytes, %.0f pairs of neighbours in different racks, %.0f on different hosts of one\n",
               name, cost->hop_bytes, topology.spec().network_levels > 1 ? cost->parted[0] : 0,
               cost->parted[topology.spec().network_levels - 1]);
}

void measure_steps(polder::Runtime& runtime, const Arguments& arguments) {
  polder::Group& world = runtime.world();
  const std::size_t ranks = runtime.size();
  const auto extents = polder::containers::square_grid<3>({ranks, ranks, ranks}, ranks);
  polder::GridSpec grid;
  grid.extents.assign(extents.rbegin(), extents.rend());
  const auto pattern = polder::grid_pattern(grid);
  ensure(pattern.status(), "the grid");
  const auto topology = polder::gather_topology(runtime, world, kMappingPatience);
  ensure(topology.status(), "where ranks are");
  const auto order = polder::map(*pattern, *topology);
  ensure(order.status(), "mapping");
  auto group = polder::create_mapped_group(runtime, world, *order, kMappingPatience);
  ensure(group.status(), "the mapped group");
  ensure((*group)->commit(kMappingPatience), "the mapped group");
  if (runtime.rank() == 0) {
    std::vector<polder::Rank> launcher(ranks);
    std::iota(launcher.begin(), launcher.end(), polder::Rank{0});
    std::fprintf(stderr, "grid %ux%ux%u\n", grid.extents[0], grid.extents[1], grid.extents[2]);
    print_cost(*pattern, *topology, launcher, "launcher");
    print_cost(*pattern, *topology, *order, "mapped");
  }
  report_steps(runtime, world, *pattern, arguments, "step_launcher");
  report_steps(runtime, **group, *pattern, arguments, "step_mapped");
}

constexpr MenuItem<polder::Runtime> kMenu[] = {
    {"step", measure_steps, "each rank puts to its neighbours in a grid, in the launcher's order of ranks and mapped"},
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bench::Arguments arguments = bench::parse_arguments(argc, argv);
  auto runtime = polder::Runtime::create();
  bench::ensure(runtime.status(), "joining the job");
  return bench::run_menu<polder::Runtime>(bench::kMenu, **runtime, arguments);
}
