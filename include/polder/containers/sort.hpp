// Sorting the elements of a one-dimensional range over all units.
//
//   sort(a);                                                    // ascending
//   sort(people, std::less<>(), &Person::age);                  // by a projection
//   sort(a, std::greater<>());
#pragma once

#include <polder/containers/reduce.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace polder::containers {

// ---- parts of it ----

// An element as a splitter, with where it stood: equal elements are cut by that, so that a value that occurs often goes to
// as many units as its share of all elements fills.
template <class T>
struct SortSample {
  T value{};
  std::uint64_t unit = 0, position = 0;
};

// Where to cut all elements into as many parts as there are units: regular samples of each unit's sorted elements, one for
// each `apart` of them, so that all stand for equally many, however uneven the units are.
//
// Of N elements at P units there are fewer than N / apart + P samples, so a part has fewer than N / (apart P) + 2. Each
// stands for `apart` elements, and before the first of a unit lie fewer than as many that belong to the one before: a part
// is smaller than N/P + (P + 2) apart, at most 2 N/P. With samples of all elements it is N/P, rounded up.
template <class T, class Less>
std::vector<SortSample<T>> choose_splitters(const Team& team, const std::vector<T>& sorted, Less& less) {
  using Sample = SortSample<T>;
  const std::vector<std::size_t> sizes = team.gather(sorted.size(), "sort");
  const std::size_t units = team.units(), all = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  const std::size_t apart = std::max<std::size_t>(all / (units * (units + 2)), 1);
  std::vector<Sample> mine;
  for (std::size_t position = 0; position < sorted.size(); position += apart)
    mine.push_back({sorted[position], team.unit(), position});
  std::vector<std::size_t> bytes;
  for (const std::size_t size : sizes) bytes.push_back((size + apart - 1) / apart * sizeof(Sample));
  std::vector<Sample> samples(std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}) / sizeof(Sample));
  team.meet("sort: samples",
            [&] { return allgather(team.group(), bytes, mine.data(), samples.data(), team.timeout()); });
  // They come in the order of units and positions, which a stable sort keeps among equal ones.
  team.own_part([&] {
    std::stable_sort(samples.begin(), samples.end(),
                     [&](const Sample& one, const Sample& other) { return less(one.value, other.value); });
  });
  std::vector<Sample> splitters;
  for (std::size_t unit = 1; unit < units && !samples.empty(); ++unit)
    splitters.push_back(samples[unit * samples.size() / units]);
  return splitters;
}

// Of `unit`'s sorted elements, how many come before the splitter: those with smaller values, and of equal ones those of
// earlier units and of earlier positions. O(log n).
template <class T, class Less>
std::size_t before_splitter(const std::vector<T>& sorted, std::size_t unit, const SortSample<T>& splitter, Less& less) {
  const auto equal = std::equal_range(sorted.begin(), sorted.end(), splitter.value, less);
  const std::size_t first = std::size_t(equal.first - sorted.begin()), end = std::size_t(equal.second - sorted.begin());
  if (unit < splitter.unit) return end;
  return unit > splitter.unit ? first : std::clamp(std::size_t(splitter.position), first, end);
}

// Sends what lies between splitters to the unit of that number; returns what came here, sorted runs one behind the other,
// and where each ends.
template <class T, class Less>
std::vector<T> exchange_by(const Team& team, const std::vector<T>& sorted, const std::vector<SortSample<T>>& splitters,
                           Less& less, std::vector<std::size_t>& ends) {
  const std::size_t units = team.units();
  std::vector<Part> sent(units), received(units);
  std::vector<std::uint64_t> counts(units), coming(units);
  team.own_part([&] {
    for (std::size_t unit = 0, at = 0; unit < units; ++unit) {
      const std::size_t end =
          unit < splitters.size() ? before_splitter(sorted, team.unit(), splitters[unit], less) : sorted.size();
      sent[unit] = {at * sizeof(T), (end - at) * sizeof(T)};
      counts[unit] = end - at;
      at = end;
    }
  });
  team.meet("sort: counts", [&] {
    return alltoall(team.group(), sizeof(std::uint64_t), counts.data(), coming.data(), team.timeout());
  });
  std::size_t all = 0;
  for (std::size_t unit = 0; unit < units; ++unit) {
    received[unit] = {all * sizeof(T), coming[unit] * sizeof(T)};
    ends.push_back(all += coming[unit]);
  }
  std::vector<T> here(all);
  team.meet("sort: elements",
            [&] { return alltoallv(team.group(), sorted.data(), sent, here.data(), received, team.timeout()); });
  return here;
}

// Merges neighbouring sorted runs until one is left: O(n log runs).
template <class T, class Less>
void merge_runs(std::vector<T>& elements, std::vector<std::size_t> ends, Less& less) {
  while (ends.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < ends.size(); k += 2) {
      const std::size_t end = ends[std::min(k + 1, ends.size() - 1)];
      std::inplace_merge(elements.begin() + std::ptrdiff_t(begin), elements.begin() + std::ptrdiff_t(ends[k]),
                         elements.begin() + std::ptrdiff_t(end), less);
      merged.push_back(begin = end);
    }
    ends.swap(merged);
  }
}

// ---- the whole ----

// Collective. Afterwards the range is ascending by less(projection(one), projection(other)); equal elements are in no
// order. Any distribution. Sample sort (Shi and Schaeffer 1992): each unit sorts its own, regular samples give the
// splitters, one alltoall moves every element once, a merge, and a copy to where they belong. No unit receives more than
// twice its share of all elements meanwhile, however often a value occurs and however many lie where; in memory that is a
// copy of its own and up to twice what it receives. Begins and ends with a barrier.
// Throws Failure: a unit is gone (the range may hold elements twice then), time is up.
template <BoxRange R, class Less = std::less<>, class Projection = std::identity>
void sort(R&& range, Less less = {}, Projection projection = {}) {
  const auto view = view_of(range);
  static_assert(decltype(view)::kDimensions == 1, "only ranges of one dimension have an order");
  using T = typename decltype(view)::value_type;
  auto& container = view.container();
  const Team& team = container.team();
  auto before = [&](const T& one, const T& other) {
    return bool(std::invoke(less, std::invoke(projection, one), std::invoke(projection, other)));
  };
  meet(view, "sort");
  std::vector<T> mine;
  for_each_own_span(view,
                    [&](auto elements, const auto&) { mine.insert(mine.end(), elements.begin(), elements.end()); });
  team.own_part([&] { std::sort(mine.begin(), mine.end(), before); });
  const auto splitters = choose_splitters(team, mine, before);
  std::vector<std::size_t> ends;
  std::vector<T> here = exchange_by(team, mine, splitters, before, ends);
  team.own_part([&] { merge_runs(here, std::move(ends), before); });
  const std::vector<std::size_t> sizes = team.gather(here.size(), "sort");
  const std::size_t first = std::accumulate(sizes.begin(), sizes.begin() + team.unit(), std::size_t{0});
  team.own_part([&] { copy(std::span<const T>(here), view.sub({first}, {here.size()})); });
  meet(view, "sort");
}

template <BoxRange R, class Less = std::less<>>
bool is_sorted(R&& range, Less less = {}) {
  const auto view = view_of(range);
  static_assert(decltype(view)::kDimensions == 1, "only ranges of one dimension have an order");
  using T = typename decltype(view)::value_type;
  std::size_t wrong = 0;
  ElementBuffer<T> room;
  for_each_own_span(view, [&](auto elements, const auto& index) {
    if (!std::is_sorted(elements.begin(), elements.end(), less)) ++wrong;
    if (index[0] == view.box().first[0]) return;
    const auto before = room.of(1);
    copy(view.sub({index[0] - view.box().first[0] - 1}, {1}), before);
    if (less(elements.front(), before.front())) ++wrong;
  });
  auto plus = std::plus<>();
  return *combine_parts(view.container().team(), std::optional(wrong), plus, of_array("is_sorted", range)) == 0;
}

}  // namespace polder::containers
