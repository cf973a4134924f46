// In which order ranks take the cores of a machine: `polder run --map-by`.
#pragma once

#include <polder/status.hpp>
#include <polder/topology.hpp>
#include <polder/types.hpp>

#include <optional>
#include <string>
#include <vector>

namespace polder::cli {

// A hardware thread and what it is part of.
struct CoreUnit {
  unsigned thread;  // of its core: 0, 1
  unsigned socket, numa, cache, core;
  unsigned number;  // that the system gives it
};

enum class MapBy { core, socket, node, pattern };

struct RankOrder {
  MapBy by = MapBy::core;
  std::optional<CommunicationPattern> pattern;  // who talks to whom: of a grid or a matrix, a place for each rank
};

// "core", "socket", "node", "grid:4x2", or "matrix:FILE", of what `ranks` send to each other (see read_matrix_file()).
// invalid_argument: another word; a file that is no such matrix; a grid or matrix of another number of places.
Result<RankOrder> read_rank_order(const std::string& word, Rank ranks);

// Numbers of hardware threads as ranks take them, the first of every core before the second of any. core: neighbours first.
// socket, node: one of each socket (NUMA node) in turn. pattern: those who talk much near each other; invalid_argument: there are
// fewer hardware threads than places. `units`: in the order of the machine.
Result<std::vector<unsigned>> order_cores(std::vector<CoreUnit> units, const RankOrder& order);

}  // namespace polder::cli
