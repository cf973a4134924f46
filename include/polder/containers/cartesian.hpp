// Distributions over a grid of units: each dimension is cut into blocks that are dealt out in turn to the units along
// it. BlockCyclic keeps a unit's elements as one array, Tiled keeps each block in one piece.
//
//   const BlockCyclic<2> rows({1000, 300}, {Spread::block(), Spread::whole()}, {units, 1});
//   const auto near = blocked<2>({1000, 300}, units);        // a grid that is as square as may be
#pragma once

#include <polder/containers/distribution.hpp>
#include <polder/containers/divisor.hpp>
#include <polder/containers/failure.hpp>

#include <array>
#include <cassert>
#include <cstddef>
#include <string>

namespace polder::containers {

// How one dimension is cut.
struct Spread {
  std::size_t size = 0;  // of a block; 0: as many as give each unit one
  static constexpr Spread block() { return {}; }
  static constexpr Spread cyclic() { return {1}; }
  static constexpr Spread block_cyclic(std::size_t size) { return {size}; }
  static constexpr Spread whole() { return {~std::size_t{0}}; }  // not cut
};

// One dimension, cut and dealt: `extent` elements in blocks of `block`, in turn to `parts` places of the grid. A block is no
// larger than the dimension, unless that is empty, so that what is computed here is in range.
struct DealtLine {
  std::size_t extent = 0;
  Divisor block = 1;
  Divisor parts = 1;

  constexpr std::size_t block_total() const { return (extent + block - 1) / block; }
  constexpr std::size_t part_of(std::size_t i) const {
    const std::size_t number = i / block;
    return number < parts ? number : number % parts;
  }
  constexpr std::size_t blocks(std::size_t part) const {
    const std::size_t all = block_total();
    return all > part ? (all - part - 1) / parts + 1 : 0;
  }
  // Elements of a part: full blocks, of which the last may lack some.
  constexpr std::size_t extent_of(std::size_t part) const {
    const std::size_t count = blocks(part);
    if (count == 0) return 0;
    const bool has_last = (block_total() - 1) % parts == part;
    return count * block - (has_last ? block_total() * block - extent : 0);
  }
  constexpr std::size_t first_of(std::size_t part, std::size_t number) const { return (number * parts + part) * block; }
  constexpr std::size_t length_of(std::size_t first) const { return std::min<std::size_t>(block, extent - first); }
};

// A unit's elements as one row-major array.
struct CanonicalLayout {
  static constexpr Properties kProperties{
      .canonical = true, .dense = true, .balanced = true, .rectangular = true, .neighbour = true};
  template <std::size_t N>
  static constexpr void place(OwnedBlock<N>& block, const Index<N>& start, const Index<N>& extents) {
    block.strides = row_major(extents);
    block.offset = dot(start, block.strides);
  }
};

// A unit's blocks one behind the other, each a row-major array. Only the last block of a dimension may lack elements,
// so that what lies before a block follows by arithmetic: whole slabs, then whole lines of this block's thickness, ...
struct TiledLayout {
  static constexpr Properties kProperties{
      .tiled = true, .dense = true, .balanced = true, .rectangular = true, .neighbour = true};
  template <std::size_t N>
  static constexpr void place(OwnedBlock<N>& block, const Index<N>& start, const Index<N>& extents) {
    block.strides = row_major(block.box.extents);
    block.offset = 0;
    std::size_t thickness = 1;
    for (std::size_t d = 0; d < N; ++d) {
      std::size_t slab = start[d] * thickness;
      for (std::size_t e = d + 1; e < N; ++e) slab *= extents[e];
      block.offset += slab;
      thickness *= block.box.extents[d];
    }
  }
};

template <std::size_t N, class Layout>
class Cartesian {
 public:
  static constexpr std::size_t kDimensions = N;
  static constexpr Properties kProperties = Layout::kProperties;

  // Units are numbered row-major in `grid`. Blocks that are larger than the dimension are as large as that. Throws Failure: a
  // dimension of no units, a whole one cut among several, more units than 64 bits count.
  constexpr Cartesian(const Index<N>& extents, const std::array<Spread, N>& spread, const Index<N>& grid)
      : grid_(grid) {
    for (std::size_t d = 0; d < N; ++d) {
      const bool whole = spread[d].size == Spread::whole().size;
      if (grid[d] == 0 || (whole && grid[d] != 1))
        throw_failure(Code::invalid_argument, "a distribution: dimension " + std::to_string(d) + " of extent " +
                                                  std::to_string(extents[d]) + " goes to " + std::to_string(grid[d]) +
                                                  " units" + (whole ? ", but is to stay whole" : ""));
      const std::size_t block = spread[d].size == 0 ? pieces_of(extents[d], grid[d]) : spread[d].size;
      lines_[d] = {extents[d], std::max<std::size_t>(std::min(block, extents[d]), 1), grid[d]};
    }
    if (!bytes_of(grid, 1))
      throw_failure(Code::invalid_argument,
                    "a distribution: a grid of " + to_string(grid) + " is more units than 64 bits count");
  }

  constexpr std::size_t units() const { return volume(grid_); }
  constexpr const Index<N>& grid() const { return grid_; }
  constexpr Index<N> extents() const {
    Index<N> all{};
    for (std::size_t d = 0; d < N; ++d) all[d] = lines_[d].extent;
    return all;
  }
  // Of the array that a unit's elements make.
  constexpr Index<N> extents(Rank unit) const { return local_extents(index_at<N>(unit, grid_)); }
  constexpr std::size_t capacity(Rank unit) const { return volume(extents(unit)); }

  constexpr Rank unit_of(const Index<N>& index) const {
    Index<N> parts{};
    for (std::size_t d = 0; d < N; ++d) parts[d] = lines_[d].part_of(index[d]);
    return Rank(position_of(parts, grid_));
  }
  constexpr std::size_t local_index(const Index<N>& index) const {
    Index<N> parts{}, numbers{};
    for (std::size_t d = 0; d < N; ++d) {
      parts[d] = lines_[d].part_of(index[d]);
      numbers[d] = index[d] / lines_[d].block / lines_[d].parts;
    }
    return block_at(parts, numbers).place(index);
  }

  constexpr std::size_t block_count(Rank unit) const { return volume(block_grid(index_at<N>(unit, grid_))); }
  // REQUIRES: number < block_count(unit).
  constexpr OwnedBlock<N> block(Rank unit, std::size_t number) const {
    assert(number < block_count(unit));
    const Index<N> parts = index_at<N>(unit, grid_);
    return block_at(parts, index_at<N>(number, block_grid(parts)));
  }
  BlockRange<Cartesian> blocks(Rank unit) const { return {*this, unit}; }

  constexpr Properties properties() const {
    Properties holds = kProperties;
    holds.minimal = true;
    for (const DealtLine& line : lines_) holds.minimal = holds.minimal && line.block_total() <= line.parts;
    holds.tiled = holds.tiled || holds.minimal;
    holds.canonical = holds.canonical || holds.minimal;
    return holds;
  }
  std::size_t fingerprint() const {
    std::size_t print = fingerprint_of(std::array{std::size_t(kProperties.tiled)});
    for (const DealtLine& line : lines_)
      print = fingerprint_of(std::array<std::size_t, 3>{line.extent, line.block, line.parts}, print);
    return print;
  }

 private:
  constexpr Index<N> local_extents(const Index<N>& parts) const {
    Index<N> local{};
    for (std::size_t d = 0; d < N; ++d) local[d] = lines_[d].extent_of(parts[d]);
    return local;
  }
  constexpr Index<N> block_grid(const Index<N>& parts) const {
    Index<N> counts{};
    for (std::size_t d = 0; d < N; ++d) counts[d] = lines_[d].blocks(parts[d]);
    return counts;
  }
  constexpr OwnedBlock<N> block_at(const Index<N>& parts, const Index<N>& numbers) const {
    OwnedBlock<N> block;
    Index<N> start{};
    for (std::size_t d = 0; d < N; ++d) {
      block.box.first[d] = lines_[d].first_of(parts[d], numbers[d]);
      block.box.extents[d] = lines_[d].length_of(block.box.first[d]);
      start[d] = numbers[d] * lines_[d].block;
    }
    Layout::place(block, start, local_extents(parts));
    return block;
  }

  std::array<DealtLine, N> lines_{};
  Index<N> grid_{};
};

template <std::size_t N>
using BlockCyclic = Cartesian<N, CanonicalLayout>;
template <std::size_t N>
using Tiled = Cartesian<N, TiledLayout>;

// The grid of `units` whose blocks of `extents` have the least surface; dimensions that have fewer elements than units
// would get are avoided. Costs some divisions for each unit.
template <std::size_t N>
constexpr Index<N> square_grid(const Index<N>& extents, std::size_t units) {
  Index<N> best{}, grid{};
  double least = -1;
  auto visit = [&](auto& self, std::size_t d, std::size_t left, double surface) -> void {
    if (d + 1 == N) {
      grid[d] = left;
      const double empty = left > extents[d] ? 1e18 : 0;
      const double cost = surface + double(left) / double(std::max<std::size_t>(extents[d], 1)) + empty;
      if (least < 0 || cost < least) {
        least = cost;
        best = grid;
      }
      return;
    }
    for (std::size_t parts = 1; parts <= left; ++parts) {
      if (left % parts != 0) continue;
      grid[d] = parts;
      const double empty = parts > extents[d] ? 1e18 : 0;
      self(self, d + 1, left / parts, surface + double(parts) / double(std::max<std::size_t>(extents[d], 1)) + empty);
    }
  };
  visit(visit, 0, units, 0);
  return best;
}

// One block a unit, on a square grid.
template <std::size_t N>
constexpr BlockCyclic<N> blocked(const Index<N>& extents, std::size_t units) {
  return {extents, {}, square_grid(extents, units)};
}

}  // namespace polder::containers
