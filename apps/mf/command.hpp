// The command line.
#pragma once

#include <CLI/App.hpp>

#include <functional>

namespace mf {

// What was chosen; returns the exit code of this rank.
using Action = std::function<int()>;

void add_train(CLI::App& app, Action& chosen);
void add_predict(CLI::App& app, Action& chosen);

}  // namespace mf
