// A sequence that grows: units append to parts of their own, and commit what all are to see.
//
//   List<Event> events(team);
//   events.push_back(event);                 // local, costs what a vector's does
//   events.commit();                         // collective: now everybody sees it
//   sort(events, std::less<>(), &Event::time);
#pragma once

#include <polder/containers/element.hpp>
#include <polder/containers/irregular.hpp>
#include <polder/containers/matrix.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {

// Elements in the order of units, those of a unit in the order in which it appended them. Committed elements are a range
// like an array, of an Irregular distribution. Construction, commit() and destruction are collective; one thread of a
// unit at a time. Throws Failure: a unit is gone, time is up, memory is not there.
template <class T>
class List {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "elements travel as bytes: they must be trivially copyable");
  using value_type = T;
  using distribution_type = Irregular;
  static constexpr std::size_t kDimensions = 1;

  explicit List(const Team& team, std::string name = "unnamed")
      : memory_(team, 0, 0, "memory of list '" + name + "'"),
        distribution_(std::vector<std::size_t>(team.units())),
        name_(std::move(name)) {}

  // Appended at this unit by the next commit().
  void push_back(const T& value) { waiting_.push_back(value); }
  std::size_t waiting() const { return waiting_.size(); }

  // Units whose memory is full double it; the others wait for them.
  void commit() {
    const std::size_t before = local_size(), after = before + waiting_.size();
    const bool full = after > capacity_;
    bool grows = false;
    for (const std::uint8_t any : team().gather(std::uint8_t(full ? 1 : 0), "commit of list '" + name_ + "'"))
      grows = grows || any != 0;
    if (grows) grow(full ? std::max(after, 2 * capacity_) : capacity_);
    std::copy(waiting_.begin(), waiting_.end(), data() + before);
    waiting_.clear();
    distribution_ = Irregular(team().gather(after, "commit of list '" + name_ + "'"));
  }

  // ---- what is committed ----
  const Team& team() const { return memory_.team(); }
  const Irregular& distribution() const { return distribution_; }
  Index<1> extents() const { return distribution_.extents(); }
  std::size_t size() const { return extents()[0]; }
  std::size_t local_size() const { return distribution_.capacity(team().unit()); }
  const std::string& name() const { return name_; }
  std::span<T> local() { return {data(), local_size()}; }
  std::span<const T> local() const { return {data(), local_size()}; }

  GlobalPointer<T> pointer(Rank unit, std::size_t place) const {
    return GlobalPointer<T>(memory_.at(unit, place * sizeof(T)));
  }
  // Throws Failure: there is no such element.
  Element<T> at(const Index<1>& index) const {
    if (index[0] >= size()) [[unlikely]]
      throw_failure(Code::invalid_argument, "list '" + name_ + "': no element " + std::to_string(index[0]) + " of " +
                                                std::to_string(size()) + ", at rank " +
                                                std::to_string(team().runtime().rank()));
    return {team(), pointer(distribution_.unit_of(index), distribution_.local_index(index))};
  }
  Element<T> operator[](std::size_t i) const { return at({i}); }
  Element<T> front() const { return at({0}); }
  Element<T> back() const { return at({size() - 1}); }
  View<List> all() { return {*this, {{}, extents()}}; }
  View<const List> all() const { return {*this, {{}, extents()}}; }
  auto begin() { return all().begin(); }
  auto end() { return all().end(); }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }

 private:
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  void grow(std::size_t capacity) {
    TeamMemory larger(team(), capacity * sizeof(T), 0, "memory of list '" + name_ + "'");
    std::copy_n(data(), local_size(), reinterpret_cast<T*>(larger.data()));
    memory_ = std::move(larger);  // the old memory goes at the end, when all have met
    capacity_ = capacity;
  }

  TeamMemory memory_;
  Irregular distribution_;
  std::string name_;
  std::size_t capacity_ = 0;
  std::vector<T> waiting_;
};

}  // namespace polder::containers
