#include "../gaspi/buffered_shuffle.hpp"
#include "../gaspi/run_in_team.hpp"
#include "../sort_command.hpp"
#include "commands.hpp"
#include "spared_sort.hpp"

#include <memory>

namespace terasort {
namespace {

int sort_in_team(const SortOptions& options) {
  return run_in_team(options.patience, [&](GaspiTeam& team) {
    BufferedShuffle shuffle(team.caller(), options.buffer_bytes);
    return run_sort(team, shuffle, options, "polder");
  });
}

}  // namespace

void add_sort(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<SortOptions>();
  auto spared = std::make_shared<SparedArguments>();
  CLI::App* command = app.add_subcommand("sort", "sort a file in the memory of all ranks");
  add_sort_arguments(*command, *options);
  add_spared_arguments(*command, *spared);
  command->callback([options, spared, &chosen] {
    if (!spared->kills.empty() && spared->spares == 0)
      throw CLI::ValidationError("--kill-at", "needs spares that take the place of who dies (--spares)");
    chosen = [options, spared] {
      return spared->spares == 0 ? sort_in_team(*options) : sort_with_spares(*options, *spared);
    };
  });
}

}  // namespace terasort
