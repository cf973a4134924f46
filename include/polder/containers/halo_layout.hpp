// Where the elements, the ghost elements and the inboxes of one unit of a HaloField lie.
#pragma once

#include <polder/containers/index.hpp>
#include <polder/containers/stencil.hpp>

#include <cassert>
#include <cstddef>
#include <vector>

namespace polder::containers {

// What all units of a field have in common.
template <std::size_t N>
struct HaloShape {
  Index<N> below{}, above{};          // how wide ghost elements are
  std::vector<Offset<N>> directions;  // in which there are some
  std::size_t fields = 1;
  std::size_t element_bytes = 1;
};

// The memory of a unit, in elements: for each field its own ones with ghost elements around them, row-major; behind all fields the
// inboxes. A ghost region whose rows are shorter than a line of the cache has an inbox, in which a neighbour packs them: written in
// place each of its elements would take a line away from this unit, and bring one to the neighbour.
template <std::size_t N>
class HaloLayout {
 public:
  // `extents`: of the unit's own elements. `shape` outlives it.
  HaloLayout(const Index<N>& extents, const HaloShape<N>& shape) : extents_(extents), padded_(extents), shape_(&shape) {
    for (std::size_t d = 0; d < N; ++d) padded_[d] += shape.below[d] + shape.above[d];
    strides_ = row_major(padded_);
    field_ = volume(padded_);
  }

  const Index<N>& extents() const { return extents_; }
  const Index<N>& strides() const { return strides_; }
  std::size_t field() const { return field_; }  // elements from one field to the next
  // From the beginning of a field to an element of the padded array.
  std::size_t place(const Index<N>& padded_index) const { return dot(padded_index, strides_); }

  // The ghost region in a direction, in the padded array.
  IndexBox<N> ghosts(const Offset<N>& direction) const {
    IndexBox<N> region{shape_->below, extents_};
    for (std::size_t d = 0; d < N; ++d) {
      if (direction[d] < 0) region.first[d] = 0;
      if (direction[d] > 0) region.first[d] = shape_->below[d] + extents_[d];
      if (direction[d] != 0) region.extents[d] = direction[d] < 0 ? shape_->below[d] : shape_->above[d];
    }
    return region;
  }
  // Own elements at the side away from `direction`: they fill that ghost region, of `extents`, of the neighbour there.
  IndexBox<N> source(const Offset<N>& direction, const Index<N>& extents) const {
    IndexBox<N> region{shape_->below, extents};
    for (std::size_t d = 0; d < N; ++d)
      if (direction[d] < 0) region.first[d] += extents_[d] - extents[d];
    return region;
  }

  bool is_packed(const Offset<N>& direction) const {
    const IndexBox<N> region = ghosts(direction);
    return region.extents[N - 1] * shape_->element_bytes < kLineBytes && region.size() > region.extents[N - 1];
  }
  // Of the direction of that number, for the first field; those of others follow; behind the last, where all end.
  // REQUIRES: it is packed.
  std::size_t inbox(std::size_t number) const {
    assert(number == shape_->directions.size() || is_packed(shape_->directions[number]));
    std::size_t at = shape_->fields * field_;
    for (std::size_t before = 0; before < number; ++before)
      if (is_packed(shape_->directions[before])) at += shape_->fields * ghosts(shape_->directions[before]).size();
    return at;
  }
  std::size_t elements() const { return inbox(shape_->directions.size()); }

 private:
  static constexpr std::size_t kLineBytes = 64;

  Index<N> extents_, padded_, strides_{};
  const HaloShape<N>* shape_;
  std::size_t field_ = 0;
};

}  // namespace polder::containers
