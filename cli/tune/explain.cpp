#include "coll/model/prediction.hpp"
#include "core/group/group_state.hpp"
#include "core/group/letter_room.hpp"
#include "tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace polder::tune {
namespace {

constexpr std::size_t kMostTooSmall = 2;  // rows for fewer members that are shown each

// Rows of the kind, from the top to the one that is taken, each with why it is not. Of those for fewer members there are many in large
// groups, and nobody asks why they are not taken.
void print_rows(const coll::Choice& choice, coll::Algorithm chosen) {
  const coll::Table table = coll::Table::of_environment();
  const auto is_refused = [&](const coll::Row& row) {
    return !why_not(row, choice).empty() || row.algorithm != chosen;
  };
  std::vector<coll::Row> rows;
  std::ranges::copy_if(table.rows(), std::back_inserter(rows),
                       [&](const coll::Row& row) { return row.kind == choice.kind; });
  const auto taken = std::ranges::find_if_not(rows, is_refused);
  const auto is_too_small = [&](const coll::Row& row) { return row.most_members < choice.members; };
  const auto too_small = std::size_t(std::count_if(rows.begin(), taken, is_too_small));
  Rank most = 0;
  fmt::print("  rows, each for up to so many bytes and members:\n");
  for (auto row = rows.begin(); row != taken; ++row) {
    const std::string reason = why_not(*row, choice);
    if (too_small > kMostTooSmall && is_too_small(*row))
      most = std::max(most, row->most_members);
    else
      fmt::print("  {:36} {}\n", to_string(*row), reason.empty() ? "fits" : "no: " + reason);
  }
  if (most != 0) fmt::print("  ({} rows for up to {} members, or fewer)\n", too_small, most);
  if (taken != rows.end()) fmt::print("  {:36} <- taken\n", to_string(*taken));
}

// With as many digits as somebody reads, be it of two ranks or of thousands.
std::string print_time(double us) {
  if (us < 1e3) return fmt::format("{:.2f} us", us);
  return us < 1e6 ? fmt::format("{:.2f} ms", us * 1e-3) : fmt::format("{:.2f} s", us * 1e-6);
}

std::string predicted(const coll::ModelCall& call, coll::Algorithm algorithm) {
  const auto outcome = runs_over_wire(algorithm) ? predict(call, algorithm, {}) : Status(Code::invalid_argument);
  return outcome.ok() ? print_time(outcome->time) : "-";
}

void print_timings(const coll::ModelCall& call, const std::vector<Timing>& timings) {
  const auto fastest = std::min_element(timings.begin(), timings.end(),
                                        [](const Timing& one, const Timing& two) { return one.us < two.us; });
  fmt::print("\n  {:20}{:>16}{:>16}\n", "algorithm", "measured", "model");
  for (const Timing& each : timings)
    fmt::print("  {:20}{:>16}{:>16}{}{}\n", to_string(each.algorithm), print_time(each.us),
               predicted(call, each.algorithm), each.chosen ? "  taken" : "", &each == &*fastest ? "  fastest" : "");
}

// Which algorithm is taken, and why; `all`: those that can serve the call.
void print_choice(Runtime& runtime, const coll::ModelCall& call, const std::vector<Timing>& all) {
  const core::GroupState& group = runtime.world().state();
  coll::Choice choice = choice_of(call);
  choice.blocks = group.node_room().used() && !group.nodes().one() && group.nodes().consecutive();
  for (const Timing& each : all) {
    choice.node = choice.node || each.algorithm >= coll::Algorithm::shared;
    choice.levels = choice.levels || each.algorithm == coll::Algorithm::two_level;
  }
  const auto chosen = std::ranges::find_if(all, [](const Timing& each) { return each.chosen; });
  const bool one_node = runtime.node_ranks().size() == runtime.size();
  const bool is_barrier = call.kind == coll::Kind::barrier, is_ring = call.kind == coll::Kind::neighbours;
  fmt::print("{}{}, {} ranks on {}{}\n", to_string(call.kind),
             is_barrier ? "" : fmt::format(" of {} bytes", coll::print_size(call.bytes)), runtime.size(),
             one_node ? "one node" : "several nodes",
             is_ring ? ", each with those before and behind it on a ring" : "");
  if (chosen != all.end()) print_rows(choice, chosen->algorithm);
}

}  // namespace

Status explain(Runtime& runtime, const Subject& subject, double seconds) {
  Measurement measurement(runtime);
  if (!measurement.fits(subject))
    return {Code::invalid_argument,
            fmt::format("{} bytes: the buffers of a rank would take more than 256 MB", subject.bytes)};
  const auto algorithms = measurement.algorithms(subject);
  if (!algorithms) return algorithms.status();
  const coll::ModelCall call{subject.kind, runtime.size(), subject.bytes, 0};
  if (runtime.rank() == 0) print_choice(runtime, call, *algorithms);
  // Among thousands of ranks measuring takes long, or never ends.
  if (Status status = flush_output(); !status.ok()) return status;
  const auto timings = measurement.of(subject, seconds);
  if (!timings) return timings.status();
  if (runtime.rank() != 0) return {};
  print_timings(call, *timings);
  if (subject.kind == coll::Kind::neighbours)
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
