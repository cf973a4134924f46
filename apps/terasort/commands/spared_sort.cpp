#include "spared_sort.hpp"

#include "../sort_command.hpp"
#include "common/command_line.hpp"
#include "common/program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace terasort {
namespace {

// "shuffle:3"
void take_death(const std::string& word, std::vector<KillAt>& kills) {
  const std::size_t colon = word.find(':');
  const auto step = std::ranges::find(kStepNames, word.substr(0, colon));
  KillAt kill;
  if (colon == std::string::npos || step == kStepNames.end() || !apps::read_unsigned(word.substr(colon + 1), kill.rank))
    throw CLI::ValidationError("--kill-at", "'" + word + "' is no STEP:RANK, as in half-shuffled:3");
  kill.step = Step(step - kStepNames.begin());
  kills.push_back(kill);
}

// The ranks of the job that are to die, do: without a word, as by kill -9.
std::function<void(Step)> death_of(unsigned rank, const std::vector<KillAt>& kills) {
  return [rank, &kills](Step step) {
    for (const KillAt& kill : kills)
      if (kill.rank == rank && kill.step == step) std::raise(SIGKILL);
  };
}

SortReport with_deaths(SortReport report, const std::vector<polder::Recovery>& recoveries) {
  for (const polder::Recovery& recovery : recoveries)
    report.replacements.push_back({{recovery.lost.begin(), recovery.lost.end()}, recovery.seconds});
  return report;
}

}  // namespace

void add_spared_arguments(CLI::App& app, SparedArguments& arguments) {
  app.add_option(
         "--spares", arguments.spares,
         "of the ranks, so many wait to take the place of one that dies (default: what polder run --spares says)")
      ->envname("POLDER_SPARES")
      ->check(apps::between(0U, 1'000'000U));
  std::string steps;
  for (const char* name : kStepNames) steps += (steps.empty() ? "" : ", ") + std::string(name);
  app.add_option_function<std::vector<std::string>>(
         "--kill-at",
         [&arguments](const std::vector<std::string>& words) {
           for (const std::string& word : words) take_death(word, arguments.kills);
         },
         "STEP:RANK, for demonstrations, with --spares: there that rank of the job kills itself (" + steps + ")")
      ->delimiter(',');
}

int sort_with_spares(const SortOptions& options, const SparedArguments& arguments) {
  return apps::run_in_job("terasort", options.patience, [&](const apps::Team& world) -> apps::Outcome {
    SparedOptions spared{.sort = options, .spares = arguments.spares};
    spared.give_up = [&world](const Status& status) {
      print_error(status, world.rank());
      std::fflush(nullptr);
      world.runtime().abort(1, std::string(status.message()));
    };
    if (!arguments.kills.empty()) spared.at_step = death_of(world.rank(), arguments.kills);
    SparedOutcome outcome = sort_with_spares(world.runtime(), spared);
    if (!outcome.report) return {std::move(outcome.status)};
    const SortReport report = with_deaths(*std::move(outcome.report), outcome.recoveries);
    std::fputs(to_table(report).c_str(), stdout);
    std::fflush(stdout);
    return {write_json(report, options)};
  });
}

}  // namespace terasort
