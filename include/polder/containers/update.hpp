// Changes to elements by index, wherever they lie, sent together: what random updates (GUPS) want, and without atomics.
//
//   update(table, indexes, values, std::plus<>());       // collective: each unit brings changes of its own
#pragma once

#include <polder/collective.hpp>
#include <polder/containers/team.hpp>
#include <polder/containers/view.hpp>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {

// A change on its way to the owner of the element.
template <class T>
struct ElementUpdate {
  std::uint64_t place;  // in the owner's memory
  T value;
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
  Rank owner(const Index<D::kDimensions>& index) const { return distribution_.unit_of(index); }
  std::uint64_t place(Rank owner, const Index<D::kDimensions>& index) const {
    return blocks_.empty() ? distribution_.local_index(index) : blocks_[owner].place(index);
  }

 private:
  const D& distribution_;
  std::vector<OwnedBlock<D::kDimensions>> blocks_;
};

// What a unit says to an owner before changes travel.
struct UpdateCount {
  std::uint64_t coming = 0;  // to this owner, in this round
  std::uint64_t left = 0;    // that this unit has for later rounds
};

// One round of changes: those of this unit sorted by owner, and behind them those that others send. One piece of memory,
// so that an allocator keeps it from round to round. Changes of a unit to its own elements stay where they are.
template <class C>
class UpdateRound {
 public:
  using Change = ElementUpdate<typename C::value_type>;

  // Counts; `indexes` and `values` outlive the round. Collective.
  UpdateRound(const C& container, std::span<const Index<C::kDimensions>> indexes,
              std::span<const typename C::value_type> values, std::size_t left, const std::string& what)
      : team_(container.team()),
        what_(what),
        finder_(container.distribution()),
        sent_(team_.units()),
        received_(sent_) {
    std::vector<UpdateCount> mine(team_.units(), UpdateCount{0, left}), others(mine.size());
    for (const auto& index : indexes) ++mine[finder_.owner(index)].coming;
    team_.meet(what_, [&] {
      return alltoall(team_.group(), sizeof(UpdateCount), mine.data(), others.data(), team_.timeout());
    });
    std::size_t in = 0;
    for (std::size_t unit = 0; unit < mine.size(); ++unit) {
      const bool here = unit == team_.unit();
      sent_[unit] = {out_ * sizeof(Change), here ? 0 : mine[unit].coming * sizeof(Change)};
      received_[unit] = {in * sizeof(Change), here ? 0 : others[unit].coming * sizeof(Change)};
      if (here) own_ = {out_, mine[unit].coming};
      out_ += mine[unit].coming;
      in += here ? 0 : others[unit].coming;
      last_ = last_ && others[unit].left == 0;
    }
    changes_ = std::make_unique_for_overwrite<Change[]>(out_ + in);
    sort_by_owner(indexes, values);
  }

  bool is_last() const { return last_; }
  // Collective.
  void exchange() {
    team_.meet(what_, [&] {
      return alltoallv(team_.group(), changes_.get(), sent_, changes_.get() + out_, received_, team_.timeout());
    });
  }
  // What `sender` changes here, in the order of its list. REQUIRES: exchanged.
  std::span<const Change> from(Rank sender) const {
    assert(sender < received_.size());
    if (sender == team_.unit()) return {changes_.get() + own_.offset, own_.size};
    const Part& part = received_[sender];
    return {changes_.get() + out_ + part.offset / sizeof(Change), part.size / sizeof(Change)};
  }

 private:
  void sort_by_owner(std::span<const Index<C::kDimensions>> indexes, std::span<const typename C::value_type> values) {
    std::vector<Change*> next(sent_.size());
    for (std::size_t unit = 0; unit < next.size(); ++unit)
      next[unit] = changes_.get() + sent_[unit].offset / sizeof(Change);
    for (std::size_t k = 0; k < indexes.size(); ++k) {
      const Rank owner = finder_.owner(indexes[k]);
      *next[owner]++ = {finder_.place(owner, indexes[k]), values[k]};
    }
  }

  const Team& team_;
  const std::string& what_;
  PlaceFinder<std::remove_cvref_t<decltype(std::declval<const C&>().distribution())>> finder_;
  std::vector<Part> sent_, received_;
  std::size_t out_ = 0;  // changes
  Part own_;             // changes, not bytes
  bool last_ = true;
  std::unique_ptr<Change[]> changes_;
};

// container[indexes[k]] = op(container[indexes[k]], values[k]) for the lists of all units: each owner changes its own
// elements, in the order of units and of their lists, so the result is the same whoever is slow. Collective; units may
// bring lists of different lengths, also none. Nobody else reaches for the elements meanwhile. Begins with an exchange of
// counts, which nobody leaves before all have come, and ends with a barrier. A unit sends 2^16 changes at a time, all of
// them together: one alltoallv a round, and memory for what goes out and comes in.
// Throws Failure: other lengths, an index that lies outside (at that unit before anything moved, which is out of step then;
// the others wait for it until their time is up), a unit is gone (some changes are made then, and others are not).
template <class C, class Op = std::plus<>>
void update(C& container, std::span<const Index<C::kDimensions>> indexes,
            std::span<const std::type_identity_t<typename C::value_type>> values, Op op = {}) {
  constexpr std::size_t kRound = std::size_t{1} << 16;
  const Team& team = container.team();
  const std::string what = "update of array '" + container.name() + "'";
  const IndexBox<C::kDimensions> all{{}, container.extents()};
  team.own_part([&] {
    if (indexes.size() != values.size())
      throw_failure(Code::invalid_size, what + ": " + std::to_string(indexes.size()) + " indexes, " +
                                            std::to_string(values.size()) + " values");
    for (std::size_t k = 0; k < indexes.size(); ++k)
      if (!all.contains(indexes[k])) [[unlikely]]
        throw_failure(Code::invalid_argument, what + ": index " + to_string(indexes[k]) + ", number " +
                                                  std::to_string(k) + " of a list, lies outside, extents " +
                                                  to_string(container.extents()));
  });
  for (std::size_t first = 0;; first += kRound) {
    const std::size_t from = std::min(first, indexes.size()), count = std::min(kRound, indexes.size() - from);
    UpdateRound round(std::as_const(container), indexes.subspan(from, count), values.subspan(from, count),
                      indexes.size() - from - count, what);
    round.exchange();
    auto memory = container.local();
    team.own_part([&] {
      for (Rank sender = 0; sender < team.units(); ++sender)
        for (const auto& change : round.from(sender))
          memory[change.place] = op(std::as_const(memory[change.place]), change.value);
    });
    if (round.is_last()) break;
  }
  team.barrier(what);
}

}  // namespace polder::containers
