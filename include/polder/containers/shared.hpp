// One value for all units, and one value, or row of values, of each unit.
//
//   Shared<double> bound(team);         // at unit 0
//   bound.element() = 3.5;
//   Coarray<int> edges(team, 10);       // ten at each unit
//   edges(peer, 3) = 7;                 // that of another unit
//   edges.local()[3] += 1;
#pragma once

#include <polder/containers/element.hpp>
#include <polder/containers/index.hpp>
#include <polder/containers/team_memory.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace polder::containers {

// A value at `owner`, zero bytes at first. Construction and destruction are collective. Shared<Atomic<T>> is changed by
// several units at once. Throws Failure: units that want other owners, by rank; there is no such owner; a unit is gone,
// time is up.
template <class T>
class Shared {
 public:
  explicit Shared(const Team& team, Rank owner = 0)
      : memory_(team, agreed(team, owner) == team.unit() ? sizeof(T) : 0, 0, "memory of a shared value"),
        owner_(owner) {}

  Rank owner() const { return owner_; }
  Element<T> element() const { return {memory_.team(), GlobalPointer<T>(memory_.at(owner_, 0))}; }

 private:
  static Rank agreed(const Team& team, Rank owner) {
    const std::vector<Rank> owners = team.gather(owner, "construction of a shared value");
    for (Rank unit = 1; unit < owners.size(); ++unit)
      if (owners[unit] != owners[0])
        throw_failure(Code::invalid_argument, "a shared value: rank " + std::to_string(team.rank(unit)) +
                                                  " wants it at unit " + std::to_string(owners[unit]) + ", rank " +
                                                  std::to_string(team.rank(0)) + " at " + std::to_string(owners[0]));
    if (owner >= team.units())
      throw_failure(Code::invalid_rank, "a shared value: its owner is unit " + std::to_string(owner) +
                                            ", the team has " + std::to_string(team.units()));
    return owner;
  }

  TeamMemory memory_;
  Rank owner_;
};

// `count` elements at every unit, zero bytes at first, as Fortran's coarrays. Construction and destruction are
// collective. Throws Failure: units that want other numbers, by rank; memory is not there; a unit is gone, time is up.
template <class T>
class Coarray {
 public:
  explicit Coarray(const Team& team, std::size_t count = 1)
      : memory_(team, agreed_bytes(team, count), 0, "memory of a coarray"), count_(count) {}

  std::size_t size() const { return count_; }  // of each unit
  std::span<T> local() const { return {reinterpret_cast<T*>(memory_.data()), count_}; }
  // Of any unit. Throws Failure: there is no such unit or element.
  Element<T> operator()(Rank unit, std::size_t i = 0) const {
    if (unit >= memory_.team().units() || i >= count_) [[unlikely]]
      throw_failure(Code::invalid_argument, "a coarray of " + std::to_string(count_) + " elements at " +
                                                std::to_string(memory_.team().units()) + " units: no element " +
                                                std::to_string(i) + " of unit " + std::to_string(unit) + ", at rank " +
                                                std::to_string(memory_.team().runtime().rank()));
    return {memory_.team(), GlobalPointer<T>(memory_.at(unit, i * sizeof(T)))};
  }
  // Collective: values that units wrote before are there.
  void sync_all() const { memory_.team().barrier("sync_all of a coarray"); }

 private:
  static std::size_t agreed_bytes(const Team& team, std::size_t count) {
    const std::vector<std::size_t> counts = team.gather(count, "construction of a coarray");
    for (Rank unit = 1; unit < counts.size(); ++unit)
      if (counts[unit] != counts[0])
        throw_failure(Code::invalid_argument, "a coarray: rank " + std::to_string(team.rank(unit)) + " wants " +
                                                  std::to_string(counts[unit]) + " elements, rank " +
                                                  std::to_string(team.rank(0)) + " " + std::to_string(counts[0]));
    const auto bytes = bytes_of<1>({count}, sizeof(T));
    if (!bytes)
      throw_failure(Code::out_of_memory, "memory of a coarray: " + std::to_string(count) + " elements of " +
                                             std::to_string(sizeof(T)) + " bytes are more than 64 bits count");
    return *bytes;
  }

  TeamMemory memory_;
  std::size_t count_;
};

}  // namespace polder::containers
