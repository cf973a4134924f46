// `polder simulate`: collectives in virtual time, of up to some hundred thousand ranks, by the code that programs run.
#include "coll/model/prediction.hpp"
#include "command.hpp"
#include "launch/run_options.hpp"
#include "quantities.hpp"
#include "simulate/curves.hpp"
#include "simulate/words.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace polder::cli {
namespace {

// The chosen algorithm, one that was named, or all that can serve the call.
Result<std::vector<coll::Algorithm>> algorithms_for(const coll::ModelCall& call, const std::string& wanted) {
  const coll::Choice choice = choice_of(call);
  if (wanted.empty()) return std::vector{coll::Table::of_environment().choose(choice)};
  std::vector<coll::Algorithm> all;
  for (const coll::Algorithm each : coll::Table::all_for(choice))
    if (runs_over_wire(each) && (wanted == "all" || wanted == to_string(each))) all.push_back(each);
  if (all.empty())
    return wrong_simulation(fmt::format("no {} by '{}' for {} ranks; there are those of `polder info collectives`",
                                        to_string(call.kind), wanted, call.members));
  return all;
}

constexpr std::string_view kHeads[] = {"ranks",    "bytes",    "algorithm", "us",       "rounds", "letters",
                                       "MB moved", "B a rank", "last",      "links us", "dead",   "hanging"};

constexpr std::size_t kAlgorithmColumn = 2;

std::vector<std::string> cells_of(const coll::ModelCall& call, coll::Algorithm algorithm,
                                  const coll::FlowOutcome& outcome) {
  std::vector<std::string> cells = cells_of_flow(outcome, call.members);
  cells.insert(cells.begin(), {fmt::format("{}", call.members), print_bytes(call.bytes),
                               std::string(to_string(algorithm)), fmt::format("{:.2f}", outcome.time)});
  cells.push_back(fmt::format("{}", outcome.hanging));
  return cells;
}

// Options of other kinds.
Status check_options(const SimulateWords& words) {
  const bool is_eventual = words.kind.starts_with(kEventualPrefix), is_stale = words.kind == kStaleName;
  const bool has_eventual = !words.data.empty() || !words.members.empty() || !words.leave_out.empty() ||
                            !words.way.empty() || words.weight >= 0 || words.deadline >= 0 ||
                            !words.then_data.empty() || !words.then_members.empty();
  const bool has_stale = !words.slack.empty() || !words.shape.empty() || !words.stragglers.empty() ||
                         words.calls != 0 || words.cells != 0 || words.compute >= 0 || words.flush;
  if (has_eventual && !is_eventual)
    return wrong_simulation(
        "--data, --members, --leave-out, --way, --weight, --deadline and --then-... are of eventual-broadcast, "
        "eventual-reduce and eventual-allreduce");
  if (has_stale && !is_stale)
    return wrong_simulation("--slack, --shape, --cells, --calls, --compute, --stragglers and --flush are of ssp");
  if (!words.graph.empty() && words.kind != to_string(coll::Kind::neighbours))
    return wrong_simulation("--graph is of neighbours");
  if (!words.algorithm.empty() && (is_eventual || is_stale))
    return wrong_simulation(words.kind + " has no --algorithm to choose from");
  return {};
}

// Of neighbours; else none.
Result<coll::NeighbourGraph> graph_of(const SimulateWords& words, Rank ranks) {
  if (words.kind != to_string(coll::Kind::neighbours)) return coll::NeighbourGraph::ring(1);
  return coll::NeighbourGraph::read(words.graph.empty() ? "ring" : words.graph, ranks, words.seed);
}

int simulate(const SimulateWords& words) {
  if (Status status = check_options(words); !status.ok()) return refuse_simulation(status);
  if (words.kind.starts_with(kEventualPrefix)) return simulate_eventual(words);
  if (words.kind == kStaleName) return simulate_stale(words);
  const auto kind = coll::kind_of(words.kind);
  if (!kind) return refuse_simulation(wrong_simulation("there is no collective '" + words.kind + "'"));
  const auto sizes = read_sizes(words.bytes), counts = read_counts(words.ranks, kMostSimulated);
  if (!sizes) return refuse_simulation(sizes.status());
  if (!counts) return refuse_simulation(counts.status());
  Curves curves(fmt::format("{} over {}", words.kind, words.network), counts->size() > 1 && sizes->size() == 1);
  print_simulated({std::begin(kHeads), std::end(kHeads)}, kAlgorithmColumn, words.csv);
  for (const std::size_t ranks : *counts) {
    SimulatedNetwork network;
    if (Status status = read_network(words, Rank(ranks), network); !status.ok()) return refuse_simulation(status);
    if (words.root >= ranks)
      return refuse_simulation(wrong_simulation(fmt::format("--root {}: there are {} ranks", words.root, ranks)));
    if (network.interconnect && !words.csv) fmt::print("# {}\n", network.interconnect->describe());
    const auto graph = graph_of(words, Rank(ranks));
    if (!graph) return refuse_simulation(wrong_simulation("--graph " + std::string(graph.status().message())));
    for (const std::size_t bytes : *sizes) {
      const coll::ModelCall call{*kind, Rank(ranks), bytes, words.root, &*graph};
      const auto algorithms = algorithms_for(call, words.algorithm);
      if (!algorithms) return refuse_simulation(algorithms.status());
      for (const coll::Algorithm algorithm : *algorithms) {
        const auto outcome = predict(call, algorithm, network.options.flow);
        if (!outcome) return refuse_simulation(outcome.status());
        print_simulated(cells_of(call, algorithm, *outcome), kAlgorithmColumn, words.csv);
        const std::string curve = counts->size() > 1 && sizes->size() > 1
                                      ? fmt::format("{} of {}", to_string(algorithm), ranks)
                                      : std::string(to_string(algorithm));
        curves.add(words.algorithm.empty() ? fmt::format("{} ranks", ranks) : curve, ranks, bytes, outcome->time);
      }
    }
  }
  if (words.plot.empty()) return 0;
  const Status status = curves.write(words.plot);
  return status.ok() ? 0 : refuse_simulation(status);
}

constexpr double kLongTime = 1e9;  // us

void add_network_options(CLI::App& app, SimulateWords& words) {
  const auto positive = CLI::Range(0.0, kLongTime);
  app.add_option("--network", words.network,
                 "ideal, crossbar, fat_tree[:PORTS], dragonfly[:H] or torus[:XxYxZ] (default: ideal)");
  app.add_option("--per-node", words.per_node, "ranks of a node, which share its link (default: 1)")
      ->check(CLI::Range(1, 100000));
  app.add_option("--latency", words.loggp.latency, "L: of a way, us (default: 1.5)")->check(positive);
  app.add_option("--overhead", words.loggp.overhead, "o: of a core at each end of a letter, us (default: 0.3)")
      ->check(positive);
  app.add_option("--gap", words.loggp.gap, "g: between two letters of a rank, us (default: 0)")->check(positive);
  app.add_option("--bandwidth", words.bandwidth, "1/G: of a link, GB/s (default: 12.5)")->check(CLI::Range(1e-6, 1e6));
  app.add_option("--combining", words.loggp.combining, "of a byte, us (default: 2e-5)")->check(positive);
  app.add_option("--hop", words.hop, "of a link of a --network, us (default: 0.1)")->check(positive);
  app.add_option("--noise", words.noise, "P:US: with probability P a letter takes an exponential US more of a core");
  app.add_option("--late", words.spread, "ranks enter anywhere within so many us")->check(positive);
  app.add_option("--kill", words.deaths, "RANK[@US]: it stops then; may be repeated");
  app.add_option("--heard", words.heard, "of eventual-... and ssp: us until all know of it (default: 100)")
      ->check(positive);
  app.add_option("--seed", words.seed, "of noise, stragglers, late entries and random graphs (default: 1)");
}

void add_eventual_options(CLI::App& app, SimulateWords& words) {
  CLI::Option_group& group = *app.add_option_group("of eventual-...");
  const auto positive = CLI::Range(0.0, kLongTime);
  group.add_option("--data", words.data,
                   "shares of the elements that are enough: 25%, 0.25, or a list (default: 100%)");
  group.add_option("--members", words.members, "shares of the members, likewise (default: 100%)");
  group.add_option("--then-data", words.then_data, "a share to which the operation is enhanced when it is over");
  group.add_option("--then-members", words.then_members, "likewise (default of each, where the other is given: 100%)");
  group.add_option("--leave-out", words.leave_out, "late (whoever comes last; default) or stages (of a binomial tree)");
  group.add_option("--way", words.way,
                   "fastest (default), flat, binomial or slices, where all that count have to come");
  group.add_option("--weight", words.weight, "enough is also this sum of weights, of which each rank has 1")
      ->check(positive);
  group.add_option("--deadline", words.deadline, "us since a rank has entered, after which what has come is enough")
      ->check(positive);
}

void add_stale_options(CLI::App& app, SimulateWords& words) {
  CLI::Option_group& group = *app.add_option_group("of ssp");
  const auto positive = CLI::Range(0.0, kLongTime);
  group.add_option("--slack", words.slack, "calls by which others may be behind, or a list (default: 8)");
  group.add_option("--shape", words.shape, "hypercube (default), flat or sharded, or a list");
  group.add_option("--cells", words.cells, "totals under way from a rank to another, 2 to 64 (default: 4)");
  group.add_option("--calls", words.calls, "of each rank (default: 10)")->check(CLI::Range(1, 1000000));
  group.add_option("--compute", words.compute, "us before each call (default: 0)")->check(positive);
  group.add_option("--stragglers", words.stragglers,
                   "P:US: with probability P a rank computes an exponential US more before a call");
  group.add_flag("--flush", words.flush, "behind its calls each rank flushes");
}

}  // namespace

int simulate_command(const Arguments& arguments) {
  CLI::App app(
      "Runs a collective in virtual time, by the code that programs run, and prints what it takes.\n"
      "Ranges: 8..64M doubles sizes, 2..300000 doubles ranks; 1k,3k,5k is a list.",
      "polder simulate");
  SimulateWords words;
  app.add_option(
         "COLLECTIVE", words.kind,
         "one of `polder info collectives`, eventual-broadcast, eventual-reduce, eventual-allreduce, or ssp, the "
         "stale-synchronous allreduce")
      ->required();
  app.add_option("BYTES", words.bytes,
                 "of a rank's vector, of all parts, or of a block of an alltoall, as in 64k (default: 8)");
  app.add_option("-n,--ranks", words.ranks, "how many, up to 1000000 (default: 16)");
  app.add_option("--algorithm", words.algorithm, "by name, or all (default: what the table chooses)");
  app.add_option("--root", words.root, "of rooted collectives");
  app.add_option("--graph", words.graph,
                 "of neighbours: ring (default), grid:8x8, torus:8x8, stencil:4x4x4 (a torus with its corners) or "
                 "random:DEGREE");
  add_network_options(app, words);
  add_eventual_options(app, words);
  add_stale_options(app, words);
  app.add_option("--plot", words.plot, "the curves, as SVG")->option_text("FILE");
  app.add_flag("--csv", words.csv, "values with commas between them");
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  return simulate(words);
}

}  // namespace polder::cli
