// `polder simulate`: collectives in virtual time, of up to some hundred thousand ranks, by the code that programs run.
#include "coll/model/prediction.hpp"
#include "command.hpp"
#include "launch/run_options.hpp"
#include "quantities.hpp"
#include "simulate/curves.hpp"
#include "util/random.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace polder::cli {
namespace {

struct SimulateWords {
  std::string kind, bytes = "8", ranks = "16", algorithm, network = "ideal", plot, noise;
  coll::LogGP loggp;
  double bandwidth = 12.5, hop = 0.1, spread = 0;
  Rank per_node = 1, root = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> deaths;
  bool csv = false;
};

struct Model {
  coll::FlowOptions options;
  std::unique_ptr<coll::Interconnect> interconnect;
};

Status wrong(const std::string& what) {
  return {Code::invalid_argument, what};
}

Status read_noise(const std::string& word, coll::Noise& noise) {
  const auto colon = word.find(':');
  char* end = nullptr;
  noise.probability = std::strtod(word.c_str(), &end);
  if (colon == std::string::npos || end != word.c_str() + colon || !(noise.probability >= 0 && noise.probability <= 1))
    return wrong("--noise " + word + ": a probability, a colon and microseconds, as in 0.001:50");
  noise.mean = std::strtod(word.c_str() + colon + 1, &end);
  if (*end != '\0' || end == word.c_str() + colon + 1 || !(noise.mean >= 0 && noise.mean < 1e12))
    return wrong("--noise " + word + ": a probability, a colon and microseconds, as in 0.001:50");
  return {};
}

// "7" or "7@12.5".
Status read_death(const std::string& word, Rank ranks, std::vector<double>& dies) {
  char* end = nullptr;
  const unsigned long long rank = std::strtoull(word.c_str(), &end, 10);
  const double time = *end == '@' ? std::strtod(end + 1, &end) : 0;
  if (end == word.c_str() || *end != '\0' || word.front() == '-' || !(time >= 0))
    return wrong("--kill " + word + ": a rank, or RANK@MICROSECONDS");
  if (rank >= ranks) return wrong(fmt::format("--kill {}: there are {} ranks", word, ranks));
  dies[rank] = std::min(dies[rank], time);
  return {};
}

Status make_model(const SimulateWords& words, Rank ranks, Model& model) {
  coll::FlowOptions& options = model.options;
  options.network = words.loggp;
  options.network.per_byte = 1e-3 / words.bandwidth;
  options.per_node = words.per_node;
  options.noise.seed = words.seed;
  if (!words.noise.empty())
    if (Status status = read_noise(words.noise, options.noise); !status.ok()) return status;
  if (words.network == "ideal" && words.per_node > 1)
    return wrong("--per-node: ranks of a node share its link; say which --network it leads to");
  if (words.network != "ideal") {
    auto interconnect = coll::make_interconnect(words.network, (ranks - 1) / words.per_node + 1);
    if (!interconnect) return interconnect.status();
    model.interconnect = std::move(*interconnect);
    options.interconnect = model.interconnect.get();
    options.hop = words.hop;
  }
  if (words.spread > 0)
    options.begins = [seed = words.seed, spread = words.spread](Rank rank) {
      return util::Random(util::mix(seed) + rank).unit() * spread;
    };
  if (!words.deaths.empty()) {
    std::vector<double> dies(ranks, INFINITY);
    for (const std::string& death : words.deaths)
      if (Status status = read_death(death, ranks, dies); !status.ok()) return status;
    options.dies = [dies = std::move(dies)](Rank rank) { return dies[rank]; };
  }
  return {};
}

// The chosen algorithm, one that was named, or all that can serve the call.
Result<std::vector<coll::Algorithm>> algorithms_for(const coll::ModelCall& call, const std::string& wanted) {
  const coll::Choice choice = choice_of(call);
  if (wanted.empty()) return std::vector{coll::Table::of_environment().choose(choice)};
  std::vector<coll::Algorithm> all;
  for (const coll::Algorithm each : coll::Table::all_for(choice))
    if (runs_over_wire(each) && (wanted == "all" || wanted == to_string(each))) all.push_back(each);
  if (all.empty())
    return wrong(fmt::format("no {} by '{}' for {} ranks; there are those of `polder info collectives`",
                             to_string(call.kind), wanted, call.members));
  return all;
}

constexpr std::string_view kHeads[] = {"ranks",    "bytes",    "algorithm", "us",       "rounds", "letters",
                                       "MB moved", "B a rank", "last",      "links us", "dead",   "hanging"};

std::vector<std::string> cells_of(const coll::ModelCall& call, coll::Algorithm algorithm,
                                  const coll::FlowOutcome& outcome) {
  return {fmt::format("{}", call.members),
          print_bytes(call.bytes),
          std::string(to_string(algorithm)),
          fmt::format("{:.2f}", outcome.time),
          fmt::format("{}", outcome.rounds),
          fmt::format("{}", outcome.letters),
          fmt::format("{:.3f}", double(outcome.bytes) * 1e-6),
          fmt::format("{}", outcome.memory / call.members),
          fmt::format("{}", outcome.last),
          fmt::format("{:.1f}", outcome.waited),
          fmt::format("{}", outcome.dead),
          fmt::format("{}", outcome.hanging)};
}

void print_row(const std::vector<std::string>& cells, bool csv) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (csv)
      line += (i == 0 ? "" : ",") + cells[i];
    else
      line += i == 2 ? fmt::format(" {:18}", cells[i]) : fmt::format("{:>10}", cells[i]);
  }
  fmt::print("{}\n", line);
}

int refused(const Status& status) {
  fmt::print(stderr, "polder simulate: {}\n", status.message());
  return kExitUsage;
}

int simulate(const SimulateWords& words) {
  const auto kind = coll::kind_of(words.kind);
  if (!kind) return refused(wrong("there is no collective '" + words.kind + "'"));
  const auto sizes = read_sizes(words.bytes), counts = read_counts(words.ranks, kMostSimulated);
  if (!sizes) return refused(sizes.status());
  if (!counts) return refused(counts.status());
  Curves curves(fmt::format("{} over {}", words.kind, words.network), counts->size() > 1 && sizes->size() == 1);
  print_row({std::begin(kHeads), std::end(kHeads)}, words.csv);
  for (const std::size_t ranks : *counts) {
    Model model;
    if (Status status = make_model(words, Rank(ranks), model); !status.ok()) return refused(status);
    if (words.root >= ranks) return refused(wrong(fmt::format("--root {}: there are {} ranks", words.root, ranks)));
    if (model.interconnect && !words.csv) fmt::print("# {}\n", model.interconnect->describe());
    for (const std::size_t bytes : *sizes) {
      const coll::ModelCall call{*kind, Rank(ranks), bytes, words.root};
      const auto algorithms = algorithms_for(call, words.algorithm);
      if (!algorithms) return refused(algorithms.status());
      for (const coll::Algorithm algorithm : *algorithms) {
        const auto outcome = predict(call, algorithm, model.options);
        if (!outcome) return refused(outcome.status());
        print_row(cells_of(call, algorithm, *outcome), words.csv);
        const std::string curve = counts->size() > 1 && sizes->size() > 1
                                      ? fmt::format("{} of {}", to_string(algorithm), ranks)
                                      : std::string(to_string(algorithm));
        curves.add(words.algorithm.empty() ? fmt::format("{} ranks", ranks) : curve, ranks, bytes, outcome->time);
      }
    }
  }
  if (words.plot.empty()) return 0;
  const Status status = curves.write(words.plot);
  return status.ok() ? 0 : refused(status);
}

}  // namespace

int simulate_command(const Arguments& arguments) {
  CLI::App app(
      "Runs a collective in virtual time, by the code that programs run, and prints what it takes.\n"
      "Ranges: 8..64M doubles sizes, 2..300000 doubles ranks; 1k,3k,5k is a list.",
      "polder simulate");
  SimulateWords words;
  app.add_option("COLLECTIVE", words.kind, "one of `polder info collectives`")->required();
  app.add_option("BYTES", words.bytes,
                 "of a rank's vector, of all parts, or of a block of an alltoall, as in 64k (default: 8)");
  app.add_option("-n,--ranks", words.ranks, "how many, up to 1000000 (default: 16)");
  app.add_option("--algorithm", words.algorithm, "by name, or all (default: what the table chooses)");
  app.add_option("--root", words.root, "of rooted collectives");
  app.add_option("--network", words.network,
                 "ideal, crossbar, fat_tree[:PORTS], dragonfly[:H] or torus[:XxYxZ] (default: ideal)");
  app.add_option("--per-node", words.per_node, "ranks of a node, which share its link (default: 1)")
      ->check(CLI::Range(1, 100000));
  const auto positive = CLI::Range(0.0, 1e9);
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
  app.add_option("--seed", words.seed, "of noise and of late entries (default: 1)");
  app.add_option("--plot", words.plot, "the curves, as SVG")->option_text("FILE");
  app.add_flag("--csv", words.csv, "values with commas between them");
  int exit_code = 0;
  if (!parse(app, arguments, exit_code)) return exit_code;
  return simulate(words);
}

}  // namespace polder::cli
