// What a distribution is: the map from a global index to the unit that owns it and the place in that unit's memory.
//
// A unit is a member of a team, by its number in it. The elements of a unit come in blocks: boxes of the global index
// space that lie in the unit's memory with regular strides. All else (segments, copies, algorithms) follows from those.
// The kinds are those of DASH's patterns (Fuchs and Fuerlinger 2016), composed of a blocking, a map of blocks to units
// and a layout, instead of a class for each.
#pragma once

#include <polder/containers/index.hpp>
#include <polder/types.hpp>

#include <concepts>
#include <cstddef>

namespace polder::containers {

// A block as its owner holds it: the element at box.first + i lies dot(i, strides) elements behind `offset`. May be
// empty.
template <std::size_t N>
struct OwnedBlock {
  IndexBox<N> box;
  std::size_t offset = 0;  // elements
  Index<N> strides{};

  constexpr std::size_t place(const Index<N>& index) const {
    std::size_t at = offset;
    for (std::size_t d = 0; d < N; ++d) at += (index[d] - box.first[d]) * strides[d];
    return at;
  }
  // What of it lies in `other`.
  constexpr OwnedBlock within(const IndexBox<N>& other) const {
    OwnedBlock part{intersect(box, other), offset, strides};
    if (part.box.size() != 0) part.offset = place(part.box.first);
    return part;
  }
};

// What holds of a distribution. kProperties of a type: of all distributions of that type; properties(): of this one.
struct Properties {
  bool canonical = false;    // a unit's elements are one row-major array, whatever the blocks
  bool tiled = false;        // each block lies in one piece
  bool dense = false;        // a unit's memory holds its elements and nothing else
  bool minimal = false;      // at most one block a unit
  bool balanced = false;     // along each dimension units differ by one block at most
  bool diagonal = false;     // every line of blocks meets all units, as far as it has as many blocks
  bool rectangular = false;  // all blocks have the same extents, but for those at the far edges
  bool neighbour = false;  // the next block along a dimension is at the next unit along it, the first follows the last

  // Whether all that is wanted holds.
  constexpr bool include(const Properties& wanted) const {
    return canonical >= wanted.canonical && tiled >= wanted.tiled && dense >= wanted.dense &&
           minimal >= wanted.minimal && balanced >= wanted.balanced && diagonal >= wanted.diagonal &&
           rectangular >= wanted.rectangular && neighbour >= wanted.neighbour;
  }
};

// The blocks of a unit as a range, made as they are asked for.
template <class D>
class BlockRange {
 public:
  class Iterator {
   public:
    Iterator(const D& distribution, Rank unit, std::size_t number)
        : distribution_(&distribution), unit_(unit), number_(number) {}
    auto operator*() const { return distribution_->block(unit_, number_); }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return number_ == other.number_; }

   private:
    const D* distribution_;
    Rank unit_;
    std::size_t number_;
  };

  BlockRange(const D& distribution, Rank unit) : distribution_(&distribution), unit_(unit) {}
  std::size_t size() const { return distribution_->block_count(unit_); }
  auto operator[](std::size_t number) const { return distribution_->block(unit_, number); }
  Iterator begin() const { return {*distribution_, unit_, 0}; }
  Iterator end() const { return {*distribution_, unit_, size()}; }

 private:
  const D* distribution_;
  Rank unit_;
};

// A value that every unit can hold in full. unit_of() and local_index() cost a few divisions a dimension; capacity() is
// in elements of memory, which are more than size(unit) where the distribution is not dense.
template <class D>
concept Distribution = std::copyable<D> &&
    requires(const D& d, const Index<D::kDimensions>& index, Rank unit, std::size_t number) {
  { D::kProperties } -> std::convertible_to<Properties>;
  { d.properties() } -> std::convertible_to<Properties>;
  { d.units() } -> std::convertible_to<std::size_t>;
  { d.extents() } -> std::convertible_to<Index<D::kDimensions>>;
  { d.extents(unit) } -> std::convertible_to<Index<D::kDimensions>>;
  { d.unit_of(index) } -> std::convertible_to<Rank>;
  { d.local_index(index) } -> std::convertible_to<std::size_t>;
  { d.capacity(unit) } -> std::convertible_to<std::size_t>;
  { d.block(unit, number) } -> std::convertible_to<OwnedBlock<D::kDimensions>>;
  { d.blocks(unit).size() } -> std::convertible_to<std::size_t>;
  { d.fingerprint() } -> std::convertible_to<std::size_t>;
};

// A number that differs where two distributions differ, for practical purposes (FNV-1a, Fowler, Noll, Vo).
template <class Range>
constexpr std::size_t fingerprint_of(const Range& words, std::size_t seed = 14695981039346656037u) {
  for (const std::size_t word : words)
    for (int shift = 0; shift < 64; shift += 8) seed = (seed ^ ((word >> shift) & 0xff)) * 1099511628211u;
  return seed;
}

}  // namespace polder::containers
