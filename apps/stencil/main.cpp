// stencil: the heat equation in two or three dimensions by many ranks.
#include "heat.hpp"

#include "common/command_line.hpp"

#include <polder/runtime.hpp>
#include <polder/topology.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct HeatOptions {
  std::vector<std::size_t> extents;
  std::size_t steps = 100;
  double timeout = 60;
  bool periodic = false, no_overlap = false, check = false, map = false;
};

// Blocks that are neighbours go to ranks that are near each other: a group numbered so. Collective.
template <std::size_t N>
std::unique_ptr<polder::Group> mapped_group(const HeatOptions& options, const polder::containers::Team& team) {
  polder::containers::Index<N> extents{};
  std::copy_n(options.extents.begin(), N, extents.begin());
  const auto grid = polder::containers::square_grid(extents, team.units());
  const auto pattern =
      team.take(polder::grid_pattern({.extents = {grid.begin(), grid.end()}, .periodic = options.periodic}),
                "the grid of blocks");
  const auto machine = team.take(polder::gather_topology(team.runtime(), team.group(), team.timeout()), "the machine");
  const auto order = team.take(polder::map(pattern, machine), "the mapping");
  auto group = team.take(polder::create_mapped_group(team.runtime(), team.group(), order, team.timeout()), "the group");
  team.check(group->commit(team.timeout()), "the commit of the mapped group");
  std::vector<polder::Rank> given(order.size());
  std::iota(given.begin(), given.end(), polder::Rank{0});
  if (team.unit() == 0)
    std::printf("blocks of a grid of %s: hop-bytes %.1f in the launcher's order, %.1f mapped\n",
                polder::containers::to_string(grid).c_str(),
                team.take(polder::mapping_cost(pattern, machine, given), "the launcher's order").hop_bytes,
                team.take(polder::mapping_cost(pattern, machine, order), "the mapped order").hop_bytes);
  return group;
}

template <std::size_t N>
int run(const HeatOptions& options, const polder::containers::Team& team) {
  stencil::HeatProblem<N> problem;
  std::copy_n(options.extents.begin(), N, problem.extents.begin());
  problem.steps = options.steps;
  problem.periodic = options.periodic;
  team.barrier();
  const auto begin = std::chrono::steady_clock::now();
  const stencil::HeatPart<N> part = stencil::solve(team, problem, !options.no_overlap);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t wrong = options.check ? stencil::differences(part, problem) : 0;
  for (const std::uint64_t of_unit : team.gather(wrong, "comparison")) wrong = std::max(wrong, of_unit);
  if (team.unit() == 0)
    std::printf("%zu steps of %s elements by %zu ranks: %.3f s, %.1f steps/s%s\n", problem.steps,
                polder::containers::to_string(problem.extents).c_str(), team.units(), seconds,
                double(problem.steps) / seconds,
                !options.check ? ""
                : wrong == 0   ? ", equal to a serial run"
                               : ", NOT equal to a serial run");
  return wrong == 0 ? 0 : 3;
}

int join_and_run(const HeatOptions& options) {
  polder::Result<std::unique_ptr<polder::Runtime>> runtime = polder::Runtime::create();
  if (!runtime.ok()) {
    std::fprintf(stderr, "stencil: %s\n", runtime.status().to_string().c_str());
    return 1;
  }
  try {
    const polder::containers::Team all(**runtime, (*runtime)->world(), std::chrono::duration<double>(options.timeout));
    const bool plane = options.extents.size() == 2;
    if (!options.map) return plane ? run<2>(options, all) : run<3>(options, all);
    const auto group = plane ? mapped_group<2>(options, all) : mapped_group<3>(options, all);
    const polder::containers::Team mapped(**runtime, *group, all.timeout());
    return plane ? run<2>(options, mapped) : run<3>(options, mapped);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stencil: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The heat equation on a grid of two or three dimensions, a block a rank");
  app.footer(
      "polder run -n 4 stencil 2000 2000 --steps 500\npolder run -n 4 stencil 60 50 40 --periodic --check\n\n"
      "Exit code: 0 all is well, 1 an error, 2 a wrong command line, 3 the result differs from a serial run.");
  HeatOptions options;
  app.add_option("extents", options.extents, "elements along each dimension")->required()->expected(2, 3);
  app.add_option("--steps", options.steps, "time steps")->capture_default_str();
  app.add_option("--timeout", options.timeout, "seconds that a rank waits for others")
      ->check(apps::between(0.001, 1e6))
      ->capture_default_str();
  app.add_flag("--periodic", options.periodic, "what leaves at one edge enters at the other; else edges are held at 0");
  app.add_flag("--no-overlap", options.no_overlap, "all elements after the exchange, to compare");
  app.add_flag("--map", options.map, "ranks that are near each other in the machine get blocks beside each other");
  app.add_flag("--check", options.check, "compare with a serial run, which each rank makes");
  if (const std::optional<int> code = apps::parse(app, argc, argv)) return *code;
  return join_and_run(options);
}
