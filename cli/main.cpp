// The executable `polder`: looks up the command and hands it the rest of the line.

#include "build_info.hpp"
#include "command.hpp"
#include "launch/run_options.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

namespace polder::cli {
namespace {

struct Command {
  std::string_view name;
  std::string_view help;
  int (*run)(const Arguments&);
};

constexpr Command kCommands[] = {
    {"run", "start a program as the ranks of a job on this machine", run_command},
    {"top", "show what the ranks of a running job do", top_command},
    {"info", "show version, build, devices, machine, limits and options", info_command},
    {"bench", "measure this machine (all arguments go to polder-bench)", bench_command},
    {"trace", "bring the traces of a job's ranks together", trace_command},
    {"simulate", "run collectives of any number of ranks in virtual time", simulate_command},
    {"topology", "map a grid or a communication matrix to a machine, and show both", topology_command},
    {"explain", "say which algorithm a collective takes and why, and measure it", explain_command},
    {"tune", "measure the algorithms of collectives, and print a table", tune_command},
    {"show-distribution", "show which unit owns which elements of a container", show_distribution_command},
};

void print_help() {
  fmt::print(
      "Usage: polder COMMAND [ARGUMENT]...\n\nA runtime for programs with a partitioned global address "
      "space.\n\nCommands:\n");
  for (const Command& command : kCommands) fmt::print("  {:19}{}\n", command.name, command.help);
  fmt::print("\n`polder COMMAND --help` says more. `polder --version` prints the version.\n");
}

int wrong_usage(std::string_view word) {
  fmt::print(stderr, "polder: no command '{}'; see polder --help\n", word);
  return kExitUsage;
}

int dispatch(const Arguments& words) {
  if (words.empty()) {
    print_help();
    return kExitUsage;
  }
  const std::string& word = words.front();
  for (const Command& command : kCommands)
    if (word == command.name) return command.run({words.begin() + 1, words.end()});
  if (word == "--version" || word == "-V") {
    fmt::print("polder {}\n", kVersion);
  } else if (word == "--help" || word == "-h" || word == "help") {
    print_help();
  } else {
    return wrong_usage(word);
  }
  return 0;
}

}  // namespace
}  // namespace polder::cli

int main(int argc, char** argv) {
  try {
    const int code = polder::cli::dispatch({argv + 1, argv + argc});
    // The rest of what was printed goes out here: at exit nobody would hear that there is no room for it.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fprintf(stderr, "polder: standard output cannot be written: %s\n", std::strerror(errno));
    return code != 0 ? code : polder::cli::kExitLauncher;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "polder: %s\n", error.what());
    return polder::cli::kExitLauncher;
  }
}
