// What the command line of `polder simulate` says, and what becomes of it.
#pragma once

#include "coll/model/flow.hpp"
#include "coll/model/window_model.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace polder::cli {

struct SimulateWords {
  std::string kind, bytes = "8", ranks = "16", algorithm, graph, network = "ideal", plot, noise;
  coll::LogGP loggp;
  double bandwidth = 12.5, hop = 0.1, spread = 0, heard = 100;
  Rank per_node = 1, root = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> deaths;
  bool csv = false;

  // Of eventually consistent ones; empty or negative: not given.
  std::string data, members, leave_out, way, then_data, then_members;
  double weight = -1, deadline = -1;
  // Of stale-synchronous ones.
  std::string slack, shape, stragglers;
  unsigned calls = 0, cells = 0;
  double compute = -1;
  bool flush = false;
};

// Of one number of ranks.
struct SimulatedNetwork {
  coll::WindowModelOptions options;
  std::unique_ptr<coll::Interconnect> interconnect;
};

Status read_network(const SimulateWords& words, Rank ranks, SimulatedNetwork& network);
// "0.001:50": a probability and microseconds. `option`: whose word it is.
Status read_noise(const char* option, const std::string& word, coll::Noise& noise);

Status wrong_simulation(const std::string& what);
// Prints why, and gives the command's exit code.
int refuse_simulation(const Status& status);

// What every kind tells of how it went, as cells: rounds, letters, megabytes, bytes of memory a rank, the last rank,
// microseconds that links were waited for, ranks that died.
std::vector<std::string> cells_of_flow(const coll::FlowOutcome& flow, Rank members);

// A row of the table; the cells below `left` names stand on the left.
void print_simulated(const std::vector<std::string>& cells, std::size_t left, bool csv);

// `polder simulate` of these kinds: the exit code.
int simulate_eventual(const SimulateWords& words);
int simulate_stale(const SimulateWords& words);

constexpr std::string_view kEventualPrefix = "eventual-", kStaleName = "ssp";

}  // namespace polder::cli
