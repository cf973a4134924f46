#include "command.hpp"

#include "common/sound_numbers.hpp"
#include "launch/run_options.hpp"

#include <CLI/CLI.hpp>

namespace polder::cli {

bool parse(CLI::App& app, const Arguments& arguments, int& exit_code) {
  apps::demand_sound_numbers(app);
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
    return true;
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : int(kExitUsage);
    return false;
  }
}

}  // namespace polder::cli
