// A distribution deduced from what is asked of it, and why that one.
//
//   const auto chosen = make_distribution<Properties{.tiled = true}>(Index<2>{1000, 1000}, 12);
//   Matrix<double, 2, Tiled<2>> matrix(team, chosen.distribution);
//   std::puts(chosen.why.c_str());
#pragma once

#include <polder/containers/cartesian.hpp>
#include <polder/containers/dealt.hpp>
#include <polder/containers/irregular.hpp>

#include <string>

namespace polder::containers {

template <class D>
struct ChosenDistribution {
  D distribution;
  std::string why;  // a sentence
};

// Tiles that give each unit about four along each dimension.
template <std::size_t N>
constexpr Index<N> fair_tile(const Index<N>& extents, const Index<N>& grid) {
  Index<N> tile{};
  for (std::size_t d = 0; d < N; ++d) tile[d] = std::max<std::size_t>(1, pieces_of(extents[d], 4 * grid[d]));
  return tile;
}

// Diagonal: Shifted. Tiled but not minimal: Tiled. Everything else: one block a unit, which is canonical, tiled, dense,
// minimal and balanced.
template <Properties kWanted, std::size_t N>
auto make_distribution(const Index<N>& extents, std::size_t units) {
  static_assert(!kWanted.diagonal || !(kWanted.canonical || kWanted.dense || kWanted.minimal),
                "a diagonal distribution deals out tiles: it is not canonical, not dense and not minimal");
  const Index<N> grid = square_grid(extents, units);
  const std::string among = to_string(extents) + " elements, " + std::to_string(units) + " units: ";
  if constexpr (kWanted.diagonal) {
    // As many tiles in a line as there are units, so that each line meets all of them.
    Index<N> tile{};
    for (std::size_t d = 0; d < N; ++d) tile[d] = std::max<std::size_t>(1, pieces_of(extents[d], units));
    return ChosenDistribution<Shifted<N>>{
        Shifted<N>(extents, tile, units),
        among + "tiles of " + to_string(tile) + ", shifted from line to line, since every line is to meet all units"};
  } else if constexpr (kWanted.tiled && !kWanted.minimal && !kWanted.canonical) {
    const Index<N> tile = fair_tile(extents, grid);
    std::array<Spread, N> spread{};
    for (std::size_t d = 0; d < N; ++d) spread[d] = Spread::block_cyclic(tile[d]);
    return ChosenDistribution<Tiled<N>>{Tiled<N>(extents, spread, grid),
                                        among + "tiles of " + to_string(tile) +
                                            " in one piece each, dealt over a grid of " + to_string(grid) +
                                            " units, which has the least surface"};
  } else {
    return ChosenDistribution<BlockCyclic<N>>{
        BlockCyclic<N>(extents, {}, grid), among + "one block a unit on a grid of " + to_string(grid) +
                                               ", which has the least surface; nothing that needs tiles is asked for"};
  }
}

}  // namespace polder::containers
