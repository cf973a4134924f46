// What the commands of `polder` have in common.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace polder::cli {

// The words behind the name of the command.
using Arguments = std::vector<std::string>;

// Each runs one command and returns the exit code of `polder`.
int run_command(const Arguments& arguments);
int info_command(const Arguments& arguments);
int top_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);
int trace_command(const Arguments& arguments);
int simulate_command(const Arguments& arguments);
int tune_command(const Arguments& arguments);
int topology_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int show_distribution_command(const Arguments& arguments);

// Lets `app` read `arguments`. False: it printed help or what is wrong with them, and `exit_code` is set.
bool parse(CLI::App& app, const Arguments& arguments, int& exit_code);

}  // namespace polder::cli
