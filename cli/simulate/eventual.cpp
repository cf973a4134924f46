// `polder simulate eventual-broadcast`, `-reduce`, `-allreduce`: shares of the data and of the members that are enough.
#include "coll/model/eventual_prediction.hpp"
#include "quantities.hpp"
#include "simulate/curves.hpp"
#include "simulate/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <optional>

namespace polder::cli {
namespace {

constexpr std::string_view kHeadsOfEventual[] = {
    "ranks",    "bytes", "data",     "members", "way",    "us",  "root us",  "rounds",  "letters", "MB moved",
    "B a rank", "last",  "links us", "dead",    "failed", "got", "of ranks", "counted", "ended"};
// Where it is enhanced.
constexpr std::string_view kHeadsOfEnhanced[] = {"then data", "then members", "then root us", "then got",
                                                 "then of",   "then counted", "then ended"};
constexpr std::size_t kNothingLeft = ~std::size_t{0};

// "25%", "0.25", or several with commas between them.
Result<std::vector<double>> read_shares(const char* option, const std::string& text) {
  std::vector<double> shares;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    char* end = nullptr;
    double share = std::strtod(word.c_str(), &end);
    const bool is_percent = *end == '%';
    if (is_percent) share /= 100, ++end;
    if (word.empty() || end == word.c_str() || *end != '\0' || !(share >= 0 && share <= 1))
      return wrong_simulation(
          fmt::format("{} {}: '{}' is no share from 0 to 1 or from 0% to 100%", option, text, word));
    shares.push_back(share);
    at = comma + 1;
  }
  return shares;
}

std::optional<coll::Kind> kind_of_eventual(const std::string& name) {
  const auto kind = coll::kind_of(std::string_view(name).substr(kEventualPrefix.size()));
  if (kind == coll::Kind::broadcast || kind == coll::Kind::reduce || kind == coll::Kind::allreduce) return kind;
  return {};
}

constexpr std::string_view kWays[] = {"fastest", "flat", "binomial", "slices"};  // by EventualWay

std::optional<EventualWay> way_of(const std::string& name) {
  const auto* const found = std::find(std::begin(kWays), std::end(kWays), name.empty() ? kWays[0] : name);
  if (found == std::end(kWays)) return {};
  return EventualWay(found - std::begin(kWays));
}

struct EventualStudy {
  coll::Kind kind;
  std::vector<std::size_t> sizes, counts;
  std::vector<double> data, members;
  LeaveOut leave_out;
  EventualWay way;
  std::optional<Threshold> more;
};

// Nothing: it is not enhanced.
Result<std::optional<Threshold>> read_enhancement(const SimulateWords& words) {
  if (words.then_data.empty() && words.then_members.empty()) return std::optional<Threshold>();
  const auto data = read_shares("--then-data", words.then_data.empty() ? "100%" : words.then_data);
  const auto members = read_shares("--then-members", words.then_members.empty() ? "100%" : words.then_members);
  for (const Status& status : {data.status(), members.status()})
    if (!status.ok()) return status;
  if (data->size() != 1 || members->size() != 1)
    return wrong_simulation("--then-data and --then-members are one share each");
  return std::optional(Threshold{.data = data->front(), .members = members->front()});
}

Result<EventualStudy> read_study(const SimulateWords& words) {
  const auto kind = kind_of_eventual(words.kind);
  if (!kind) return wrong_simulation("there is no collective '" + words.kind + "'");
  auto sizes = read_sizes(words.bytes), counts = read_counts(words.ranks, kMostSimulated);
  auto data = read_shares("--data", words.data.empty() ? "100%" : words.data);
  auto members = read_shares("--members", words.members.empty() ? "100%" : words.members);
  for (const Status& status : {sizes.status(), counts.status(), data.status(), members.status()})
    if (!status.ok()) return status;
  if (!words.leave_out.empty() && words.leave_out != "late" && words.leave_out != "stages")
    return wrong_simulation("--leave-out " + words.leave_out + ": late or stages");
  const auto way = way_of(words.way);
  const auto more = read_enhancement(words);
  if (!more.ok()) return more.status();
  if (!way) return wrong_simulation("--way " + words.way + ": fastest, flat, binomial or slices");
  return EventualStudy{*kind,
                       *std::move(sizes),
                       *std::move(counts),
                       *std::move(data),
                       *std::move(members),
                       words.leave_out == "stages" ? LeaveOut::stages : LeaveOut::late,
                       *way,
                       *more};
}

const char* name_of(std::optional<Ended> ended) {
  if (!ended) return "-";
  switch (*ended) {
    case Ended::thresholds: return "enough";
    case Ended::deadline: return "deadline";
    case Ended::deaths: return "deaths";
  }
  return "";
}

std::string as_percent(double share) {
  return fmt::format("{:g}%", share * 100);
}

std::vector<std::string> cells_of_eventual(const coll::EventualModelCall& call, const coll::EventualOutcome& outcome) {
  const coll::FlowOutcome& flow = outcome.flow;
  std::vector<std::string> cells = cells_of_flow(flow, call.members);
  cells.insert(cells.begin(), {fmt::format("{}", call.members), print_bytes(call.bytes), as_percent(call.enough.data),
                               as_percent(call.enough.members), std::string(kWays[std::size_t(outcome.way)]),
                               fmt::format("{:.2f}", flow.time), fmt::format("{:.2f}", outcome.root)});
  cells.insert(cells.end(),
               {fmt::format("{}", outcome.failed), fmt::format("{:.4g}%", outcome.data * 100),
                fmt::format("{}", outcome.contributors), fmt::format("{}", outcome.counted), name_of(outcome.ended)});
  if (!outcome.enhanced) return cells;
  const coll::EventualReached& then = *outcome.enhanced;
  cells.insert(cells.end(),
               {as_percent(call.more->data), as_percent(call.more->members), fmt::format("{:.2f}", then.root),
                fmt::format("{:.4g}%", then.data * 100), fmt::format("{}", then.contributors),
                fmt::format("{}", then.counted), name_of(then.ended)});
  return cells;
}

std::vector<std::string_view> heads_of(const EventualStudy& study) {
  std::vector<std::string_view> heads(std::begin(kHeadsOfEventual), std::end(kHeadsOfEventual));
  if (study.more) heads.insert(heads.end(), std::begin(kHeadsOfEnhanced), std::end(kHeadsOfEnhanced));
  return heads;
}

std::string curve_of(const EventualStudy& study, const coll::EventualModelCall& call) {
  std::string name;
  if (study.data.size() > 1) name += as_percent(call.enough.data) + " of the data";
  if (study.members.size() > 1) name += (name.empty() ? "" : ", ") + as_percent(call.enough.members) + " of the ranks";
  if (study.sizes.size() > 1 && study.counts.size() > 1) name += fmt::format(" of {}", call.members);
  return name.empty() ? "all" : name;
}

}  // namespace

int simulate_eventual(const SimulateWords& words) {
  const auto study = read_study(words);
  if (!study.ok()) return refuse_simulation(study.status());
  Curves curves(fmt::format("{} over {}", words.kind, words.network),
                study->counts.size() > 1 && study->sizes.size() == 1);
  const auto heads = heads_of(*study);
  print_simulated({heads.begin(), heads.end()}, kNothingLeft, words.csv);
  coll::EventualModelCall call{
      .kind = study->kind, .root = words.root, .enough = {}, .way = study->way, .more = study->more};
  call.enough.leave_out = study->leave_out;
  if (call.more) call.more->leave_out = study->leave_out;
  if (words.weight >= 0) call.enough.weight = words.weight;
  if (words.deadline >= 0) call.enough.deadline = std::chrono::nanoseconds(std::int64_t(words.deadline * 1e3));
  for (const std::size_t ranks : study->counts) {
    SimulatedNetwork network;
    if (Status status = read_network(words, Rank(ranks), network); !status.ok()) return refuse_simulation(status);
    if (network.interconnect && !words.csv) fmt::print("# {}\n", network.interconnect->describe());
    call.members = Rank(ranks);
    for (const std::size_t bytes : study->sizes)
      for (const double data : study->data)
        for (const double members : study->members) {
          call.bytes = bytes;
          call.enough.data = data;
          call.enough.members = members;
          const auto outcome = predict_eventual(call, network.options);
          if (!outcome.ok()) return refuse_simulation(outcome.status());
          print_simulated(cells_of_eventual(call, *outcome), kNothingLeft, words.csv);
          curves.add(curve_of(*study, call), ranks, bytes, outcome->flow.time);
        }
  }
  if (words.plot.empty()) return 0;
  const Status status = curves.write(words.plot);
  return status.ok() ? 0 : refuse_simulation(status);
}

}  // namespace polder::cli
