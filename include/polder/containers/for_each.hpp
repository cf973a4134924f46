// Algorithms that change elements: each unit works on its own, and all meet at the end.
//
// All are collective over the team of the range they write. Functions are called for this unit's elements in the order
// of their indexes within a block, and see references to memory. No function is copied: what it keeps from call to call it
// has for all elements of this unit. What it throws arrives at the caller, who is out of step with the others then (Team).
// Throws Failure: a unit is gone, time is up.
#pragma once

#include <polder/containers/copy.hpp>
#include <polder/containers/view.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace polder::containers {

// Calls visit(elements, index) for each contiguous piece of the range at this unit: a span, and the index of its first.
// Local: no unit waits for another.
template <DistributedRange R, class Visit>
void for_each_span(R&& range, Visit&& visit) {
  const auto view = view_of(range);
  for_each_run(view, view.container().team().unit(), [&](const auto& run) { visit(view.elements(run), run.index); });
}

// The same as a part of a collective: what visit() throws leaves this unit out of step (Team::own_part).
template <DistributedRange R, class Visit>
void for_each_own_span(R&& range, Visit&& visit) {
  view_of(range).container().team().own_part([&] { for_each_span(range, visit); });
}

template <DistributedRange R>
void meet(R&& range, const char* what) {
  auto& container = view_of(range).container();
  container.team().barrier(std::string(what) + " of array '" + container.name() + "'");
}

template <DistributedRange R, class T>
void fill(R&& range, const T& value) {
  for_each_own_span(range, [&](auto elements, const auto&) { std::fill(elements.begin(), elements.end(), value); });
  meet(range, "fill");
}

template <DistributedRange R, class F>
void for_each(R&& range, F&& function) {
  for_each_own_span(range, [&](auto elements, const auto&) {
    for (auto& element : elements) function(element);
  });
  meet(range, "for_each");
}

// function(index, element).
template <DistributedRange R, class F>
void for_each_index(R&& range, F&& function) {
  for_each_own_span(range, [&](auto elements, auto index) {
    for (auto& element : elements) {
      function(std::as_const(index), element);
      ++index.back();
    }
  });
  meet(range, "for_each_index");
}

// Each element is what generator() returns at its owner.
template <DistributedRange R, class F>
void generate(R&& range, F&& generator) {
  for_each_own_span(
      range, [&](auto elements, const auto&) { std::generate(elements.begin(), elements.end(), std::ref(generator)); });
  meet(range, "generate");
}

// out[i] = function(in[i]): ranges of the same extents and any distributions; where those differ, elements of `in` are
// fetched, a row of a block at a time. `out` may be `in`, but not overlap it otherwise. It begins with a barrier.
template <BoxRange In, BoxRange Out, class F>
void transform(In&& in, Out&& out, F&& function) {
  const auto from = view_of(in);
  const auto to = view_of(out);
  if (from.extents() != to.extents())
    throw_failure(Code::invalid_size, "transform: extents " + to_string(from.extents()) + " of array '" +
                                          from.container().name() + "', " + to_string(to.extents()) + " of array '" +
                                          to.container().name() + "'");
  meet(out, "transform");
  ElementBuffer<typename decltype(from)::value_type> room;
  for_each_own_span(to, [&](auto elements, auto index) {
    for (std::size_t d = 0; d < index.size(); ++d) index[d] -= to.box().first[d];
    auto extents = index;
    extents.fill(1);
    extents.back() = elements.size();
    const auto row = room.of(elements.size());
    copy(from.sub(index, extents), row);
    std::transform(row.begin(), row.end(), elements.begin(), std::ref(function));
  });
  meet(out, "transform");
}

}  // namespace polder::containers
