#include "coll/model/prediction.hpp"
#include "core/group/group_state.hpp"
#include "core/group/letter_room.hpp"
#include "tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polder::tune {
namespace {

// Rows of the kind, from the top to the one that is taken, each with why it is not.
void print_rows(const coll::Choice& choice, coll::Algorithm chosen) {
  const coll::Table table = coll::Table::of_environment();
  for (const coll::Row& row : table.rows()) {
    if (row.kind != choice.kind) continue;
    const std::string reason = why_not(row, choice);
    const bool taken = reason.empty() && row.algorithm == chosen;
    fmt::print("  {:36} {}\n", to_string(row), taken ? "<- taken" : reason.empty() ? "fits" : "no: " + reason);
    if (taken) return;
  }
}

std::string predicted(const coll::ModelCall& call, coll::Algorithm algorithm) {
  const auto outcome = runs_over_wire(algorithm) ? predict(call, algorithm, {}) : Status(Code::invalid_argument);
  return outcome.ok() ? fmt::format("{:.2f}", outcome->time) : "-";
}

void print_timings(const coll::ModelCall& call, const std::vector<Timing>& timings) {
  const auto fastest = std::min_element(timings.begin(), timings.end(),
                                        [](const Timing& one, const Timing& two) { return one.us < two.us; });
  fmt::print("\n  {:20}{:>16}{:>16}\n", "algorithm", "measured us", "model us");
  for (const Timing& each : timings)
    fmt::print("  {:20}{:>16.2f}{:>16}{}{}\n", to_string(each.algorithm), each.us, predicted(call, each.algorithm),
               each.chosen ? "  taken" : "", &each == &*fastest ? "  fastest" : "");
}

}  // namespace

Status explain(Runtime& runtime, const Subject& subject, double seconds) {
  Measurement measurement(runtime);
  if (!measurement.fits(subject))
    return {Code::invalid_argument,
            fmt::format("{} bytes: the buffers of a rank would take more than 256 MB", subject.bytes)};
  const auto timings = measurement.of(subject, seconds);
  if (!timings) return timings.status();
  if (runtime.rank() != 0) return {};
  const coll::ModelCall call{subject.kind, runtime.size(), subject.bytes, 0};
  const bool one_node = runtime.node_ranks().size() == runtime.size();
  coll::Choice choice = choice_of(call);
  const core::GroupState& group = runtime.world().state();
  choice.blocks = group.node_room().used() && !group.nodes().one() && group.nodes().consecutive();
  for (const Timing& each : *timings) {
    choice.node = choice.node || each.algorithm >= coll::Algorithm::shared;
    choice.levels = choice.levels || each.algorithm == coll::Algorithm::two_level;
  }
  const auto chosen = std::find_if(timings->begin(), timings->end(), [](const Timing& each) { return each.chosen; });
  const bool is_ring = subject.kind == coll::Kind::neighbours;
  fmt::print("{} of {} bytes, {} ranks on {}{}\n", to_string(subject.kind), coll::print_size(subject.bytes),
             runtime.size(), one_node ? "one node" : "several nodes",
             is_ring ? ", each with those before and behind it on a ring" : "");
  if (chosen != timings->end()) print_rows(choice, chosen->algorithm);
  print_timings(call, *timings);
  if (is_ring)
    fmt::print(
        "\n  any other graph takes the same row as long as no member has more than {} edges, in or out, that are no "
        "distance of a slot.\n",
        core::LetterRoom::kEdges);
  fmt::print(
      "\n  measured: among these ranks, in private memory. model: ranks on nodes of their own, LogGP of L 1.5, o 0.3 "
      "us, "
      "12.5 GB/s;\n  `polder simulate` has others. Members that share memory are not in it.\n");
  return {};
}

}  // namespace polder::tune
