// What `polder run` was asked to do.
#pragma once

#include "launch/core_order.hpp"

#include <polder/types.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace polder::cli {

enum class Binding { none, core };

struct RunOptions {
  Rank ranks = 0;
  Rank spares = 0;  // started beyond `ranks`
  Binding binding = Binding::none;
  RankOrder rank_order;                  // how ranks that are bound take cores
  std::vector<std::string> environment;  // "K=V"
  std::string trace_directory;           // empty: no tracing
  std::string trace_limit;               // bytes of the trace; empty: the library's own limit
  std::string trace_counters;            // empty: none
  std::string device;                    // empty: the runtime chooses
  std::optional<std::chrono::nanoseconds> timeout;
  std::chrono::nanoseconds grace = std::chrono::seconds(2);
  bool tag_output = false;
  bool watch = false;
  bool keep_going = false;
  std::vector<std::string> command;  // the program and its arguments

  Rank processes() const { return ranks + spares; }
};

// What the launcher itself exits with; everything else is what the job made of it.
enum ExitCode : int {
  kExitUsage = 2,            // the command line makes no sense
  kExitTimeout = 124,        // --timeout ended the job
  kExitLauncher = 125,       // the system refused something to the launcher
  kExitNotExecutable = 126,  // the program is there and cannot be run
  kExitNotFound = 127,       // no such program
};

}  // namespace polder::cli
