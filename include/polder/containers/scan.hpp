// Prefix sums, histograms, and elements by index: what goes over all units, in the order of indexes or by a list of them.
#pragma once

#include <polder/containers/reduce.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace polder::containers {

// out[i] of one dimension, in the order of indexes, for any distribution: runs of neighbouring indexes are summed up
// where they lie, their totals gathered, and what comes before a run is added. `inclusive`: with the element itself.
// Costs an allgather of 8 + sizeof(T) bytes a run; cyclic distributions have as many runs as elements.
template <BoxRange R, class T, class Op>
void scan_in_place(R&& range, T init, Op op, bool inclusive) {
  const auto view = view_of(range);
  static_assert(decltype(view)::kDimensions == 1, "scans are of one dimension");
  static_assert(std::is_trivially_copyable_v<T>, "totals travel as bytes");
  struct RunTotal {
    std::uint64_t first;
    T total;
  };
  const Team& team = view.container().team();
  std::vector<RunTotal> mine;
  for_each_own_span(view, [&](auto elements, const auto& index) {
    T total = elements.front();
    for (const auto& element : elements.subspan(1)) total = op(total, element);
    mine.push_back({index[0], total});
  });
  const std::vector<std::size_t> bytes = team.gather(mine.size() * sizeof(RunTotal), "scan");
  std::size_t all_bytes = 0;
  for (const std::size_t of_unit : bytes) all_bytes += of_unit;
  std::vector<RunTotal> all(all_bytes / sizeof(RunTotal));
  team.meet(of_array("scan", range),
            [&] { return allgather(team.group(), bytes, mine.data(), all.data(), team.timeout()); });
  std::sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
  team.own_part([&] {
    for (T sum = init; RunTotal & run : all) {  // the total becomes what comes before
      const T before = sum;
      sum = op(sum, run.total);
      run.total = before;
    }
  });
  for_each_own_span(view, [&](auto elements, const auto& index) {
    T sum = std::lower_bound(all.begin(), all.end(), index[0], [](const auto& run, std::size_t first) {
              return run.first < first;
            })->total;
    for (auto& element : elements) {
      const T with = op(sum, element);
      element = inclusive ? with : sum;
      sum = with;
    }
  });
  meet(range, "scan");
}

// Collective, in place, on ranges of one dimension; `op` is associative. out[i] = init op a[0] op ... op a[i], and
// without a[i].
template <BoxRange R, class T, class Op = std::plus<>>
void inclusive_scan(R&& range, T init, Op op = {}) {
  scan_in_place(range, init, op, true);
}
template <BoxRange R, class T, class Op = std::plus<>>
void exclusive_scan(R&& range, T init, Op op = {}) {
  scan_in_place(range, init, op, false);
}

// How many elements fall into each bin, the same at every unit. bin(element) says which; those of `bins` and above are
// left out. Collective: one allreduce of `bins` counts.
template <DistributedRange R, class Bin>
std::vector<std::uint64_t> histogram(R&& range, std::size_t bins, Bin bin) {
  std::vector<std::uint64_t> counts(bins);
  for_each_own_span(range, [&](auto elements, const auto&) {
    for (const auto& element : elements)
      if (const std::size_t at = std::size_t(bin(element)); at < bins) ++counts[at];
  });
  const Team& team = view_of(range).container().team();
  if (bins != 0)
    team.meet(of_array("histogram", range), [&] {
      return allreduce(team.group(), Reduction::sum, DataType::uint64, counts.data(), counts.data(), bins,
                       team.timeout());
    });
  return counts;
}

// ---- elements by index ----

// Places of a list of indexes, by unit: one list transfer for each unit that owns some.
template <class C, class Transfer>
void transfer_indexes(const C& container, std::span<const Index<C::kDimensions>> indexes, Transfer&& transfer) {
  using T = typename C::value_type;
  constexpr std::size_t kListed = 1024;
  std::vector<std::vector<ListItem>> items(container.team().units());
  auto send = [&](Rank unit) {
    if (!items[unit].empty()) transfer(unit, Shape(std::span<const ListItem>(items[unit])));
    items[unit].clear();
  };
  for (std::size_t k = 0; k < indexes.size(); ++k) {
    if (!IndexBox<C::kDimensions>{{}, container.extents()}.contains(indexes[k]))
      throw_failure(Code::invalid_argument, "array '" + container.name() + "': index " + to_string(indexes[k]) +
                                                ", number " + std::to_string(k) + " of a list, lies outside, extents " +
                                                to_string(container.extents()));
    const Rank unit = container.distribution().unit_of(indexes[k]);
    items[unit].push_back({std::ptrdiff_t(k * sizeof(T)),
                           std::ptrdiff_t(container.distribution().local_index(indexes[k]) * sizeof(T)), sizeof(T)});
    if (items[unit].size() == kListed) send(unit);
  }
  for (Rank unit = 0; unit < items.size(); ++unit) send(unit);
}

// values[k] = container[indexes[k]], and back, one-sided: elements that one unit owns travel together. An index may occur
// several times in a gather; in a scatter one of its values stays. Throws Failure: other lengths; an index that lies
// outside (what came before it in the list may have been moved); a unit is gone.
template <class C>
void gather(const C& container, std::span<const Index<C::kDimensions>> indexes,
            std::span<typename C::value_type> values) {
  check_length(indexes.size(), values.size(), container.name());
  CopyUnderWay copying(container.team(), Completion::local);
  transfer_indexes(container, indexes, [&](Rank unit, const Shape& shape) {
    copying.team().check(
        copying.team().runtime().get(values.data(), container.pointer(unit, 0).address(), shape, copying.post()),
        [&] { return "a gather from array '" + container.name() + "'"; });
  });
  copying.wait();
}
template <class C>
void scatter(std::span<const typename C::value_type> values, C& container,
             std::span<const Index<C::kDimensions>> indexes) {
  check_length(indexes.size(), values.size(), container.name());
  CopyUnderWay copying(container.team(), Completion::remote);
  transfer_indexes(container, indexes, [&](Rank unit, const Shape& shape) {
    copying.team().check(
        copying.team().runtime().put(values.data(), container.pointer(unit, 0).address(), shape, copying.post()),
        [&] { return "a scatter to array '" + container.name() + "'"; });
  });
  copying.wait();
}

}  // namespace polder::containers
