// `polder simulate ssp`: the stale-synchronous allreduce with several slacks, in several shapes.
#include "coll/model/stale_prediction.hpp"
#include "quantities.hpp"
#include "simulate/curves.hpp"
#include "simulate/words.hpp"

#include <fmt/format.h>

#include <charconv>

namespace polder::cli {
namespace {

constexpr std::string_view kHeadsOfStale[] = {"ranks",   "bytes",   "shape",    "slack",    "us",     "us a call",
                                              "in call", "longest", "waited",   "age",      "oldest", "newest",
                                              "rounds",  "letters", "MB moved", "B a rank", "last",   "links us",
                                              "dead",    "failed",  "flush us"};
constexpr std::size_t kShapeColumn = 2;
constexpr std::pair<std::string_view, StaleShape> kShapeNames[] = {
    {"hypercube", StaleShape::hypercube}, {"flat", StaleShape::flat}, {"sharded", StaleShape::sharded}};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

Result<std::vector<StaleShape>> read_shapes(const std::string& text) {
  std::vector<StaleShape> shapes;
  for (const std::string& word : words_of(text)) {
    const std::size_t before = shapes.size();
    for (const auto& [name, shape] : kShapeNames)
      if (name == word) shapes.push_back(shape);
    if (shapes.size() == before)
      return wrong_simulation("--shape " + text + ": '" + word + "' is none of hypercube, flat and sharded");
  }
  return shapes;
}

Result<std::vector<std::uint64_t>> read_slacks(const std::string& text) {
  std::vector<std::uint64_t> slacks;
  for (const std::string& word : words_of(text)) {
    std::uint64_t slack = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), slack);
    if (error != std::errc() || end != word.data() + word.size())
      return wrong_simulation("--slack " + text + ": '" + word + "' is no number of calls");
    slacks.push_back(slack);
  }
  return slacks;
}

struct StaleStudy {
  std::vector<std::size_t> sizes, counts;
  std::vector<std::uint64_t> slacks;
  std::vector<StaleShape> shapes;
  coll::StaleModelCall call;
};

Result<StaleStudy> read_stale_study(const SimulateWords& words) {
  auto sizes = read_sizes(words.bytes), counts = read_counts(words.ranks, kMostSimulated);
  auto slacks = read_slacks(words.slack.empty() ? "8" : words.slack);
  auto shapes = read_shapes(words.shape.empty() ? "hypercube" : words.shape);
  for (const Status& status : {sizes.status(), counts.status(), slacks.status(), shapes.status()})
    if (!status.ok()) return status;
  StaleStudy study{*std::move(sizes), *std::move(counts), *std::move(slacks), *std::move(shapes), {}};
  if (words.root != 0) return wrong_simulation("ssp has no root");
  study.call.stragglers.seed = words.seed;
  if (!words.stragglers.empty())
    if (Status status = read_noise("--stragglers", words.stragglers, study.call.stragglers); !status.ok())
      return status;
  if (words.calls != 0) study.call.calls = words.calls;
  if (words.cells != 0) study.call.cells = words.cells;
  if (words.compute >= 0) study.call.compute = words.compute;
  study.call.flushes = words.flush;
  return study;
}

std::string name_of(StaleShape shape) {
  for (const auto& [name, each] : kShapeNames)
    if (each == shape) return std::string(name);
  return "";
}

double us_a_call(const coll::StaleModelCall& call, const coll::StaleOutcome& outcome) {
  return (outcome.flow.time - outcome.flush) / call.calls;
}

std::vector<std::string> cells_of_stale(const coll::StaleModelCall& call, const coll::StaleOutcome& outcome) {
  const coll::FlowOutcome& flow = outcome.flow;
  std::vector<std::string> cells = cells_of_flow(flow, call.members);
  cells.insert(cells.begin(), {fmt::format("{}", call.members), print_bytes(call.bytes), name_of(call.shape),
                               fmt::format("{}", call.slack), fmt::format("{:.2f}", flow.time),
                               fmt::format("{:.2f}", us_a_call(call, outcome)),
                               fmt::format("{:.2f}", outcome.mean_call), fmt::format("{:.2f}", outcome.longest_call),
                               fmt::format("{:.1f}%", outcome.waited * 100), fmt::format("{:.2f}", outcome.mean_age),
                               fmt::format("{}", outcome.oldest), fmt::format("{}", outcome.newest)});
  cells.push_back(fmt::format("{}", outcome.failed));
  cells.push_back(call.flushes ? fmt::format("{:.2f}", outcome.flush) : "-");
  return cells;
}

std::string curve_of(const StaleStudy& study, const coll::StaleModelCall& call) {
  std::string name = study.shapes.size() > 1 ? name_of(call.shape) + ", " : "";
  name += fmt::format("slack {}", call.slack);
  if (study.sizes.size() > 1 && study.counts.size() > 1) name += fmt::format(" of {}", call.members);
  return name;
}

}  // namespace

int simulate_stale(const SimulateWords& words) {
  auto study = read_stale_study(words);
  if (!study.ok()) return refuse_simulation(study.status());
  Curves curves(fmt::format("a call of ssp over {}", words.network),
                study->counts.size() > 1 && study->sizes.size() == 1);
  print_simulated({std::begin(kHeadsOfStale), std::end(kHeadsOfStale)}, kShapeColumn, words.csv);
  coll::StaleModelCall& call = study->call;
  for (const std::size_t ranks : study->counts) {
    SimulatedNetwork network;
    if (Status status = read_network(words, Rank(ranks), network); !status.ok()) return refuse_simulation(status);
    if (network.interconnect && !words.csv) fmt::print("# {}\n", network.interconnect->describe());
    call.members = Rank(ranks);
    for (const std::size_t bytes : study->sizes)
      for (const StaleShape shape : study->shapes)
        for (const std::uint64_t slack : study->slacks) {
          call.bytes = bytes;
          call.shape = shape;
          call.slack = slack;
          const auto outcome = predict_stale(call, network.options);
          if (!outcome.ok()) return refuse_simulation(outcome.status());
          print_simulated(cells_of_stale(call, *outcome), kShapeColumn, words.csv);
          curves.add(curve_of(*study, call), ranks, bytes, us_a_call(call, *outcome));
        }
  }
  if (words.plot.empty()) return 0;
  const Status status = curves.write(words.plot);
  return status.ok() ? 0 : refuse_simulation(status);
}

}  // namespace polder::cli
