// Distributions of tiles that are dealt out to units without a grid of them: in sequence, or shifted by one from line to
// line, so that every line of tiles meets all units. Each tile takes the memory of a full one.
#pragma once

#include <polder/containers/distribution.hpp>
#include <polder/containers/failure.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string>

namespace polder::containers {

// Where a tile goes: its owner, and its number among the owner's places.
struct TilePlace {
  Rank unit = 0;
  std::size_t number = 0;
};

// Tile after tile, in row-major order, in turn.
struct InSequence {
  static constexpr bool kDiagonal = false;
  template <std::size_t N>
  static constexpr std::size_t places(const Index<N>& tiles, std::size_t units, Rank unit) {
    const std::size_t all = volume(tiles);
    return all > unit ? (all - unit - 1) / units + 1 : 0;
  }
  template <std::size_t N>
  static constexpr TilePlace place(const Index<N>& tile, const Index<N>& tiles, std::size_t units) {
    const std::size_t position = position_of(tile, tiles);
    return {Rank(position % units), position / units};
  }
  template <std::size_t N>
  static constexpr Index<N> tile(const Index<N>& tiles, std::size_t units, Rank unit, std::size_t number) {
    return index_at(number * units + unit, tiles);
  }
};

// The sum of a tile's coordinates decides. A line along the last dimension has as many places at each unit; places whose
// tile would lie beyond the line's end stay empty.
struct Diagonal {
  static constexpr bool kDiagonal = true;
  template <std::size_t N>
  static constexpr std::size_t in_line(const Index<N>& tiles, std::size_t units) {
    return (tiles[N - 1] + units - 1) / units;
  }
  template <std::size_t N>
  static constexpr std::size_t places(const Index<N>& tiles, std::size_t units, Rank) {
    if (volume(tiles) == 0) return 0;
    return volume(tiles) / tiles[N - 1] * in_line(tiles, units);
  }
  template <std::size_t N>
  static constexpr TilePlace place(const Index<N>& tile, const Index<N>& tiles, std::size_t units) {
    std::size_t sum = 0;
    for (const std::size_t coordinate : tile) sum += coordinate;
    const std::size_t line = position_of(tile, tiles) / tiles[N - 1];
    return {Rank(sum % units), line * in_line(tiles, units) + tile[N - 1] / units};
  }
  template <std::size_t N>
  static constexpr Index<N> tile(const Index<N>& tiles, std::size_t units, Rank unit, std::size_t number) {
    Index<N> at = index_at(number / in_line(tiles, units) * tiles[N - 1], tiles);
    std::size_t sum = 0;
    for (const std::size_t coordinate : at) sum += coordinate;
    at[N - 1] = number % in_line(tiles, units) * units + (unit + units - sum % units) % units;
    return at;
  }
};

template <std::size_t N, class Map>
class Dealt {
 public:
  static constexpr std::size_t kDimensions = N;
  static constexpr Properties kProperties{
      .tiled = true, .balanced = true, .diagonal = Map::kDiagonal, .rectangular = true, .neighbour = Map::kDiagonal};

  // Throws Failure: a tile of no elements, no units, a unit whose tiles are more elements than 64 bits count.
  constexpr Dealt(const Index<N>& extents, const Index<N>& tile, std::size_t units)
      : extents_(extents), tile_(tile), units_(units) {
    if (volume(tile) == 0 || units == 0)
      throw_failure(Code::invalid_argument, "a distribution: tiles of " + to_string(tile) + " elements go to " +
                                                std::to_string(units) + " units");
    Index<N + 1> memory{};
    for (std::size_t d = 0; d < N; ++d) {
      tiles_[d] = pieces_of(extents[d], tile[d]);
      memory[d] = tile[d];
    }
    memory[N] = block_count(0);  // no unit has more
    if (!bytes_of(memory, 1))
      throw_failure(Code::invalid_size, "a distribution: a unit's " + std::to_string(memory[N]) + " tiles of " +
                                            to_string(tile) + " are more elements than 64 bits count");
  }

  constexpr std::size_t units() const { return units_; }
  constexpr Index<N> extents() const { return extents_; }
  // The unit's tiles as they lie: one behind the other along the first dimension.
  constexpr Index<N> extents(Rank unit) const {
    Index<N> local = tile_;
    local[0] *= block_count(unit);
    return local;
  }
  constexpr std::size_t capacity(Rank unit) const { return block_count(unit) * volume(tile_); }
  constexpr Rank unit_of(const Index<N>& index) const { return Map::place(tile_of(index), tiles_, units_).unit; }
  constexpr std::size_t local_index(const Index<N>& index) const {
    const std::size_t number = Map::place(tile_of(index), tiles_, units_).number;
    return block_of(tile_of(index), number).place(index);
  }

  constexpr std::size_t block_count(Rank unit) const { return Map::places(tiles_, units_, unit); }
  // REQUIRES: number < block_count(unit).
  constexpr OwnedBlock<N> block(Rank unit, std::size_t number) const {
    assert(number < block_count(unit));
    const Index<N> tile = Map::tile(tiles_, units_, unit, number);
    for (std::size_t d = 0; d < N; ++d)
      if (tile[d] >= tiles_[d]) return {};
    return block_of(tile, number);
  }
  BlockRange<Dealt> blocks(Rank unit) const { return {*this, unit}; }

  constexpr Properties properties() const { return kProperties; }
  std::size_t fingerprint() const {
    return fingerprint_of(std::array{std::size_t(Map::kDiagonal), units_},
                          fingerprint_of(tile_, fingerprint_of(extents_)));
  }

 private:
  constexpr Index<N> tile_of(const Index<N>& index) const {
    Index<N> tile{};
    for (std::size_t d = 0; d < N; ++d) tile[d] = index[d] / tile_[d];
    return tile;
  }
  constexpr OwnedBlock<N> block_of(const Index<N>& tile, std::size_t number) const {
    OwnedBlock<N> block{{}, number * volume(tile_), row_major(tile_)};
    for (std::size_t d = 0; d < N; ++d) {
      block.box.first[d] = tile[d] * tile_[d];
      block.box.extents[d] = std::min(tile_[d], extents_[d] - block.box.first[d]);
    }
    return block;
  }

  Index<N> extents_{}, tile_{}, tiles_{};
  std::size_t units_ = 1;
};

template <std::size_t N>
using Sequential = Dealt<N, InSequence>;
template <std::size_t N>
using Shifted = Dealt<N, Diagonal>;

}  // namespace polder::containers
