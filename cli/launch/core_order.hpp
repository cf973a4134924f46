// In which order ranks take the cores of a machine: `polder run --map-by`.
#pragma once

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace polder::cli {

// A hardware thread and what it is part of.
struct CoreUnit {
  unsigned thread;  // of its core: 0, 1
  unsigned socket, numa, cache, core;
  unsigned number;  // that the system gives it
};

enum class MapBy { core, socket, node, grid };

struct RankOrder {
  MapBy by = MapBy::core;
  std::vector<std::uint32_t> extents;  // of a grid
};

// "core", "socket", "node" or "grid:4x2". invalid_argument: another word.
Result<RankOrder> read_rank_order(const std::string& word);

// Numbers of hardware threads as ranks take them, the first of every core before the second of any. core: neighbours first.
// socket, node: one of each socket (NUMA node) in turn. grid: neighbours of the grid of `ranks` near each other; invalid_argument:
// its extents are not those of so many ranks, or there are fewer hardware threads. `units`: in the order of the machine.
Result<std::vector<unsigned>> order_cores(std::vector<CoreUnit> units, const RankOrder& order, Rank ranks);

}  // namespace polder::cli
