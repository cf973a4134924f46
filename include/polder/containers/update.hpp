// Changes to elements by index, wherever they lie, sent together: what random updates (GUPS) want, and without atomics.
//
//   update(table, indexes, values, std::plus<>());       // collective: each unit brings changes of its own
#pragma once

#include <polder/collective.hpp>
#include <polder/containers/team.hpp>
#include <polder/containers/view.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace polder::containers {

// A change on its way to the owner of the element.
template <class T>
struct ElementUpdate {
  std::uint64_t place = 0;  // in the owner's memory
  T value{};
};

// Where elements lie, for many indexes at once: where each unit has one block at most those are looked up beforehand,
// which leaves unit_of() to be computed.
template <class D>
class PlaceFinder {
 public:
  explicit PlaceFinder(const D& distribution) : distribution_(distribution) {
    if (!distribution.properties().minimal) return;
    blocks_.resize(distribution.units());
    for (Rank unit = 0; unit < blocks_.size(); ++unit)
      for (const auto block : distribution.blocks(unit)) blocks_[unit] = block;
  }
  std::uint64_t place(Rank owner, const Index<D::kDimensions>& index) const {
    return blocks_.empty() ? distribution_.local_index(index) : blocks_[owner].place(index);
  }

 private:
  const D& distribution_;
  std::vector<OwnedBlock<D::kDimensions>> blocks_;
};

// Changes of one unit, those for one owner together, in their order.
template <class T>
struct SortedUpdates {
  std::vector<ElementUpdate<T>> updates;
  std::vector<std::uint64_t> counts;  // by owner
};
template <class C>
SortedUpdates<typename C::value_type> by_owner(const C& container, std::span<const Index<C::kDimensions>> indexes,
                                               std::span<const typename C::value_type> values) {
  const auto& distribution = container.distribution();
  const PlaceFinder finder(distribution);
  SortedUpdates<typename C::value_type> sorted;
  sorted.counts.resize(container.team().units());
  std::vector<Rank> owners(indexes.size());
  for (std::size_t k = 0; k < indexes.size(); ++k) ++sorted.counts[owners[k] = distribution.unit_of(indexes[k])];
  std::vector<std::uint64_t> next(sorted.counts.size());
  std::exclusive_scan(sorted.counts.begin(), sorted.counts.end(), next.begin(), std::uint64_t{0});
  sorted.updates.resize(indexes.size());
  for (std::size_t k = 0; k < indexes.size(); ++k)
    sorted.updates[next[owners[k]]++] = {finder.place(owners[k], indexes[k]), values[k]};
  return sorted;
}

// Sends each owner its changes; what came here, by sender. Collective.
template <class T>
std::vector<ElementUpdate<T>> exchange_updates(const Team& team, const SortedUpdates<T>& sorted,
                                               const std::string& what) {
  constexpr std::size_t kBytes = sizeof(ElementUpdate<T>);
  const std::size_t units = team.units();
  std::vector<std::uint64_t> coming(units);
  team.check(alltoall(team.group(), sizeof(std::uint64_t), sorted.counts.data(), coming.data(), team.timeout()), what);
  std::vector<Part> sent(units), received(units);
  std::size_t out = 0, in = 0;
  for (std::size_t unit = 0; unit < units; ++unit) {
    sent[unit] = {out * kBytes, sorted.counts[unit] * kBytes};
    received[unit] = {in * kBytes, coming[unit] * kBytes};
    out += sorted.counts[unit];
    in += coming[unit];
  }
  std::vector<ElementUpdate<T>> here(in);
  team.check(alltoallv(team.group(), sorted.updates.data(), sent, here.data(), received, team.timeout()), what);
  return here;
}

// container[indexes[k]] = op(container[indexes[k]], values[k]) for the lists of all units: each owner changes its own
// elements, in the order of units and of their lists, so the result is the same whoever is slow. Collective; units may
// bring lists of different lengths, also none. Nobody else reaches for the elements meanwhile. Begins and ends with a
// barrier. A unit sends 2^16 changes at a time, all of them together: one alltoallv a round, and as much memory as comes in.
// Throws Failure: other lengths, an index that lies outside (at that unit before anything moved; the others wait for it
// until their time is up), a unit is gone (some changes are made then, and others are not).
template <class C, class Op = std::plus<>>
void update(C& container, std::span<const Index<C::kDimensions>> indexes,
            std::span<const std::type_identity_t<typename C::value_type>> values, Op op = {}) {
  constexpr std::size_t kRound = std::size_t{1} << 16;
  const Team& team = container.team();
  const std::string what = "update of array '" + container.name() + "'";
  if (indexes.size() != values.size())
    throw_failure(Code::invalid_size, what + ": " + std::to_string(indexes.size()) + " indexes, " +
                                          std::to_string(values.size()) + " values");
  for (std::size_t k = 0; k < indexes.size(); ++k)
    if (!IndexBox<C::kDimensions>{{}, container.extents()}.contains(indexes[k]))
      throw_failure(Code::invalid_argument, what + ": index " + to_string(indexes[k]) + ", number " +
                                                std::to_string(k) + " of a list, lies outside, extents " +
                                                to_string(container.extents()));
  const std::vector<std::size_t> lengths = team.gather(indexes.size(), what);
  const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
  for (std::size_t first = 0; first < longest; first += kRound) {
    const std::size_t from = std::min(first, indexes.size()), count = std::min(kRound, indexes.size() - from);
    const auto sorted = by_owner(container, indexes.subspan(from, count), values.subspan(from, count));
    auto memory = container.local();
    for (const auto& change : exchange_updates(team, sorted, what))
      memory[change.place] = op(std::as_const(memory[change.place]), change.value);
  }
  team.barrier(what);
}

}  // namespace polder::containers
