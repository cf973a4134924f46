// `polder topology`: a machine, a pattern, and the order of units that brings them together, beside others.
#include <polder/topology.hpp>

#include "command.hpp"
#include "launch/run_options.hpp"
#include "matrix_file.hpp"
#include "topology/picture.hpp"
#include "topology/stencil_time.hpp"
#include "trace/analyse/analysis.hpp"
#include "util/random.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <chrono>
#include <numeric>
#include <sstream>

namespace polder::cli {
namespace {

struct TopologyWords {
  ModelSpec model;
  std::string grid, matrix, trace, switches, svg;
  std::vector<std::string> hosts, compare;
  std::vector<std::size_t> bytes;
  Rank here = 0;
  bool periodic = false, csv = false, order = false, coordinates = false;
};

constexpr Rank kMostUnitsHere = 65535;  // ranks that polder run starts

Status wrong_words(const std::string& what) {
  return {Code::invalid_argument, what};
}

Result<Topology> machine_of(const TopologyWords& words) {
  if (words.here != 0) return here_topology(words.here);
  if (words.switches.empty()) return model_topology(words.model);
  const auto conf = whole_file(words.switches);
  if (!conf.ok()) return conf.status();
  return switch_topology(*conf, words.hosts, words.model.per_node);
}

// "24x24x16".
Status read_extents(std::string_view text, std::vector<std::uint32_t>& extents) {
  const std::string all(text);
  for (;;) {
    const std::string_view word = text.substr(0, text.find('x'));
    std::uint32_t extent = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), extent);
    if (error != std::errc() || end != word.data() + word.size())
      return wrong_words("--grid " + all + ": extents as in 24x24x16");
    extents.push_back(extent);
    if (word.size() == text.size()) return {};
    text.remove_prefix(word.size() + 1);
  }
}

// What ranks of a traced job sent to each other.
Result<CommunicationPattern> traced_pattern(const std::string& directory) {
  const auto analysis = trace::analyse_directory(directory);
  if (!analysis.ok()) return wrong_words(std::string(analysis.status().message()));  // a folder that the user named
  std::vector<PlaceTraffic> traffic;
  for (const auto& [pair, sum] : analysis->traffic)
    traffic.push_back({pair.first, pair.second, double(sum.bytes), double(sum.messages)});
  return traffic_pattern(analysis->ranks, traffic);
}

Result<CommunicationPattern> pattern_of(const TopologyWords& words, Rank units) {
  if (!words.matrix.empty()) return read_matrix_file(words.matrix);
  if (!words.trace.empty()) return traced_pattern(words.trace);
  GridSpec grid{{units}, words.periodic, 1};
  if (!words.grid.empty()) {
    grid.extents.clear();
    if (Status status = read_extents(words.grid, grid.extents); !status.ok()) return status;
  }
  return grid_pattern(grid);
}

std::vector<Rank> shuffled(Rank units, std::uint64_t seed) {
  std::vector<Rank> order(units);
  std::iota(order.begin(), order.end(), Rank{0});
  util::Random random(seed);
  for (Rank i = units; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

void print_machine(const Topology& topology) {
  fmt::print("{} units\n\n{:<12} {:>10} {:>10} {:>8}\n", topology.units(), "level", "in use", "distance", "cables");
  for (std::size_t l = 0; l < topology.spec().levels.size(); ++l) {
    const MachineLevel& level = topology.spec().levels[l];
    fmt::print("{:<12} {:>10} {:>10} {:>8}\n", level.name, branches_in_use(topology, l), level.distance,
               l < topology.spec().network_levels ? fmt::format("{}", level.links) : "");
  }
  fmt::print("\n");
}

struct TopologyTable {
  const CommunicationPattern& pattern;
  const Topology& topology;
  const std::vector<std::size_t>& bytes;
  bool csv;

  void head() const {
    fmt::print(
        fmt::runtime(csv ? "order,hop_bytes,busiest,between_nodes,seconds" : "{:<10} {:>14} {:>14} {:>16} {:>10}"),
        "order", "hop-bytes", "busiest cable", "between nodes", "seconds");
    for (const std::size_t size : bytes)
      fmt::print(fmt::runtime(csv ? ",us_{}" : " {:>12}"), csv ? fmt::to_string(size) : fmt::format("us, {} B", size));
    fmt::print("\n");
  }

  Status row(const std::string& name, std::span<const Rank> order, double seconds) const {
    const auto cost = mapping_cost(pattern, topology, order);
    if (!cost.ok()) return cost.status();
    const auto network = std::ptrdiff_t(topology.spec().network_levels);
    const double between = std::accumulate(cost->parted.begin(), cost->parted.begin() + network, 0.0);
    fmt::print(fmt::runtime(csv ? "{},{},{},{},{:.3f}" : "{:<10} {:>14.1f} {:>14.2f} {:>16.1f} {:>10.3f}"), name,
               cost->hop_bytes, cost->busiest, between, seconds);
    for (const std::size_t size : bytes)
      fmt::print(fmt::runtime(csv ? ",{:.2f}" : " {:>12.2f}"), stencil_time(pattern, topology, order, size));
    fmt::print("\n");
    return {};
  }
};

// A unit a line, as --order prints them.
Result<std::vector<Rank>> read_order(const std::string& path) {
  const auto text = whole_file(path);
  if (!text.ok()) return text.status();
  std::istringstream file(*text);
  std::vector<Rank> order;
  for (Rank unit = 0; file >> unit;) order.push_back(unit);
  if (!file.eof()) return wrong_words(fmt::format("{}: line {} is no unit", path, order.size() + 1));
  return order;
}

Status print_orders(const TopologyWords& words, const TopologyTable& table, std::span<const Rank> mapped,
                    double seconds) {
  const Rank units = table.topology.units();
  std::vector<Rank> launcher(units);
  std::iota(launcher.begin(), launcher.end(), Rank{0});
  table.head();
  Status status = table.row("launcher", launcher, 0);
  if (status.ok()) status = table.row("random", shuffled(units, words.model.seed), 0);
  if (status.ok()) status = table.row("mapped", mapped, seconds);
  for (const std::string& path : words.compare) {
    if (!status.ok()) return status;
    const auto order = read_order(path);
    status = order.ok() ? table.row(path.substr(path.rfind('/') + 1), *order, 0) : order.status();
  }
  return status;
}

void print_coordinates(const Topology& topology) {
  std::vector<std::string> names;
  for (const MachineLevel& level : topology.spec().levels) names.push_back(level.name);
  fmt::print("{}\n", fmt::join(names, ","));
  for (Rank unit = 0; unit < topology.units(); ++unit) fmt::print("{}\n", fmt::join(topology.at(unit), ","));
}

Status show_topology(const TopologyWords& words) {
  const auto topology = machine_of(words);
  if (!topology.ok()) return topology.status();
  if (words.coordinates) return print_coordinates(*topology), Status();
  const auto pattern = pattern_of(words, topology->units());
  if (!pattern.ok()) return pattern.status();
  const auto begin = std::chrono::steady_clock::now();
  const auto order = map(*pattern, *topology);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (!order.ok()) return order.status();
  if (words.order) return fmt::print("{}\n", fmt::join(*order, "\n")), Status();
  if (!words.csv) print_machine(*topology);
  const Status status = print_orders(words, {*pattern, *topology, words.bytes, words.csv}, *order, took.count());
  if (!status.ok() || words.svg.empty()) return status;
  return write_picture(*pattern, *topology, *order, words.svg);
}

}  // namespace

int topology_command(const Arguments& arguments) {
  TopologyWords words;
  CLI::App app("Maps a grid or a communication matrix to a machine: distances, loads, the order, a picture.",
               "polder topology");
  app.add_option("--model", words.model.name, "aries, fat_tree:PORTS, dragonfly:GROUPSxROUTERSxNODES or torus:XxYxZ")
      ->capture_default_str();
  app.add_option("--nodes", words.model.nodes, "of the job")->capture_default_str();
  app.add_option("--per-node", words.model.per_node, "units on each")->capture_default_str();
  app.add_option("--units", words.model.units, "fewer than fit: the last nodes have less");
  app.add_option("--machine", words.model.machine, "nodes of the machine; the job has blocks of 1 to 16 of them");
  app.add_option("--seed", words.model.seed, "draws the blocks and the random order")->capture_default_str();
  app.add_option("--here", words.here,
                 "so many units on this machine, bound as polder run binds them, instead of a model")
      ->check(CLI::Range(Rank{1}, kMostUnitsHere));
  auto* file = app.add_option("--switches", words.switches, "a topology.conf of Slurm, instead of a model");
  app.add_option("--hosts", words.hosts, "names in it, with commas between, in the order of units")
      ->delimiter(',')
      ->needs(file);
  app.add_option("--grid", words.grid, "extents of the pattern, as in 24x24x16; else a line of all units");
  app.add_flag("--periodic", words.periodic, "the grid's ends meet");
  app.add_option("--matrix", words.matrix,
                 "CSV: row r, column c is what place r sends to c; or what polder trace stats --json printed")
      ->excludes("--grid");
  app.add_option("--trace", words.trace, "a folder of trace files: what its ranks sent to each other")
      ->excludes("--grid")
      ->excludes("--matrix");
  app.add_option("--bytes", words.bytes,
                 "sizes: time of a step in which each place puts so much to each neighbour, simulated")
      ->delimiter(',');
  app.add_option("--compare", words.compare, "files of other orders, a unit a line")->delimiter(',');
  app.add_option("--svg", words.svg, "write a picture of the mapped grid");
  app.add_flag("--csv", words.csv, "the table for programs");
  app.add_flag("--coordinates", words.coordinates,
               "nothing but where each unit is in the machine, a line each, as CSV");
  app.add_flag("--order", words.order, "nothing but the unit of each place, a line each");
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  const Status status = show_topology(words);
  if (status.ok()) return 0;
  fmt::print(stderr, "polder topology: {}\n", status.message());
  return status.code() == Code::system ? kExitLauncher : kExitUsage;
}

}  // namespace polder::cli
