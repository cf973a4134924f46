// The subcommands of `terasort`. Each adds itself to the command line; what the user chose runs after parsing.
#pragma once

#include <functional>

#include <CLI/App.hpp>

namespace terasort {

// Runs a subcommand and returns the exit code. Empty until one was chosen.
using Action = std::function<int()>;

void add_generate(CLI::App& app, Action& chosen);
void add_sort(CLI::App& app, Action& chosen);
void add_validate(CLI::App& app, Action& chosen);

}  // namespace terasort
