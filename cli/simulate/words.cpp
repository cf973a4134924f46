// Words of the command line, as the model wants them.
#include "simulate/words.hpp"

#include "launch/run_options.hpp"
#include "util/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace polder::cli {

Status wrong_simulation(const std::string& what) {
  return {Code::invalid_argument, what};
}

int refuse_simulation(const Status& status) {
  fmt::print(stderr, "polder simulate: {}\n", status.message());
  return status.code() == Code::system ? kExitLauncher : kExitUsage;
}

std::vector<std::string> cells_of_flow(const coll::FlowOutcome& flow, Rank members) {
  return {fmt::format("{}", flow.rounds),
          fmt::format("{}", flow.letters),
          fmt::format("{:.3f}", double(flow.bytes) * 1e-6),
          fmt::format("{}", flow.memory / members),
          fmt::format("{}", flow.last),
          fmt::format("{:.1f}", flow.waited),
          fmt::format("{}", flow.dead)};
}

void print_simulated(const std::vector<std::string>& cells, std::size_t left, bool csv) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (csv)
      line += (i == 0 ? "" : ",") + cells[i];
    else
      line += i == left ? fmt::format(" {:18}", cells[i]) : fmt::format(" {:>9}", cells[i]);
  }
  fmt::print("{}\n", line);
}

Status read_noise(const char* option, const std::string& word, coll::Noise& noise) {
  const auto malformed = [&] {
    return wrong_simulation(std::string(option) + " " + word +
                            ": a probability, a colon and microseconds, as in 0.001:50");
  };
  const auto colon = word.find(':');
  char* end = nullptr;
  noise.probability = std::strtod(word.c_str(), &end);
  if (colon == std::string::npos || end != word.c_str() + colon || !(noise.probability >= 0 && noise.probability <= 1))
    return malformed();
  noise.mean = std::strtod(word.c_str() + colon + 1, &end);
  if (*end != '\0' || end == word.c_str() + colon + 1 || !(noise.mean >= 0 && noise.mean < 1e12)) return malformed();
  return {};
}

namespace {

// "7" or "7@12.5".
Status read_death(const std::string& word, Rank ranks, std::vector<double>& dies) {
  char* end = nullptr;
  const unsigned long long rank = std::strtoull(word.c_str(), &end, 10);
  const double time = *end == '@' ? std::strtod(end + 1, &end) : 0;
  if (end == word.c_str() || *end != '\0' || word.front() == '-' || !(time >= 0))
    return wrong_simulation("--kill " + word + ": a rank, or RANK@MICROSECONDS");
  if (rank >= ranks) return wrong_simulation(fmt::format("--kill {}: there are {} ranks", word, ranks));
  dies[rank] = std::min(dies[rank], time);
  return {};
}

}  // namespace

Status read_network(const SimulateWords& words, Rank ranks, SimulatedNetwork& network) {
  coll::FlowOptions& options = network.options.flow;
  network.options.heard = words.heard;
  options.network = words.loggp;
  options.network.per_byte = 1e-3 / words.bandwidth;
  options.per_node = words.per_node;
  options.noise.seed = words.seed;
  if (!words.noise.empty())
    if (Status status = read_noise("--noise", words.noise, options.noise); !status.ok()) return status;
  if (words.network == "ideal" && words.per_node > 1)
    return wrong_simulation("--per-node: ranks of a node share its link; say which --network it leads to");
  if (words.network != "ideal") {
    auto interconnect = coll::make_interconnect(words.network, (ranks - 1) / words.per_node + 1);
    if (!interconnect) return interconnect.status();
    network.interconnect = std::move(*interconnect);
    options.interconnect = network.interconnect.get();
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

}  // namespace polder::cli
