// Ranges of a container: boxes of its indexes, the pieces they consist of, and iterators over their elements.
//
// Algorithms and copies take views and containers alike. Both come to them as segments(): what lies in one piece at one
// unit.
#pragma once

#include <polder/containers/distribution.hpp>
#include <polder/containers/iterator.hpp>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

namespace polder::containers {

// What lies in one piece: `count` elements from `index` on, along the last dimension, from `place` on in the memory of
// `unit`.
template <std::size_t N>
struct ElementRun {
  Rank unit = 0;
  std::size_t place = 0;
  std::size_t count = 0;
  Index<N> index{};
};

// A box of a container's elements; owns nothing, copies nothing. The container must outlive it.
template <class C>
class View {
 public:
  using container_type = C;
  using value_type = typename C::value_type;
  static constexpr std::size_t kDimensions = C::kDimensions;
  using Box = IndexBox<kDimensions>;

  View(C& container, const Box& box) : container_(&container), box_(box) {}

  C& container() const { return *container_; }
  const Box& box() const { return box_; }
  const Index<kDimensions>& extents() const { return box_.extents; }
  std::size_t size() const { return box_.size(); }
  // Counted from the view's first element. Failure: it reaches outside.
  View sub(const Index<kDimensions>& first, const Index<kDimensions>& extents) const {
    for (std::size_t d = 0; d < kDimensions; ++d)
      if (first[d] > box_.extents[d] || extents[d] > box_.extents[d] - first[d])
        throw_failure(Code::invalid_argument, "a view of " + to_string(extents) + " from " + to_string(first) +
                                                  " lies outside of one of " + to_string(box_.extents) + " of array '" +
                                                  container_->name() + "'");
    Box part{box_.first, extents};
    for (std::size_t d = 0; d < kDimensions; ++d) part.first[d] += first[d];
    return {*container_, part};
  }
  // What of it lies in a box of the container's indexes, which may reach outside.
  View intersect(const Box& other) const { return {*container_, containers::intersect(box_, other)}; }

  // Its elements in row-major order. Iterators may outlive the view, not the container.
  ElementIterator<C> begin() const { return {*container_, box_, 0}; }
  ElementIterator<C> end() const { return {*container_, box_, size()}; }

  // The memory of a run of this unit (below).
  auto elements(const ElementRun<kDimensions>& run) const { return container_->local().subspan(run.place, run.count); }

 private:
  C* container_;
  Box box_;
};

// A range of somebody else's that comes in pieces by unit, too: it says what they are (for_each_run), how their elements
// are read at their owner (elements), and which container's team goes through it. Adaptors (adaptors.hpp) are such.
template <class V>
concept SegmentedRange = std::copyable<V> && requires(const V& range, Rank unit, const ElementRun<V::kDimensions>& run,
                                                      void (&visit)(const ElementRun<V::kDimensions>&)) {
  range.container().team();
  range.elements(run).begin();
  range.for_each_run(unit, visit);
};

// A view as it is, a container as all of its elements. The customisation point of all algorithms: an overload for a range
// of another kind, found by its arguments, returns a View or a SegmentedRange.
template <class C>
View<C> view_of(const View<C>& view) {
  return view;
}
template <class C>
requires requires(C& c) {
  c.all();
}
auto view_of(C& container) {
  return container.all();
}
template <SegmentedRange V>
V view_of(const V& range) {
  return range;
}

// What algorithms take: a container, a view of one, or another range that comes in pieces by unit.
template <class R>
concept DistributedRange = requires(R& range) {
  view_of(range).container();
};

// What copies take, and algorithms that move elements: a container or a view of one.
template <class R>
concept BoxRange = DistributedRange<R> && requires(R& range) {
  view_of(range).box();
};

// Calls piece(block) for each part of the view that lies at `unit`: an OwnedBlock that is not empty. O(its blocks).
template <class C, class Piece>
void for_each_piece(const View<C>& view, Rank unit, Piece&& piece) {
  for (const auto block : view.container().distribution().blocks(unit)) {
    const auto part = block.within(view.box());
    if (part.box.size() != 0) piece(part);
  }
}

// Calls run(ElementRun) for each contiguous piece of the view at `unit`.
template <class C, class Visit>
void for_each_run(const View<C>& view, Rank unit, Visit&& visit) {
  constexpr std::size_t kLast = C::kDimensions - 1;
  for_each_piece(view, unit, [&](const auto& piece) {
    for_each_row(piece.box, [&](const auto& index, std::size_t length) {
      // Along the last dimension blocks lie together, whatever the distribution; a foreign one may do otherwise.
      if (piece.strides[kLast] == 1) return visit(ElementRun<kLast + 1>{unit, piece.place(index), length, index});
      auto at = index;
      for (std::size_t i = 0; i < length; ++i, ++at[kLast]) visit(ElementRun<kLast + 1>{unit, piece.place(at), 1, at});
    });
  });
}

template <SegmentedRange V, class Visit>
void for_each_run(const V& range, Rank unit, Visit&& visit) {
  range.for_each_run(unit, visit);
}

// The contiguous pieces of a range at units from `first_unit` to before `end_unit`; those of one unit: remote() and local()
// below. Local. Throws Failure: there are no such units.
template <DistributedRange R>
auto segments(R&& range, Rank first_unit, Rank end_unit) {
  const auto view = view_of(range);
  if (first_unit > end_unit || end_unit > view.container().team().units())
    throw_failure(Code::invalid_argument, "array '" + view.container().name() + "': pieces at units " +
                                              std::to_string(first_unit) + " to before " + std::to_string(end_unit) +
                                              " of " + std::to_string(view.container().team().units()));
  std::vector<ElementRun<decltype(view)::kDimensions>> all;
  for (Rank unit = first_unit; unit < end_unit; ++unit)
    for_each_run(view, unit, [&](const auto& run) { all.push_back(run); });
  return all;
}
template <DistributedRange R>
auto segments(R&& range) {
  return segments(range, 0, Rank(view_of(range).container().team().units()));
}
// The pieces at `unit`, and those at this one.
template <DistributedRange R>
auto remote(R&& range, Rank unit) {
  return segments(range, unit, std::max(unit, unit + 1));
}
template <DistributedRange R>
auto local(R&& range) {
  return remote(range, view_of(range).container().team().unit());
}

}  // namespace polder::containers

// Views own nothing, and the standard's adaptors may take them by value.
template <class C>
inline constexpr bool std::ranges::enable_view<polder::containers::View<C>> = true;
template <class C>
inline constexpr bool std::ranges::enable_borrowed_range<polder::containers::View<C>> = true;
