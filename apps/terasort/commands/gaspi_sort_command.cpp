#include "../gaspi/buffered_shuffle.hpp"
#include "../gaspi/run_in_team.hpp"
#include "../sort_command.hpp"
#include "commands.hpp"

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
  CLI::App* command = app.add_subcommand("sort", "sort a file in the memory of all ranks");
  add_sort_arguments(*command, *options);
  command->callback([options, &chosen] { chosen = [options] { return sort_in_team(*options); }; });
}

}  // namespace terasort
