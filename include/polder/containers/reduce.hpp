// Algorithms that make one value of all elements, the same at every unit: sums, extremes, searches, comparisons.
//
// All are collective over the range's team: each unit goes through its own elements, and one allreduce brings the parts
// together, in the order of units. They begin with no barrier: whoever reads what others put there meets them first.
// Throws Failure: a unit is gone, time is up.
#pragma once

#include <polder/collective.hpp>
#include <polder/containers/for_each.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace polder::containers {

// A unit's part; units without elements have none.
template <class T>
struct PartOfUnit {
  T value{};
  std::uint64_t present = 0;
};

// The parts of all units, combined by op(one, other) in their order; nothing where no unit has one. Collective.
template <class T, class Op>
std::optional<T> combine_parts(const Team& team, const std::optional<T>& mine, Op& op, const std::string& what) {
  static_assert(std::is_trivially_copyable_v<T>, "what is combined travels as bytes");
  using Part = PartOfUnit<T>;
  Part part, result;
  if (mine) part = {*mine, 1};
  ReductionSpec spec{.count = 1, .element_size = sizeof(Part), .combine = {}, .commutes = false};
  spec.combine = [&op](const void* one, const void* two, void* out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const Part& left = static_cast<const Part*>(one)[i];
      const Part& right = static_cast<const Part*>(two)[i];
      Part both = left.present != 0 ? left : right;
      if (left.present != 0 && right.present != 0) both.value = op(left.value, right.value);
      static_cast<Part*>(out)[i] = both;
    }
    return Status();
  };
  team.meet(what, [&] { return allreduce(team.group(), spec, &part, &result, team.timeout()); });
  if (result.present == 0) return std::nullopt;
  return result.value;
}

template <DistributedRange R>
std::string of_array(const char* what, R&& range) {
  return std::string(what) + " of array '" + view_of(range).container().name() + "'";
}

// init op map(element) op ...; `op` is associative and commutes (blocks of different units interleave).
template <DistributedRange R, class T, class Op, class Map>
T transform_reduce(R&& range, T init, Op op, Map map) {
  std::optional<T> mine;
  for_each_own_span(range, [&](auto elements, const auto&) {
    auto it = elements.begin();
    if (!mine && it != elements.end()) mine = T(map(*it++));
    for (; it != elements.end(); ++it) mine = op(*mine, T(map(*it)));
  });
  const auto all = combine_parts(view_of(range).container().team(), mine, op, of_array("reduce", range));
  return all ? op(init, *all) : init;
}
template <DistributedRange R, class T, class Op = std::plus<>>
T reduce(R&& range, T init, Op op = {}) {
  return transform_reduce(range, init, op, [](const auto& element) { return element; });
}

template <DistributedRange R, class Predicate>
std::size_t count_if(R&& range, Predicate predicate) {
  return transform_reduce(range, std::size_t{0}, std::plus<>(),
                          [&](const auto& element) { return std::size_t(predicate(element) ? 1 : 0); });
}
template <DistributedRange R, class T>
std::size_t count(R&& range, const T& value) {
  return count_if(range, [&](const auto& element) { return element == value; });
}

// ---- where ----

// An element and its index.
template <class T, std::size_t N>
struct FoundElement {
  Index<N> index{};
  T value{};
};

// The element that comes before all others by better(one, other), the first in row-major order where several do;
// nothing in an empty range, or where accept(element) is false for all.
template <DistributedRange R, class Better, class Accept>
auto best_element(R&& range, Better better, Accept accept, const char* what) {
  using V = decltype(view_of(range));
  using Found = FoundElement<typename V::value_type, V::kDimensions>;
  auto choose = [&](const Found& one, const Found& other) {
    if (better(other.value, one.value)) return other;
    if (better(one.value, other.value)) return one;
    return one.index <= other.index ? one : other;
  };
  std::optional<Found> mine;
  for_each_own_span(range, [&](auto elements, auto index) {
    for (const auto& element : elements) {
      if (accept(element)) mine = mine ? choose(*mine, Found{index, element}) : Found{index, element};
      ++index.back();
    }
  });
  return combine_parts(view_of(range).container().team(), mine, choose, of_array(what, range));
}

template <DistributedRange R, class Less = std::less<>>
auto min_element(R&& range, Less less = {}) {
  return best_element(
      range, less, [](const auto&) { return true; }, "min_element");
}
template <DistributedRange R, class Less = std::less<>>
auto max_element(R&& range, Less less = {}) {
  return best_element(
      range, [less](const auto& one, const auto& other) { return less(other, one); }, [](const auto&) { return true; },
      "max_element");
}
// The first in row-major order. All elements are looked at.
template <DistributedRange R, class Predicate>
auto find_if(R&& range, Predicate predicate) {
  return best_element(
      range, [](const auto&, const auto&) { return false; }, predicate, "find_if");
}
template <DistributedRange R, class T>
auto find(R&& range, const T& value) {
  return find_if(range, [&](const auto& element) { return element == value; });
}

// ---- whether ----

template <DistributedRange R, class Predicate>
bool any_of(R&& range, Predicate predicate) {
  return count_if(range, predicate) != 0;
}
template <DistributedRange R, class Predicate>
bool none_of(R&& range, Predicate predicate) {
  return !any_of(range, predicate);
}
template <DistributedRange R, class Predicate>
bool all_of(R&& range, Predicate predicate) {
  return none_of(range, std::not_fn(predicate));
}

// The first index, counted from the ranges' beginnings, at which they differ; nothing: they are equal. Extents are the
// same, distributions any. Throws Failure: other extents.
template <BoxRange One, BoxRange Other>
auto mismatch(One&& one_range, Other&& other_range) {
  const auto one = view_of(one_range);
  const auto other = view_of(other_range);
  if (one.extents() != other.extents())
    throw_failure(Code::invalid_size, "mismatch: extents " + to_string(one.extents()) + " of array '" +
                                          one.container().name() + "', " + to_string(other.extents()) + " of array '" +
                                          other.container().name() + "'");
  std::optional<Index<decltype(one)::kDimensions>> mine;
  ElementBuffer<typename decltype(other)::value_type> room;
  for_each_own_span(one, [&](auto elements, auto index) {
    for (std::size_t d = 0; d < index.size(); ++d) index[d] -= one.box().first[d];
    auto extents = index;
    extents.fill(1);
    extents.back() = elements.size();
    const auto row = room.of(elements.size());
    copy(other.sub(index, extents), row);
    const auto differs = std::mismatch(elements.begin(), elements.end(), row.begin()).first;
    if (differs == elements.end()) return;
    index.back() += std::size_t(differs - elements.begin());
    if (!mine || index < *mine) mine = index;
  });
  auto earlier = [](const auto& a, const auto& b) { return std::min(a, b); };
  return combine_parts(one.container().team(), mine, earlier, of_array("mismatch", one));
}
template <BoxRange One, BoxRange Other>
bool equal(One&& one, Other&& other) {
  return !mismatch(one, other);
}

}  // namespace polder::containers
