// A hash map over all units: changes wait at the unit that makes them, commit() carries them out, and everybody finds
// what is committed without the owner's help.
//
//   UnorderedMap<std::uint64_t, long> words(team);
//   words.insert(hash, 1);
//   words.commit(std::plus<>());             // collective; equal keys are combined
//   if (const auto found = words.find(hash)) ...
#pragma once

#include <polder/collective.hpp>
#include <polder/containers/element.hpp>
#include <polder/containers/team_memory.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {

// Keys and values travel as bytes; Hash gives the same number for a key at every unit. A key belongs to the unit that
// its hash names, in a table with open addressing and linear probing, at most half full (Knuth, volume 3, section 6.4):
// one get finds nearly every key. Construction, commit() and destruction are collective; one thread of a unit at a time.
// Throws Failure: a unit is gone, time is up, memory is not there.
template <class K, class V, class Hash = std::hash<K>>
class UnorderedMap {
 public:
  static_assert(std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>, "keys and values travel as bytes");

  explicit UnorderedMap(const Team& team, std::string name = "unnamed")
      : memory_(team, 0, 0, "memory of map '" + name + "'"),
        capacities_(team.units()),
        sizes_(team.units()),
        name_(std::move(name)) {}

  const Team& team() const { return memory_.team(); }

  // Carried out by the next commit(), those of a unit in this order, and units one after the other.
  void insert(const K& key, const V& value) { waiting_.push_back({Change::added, key, value}); }
  void erase(const K& key) { waiting_.push_back({Change::removed, key, {}}); }

  // combine(old, inserted) is the value of a key that is there already; by default that stays as it is. Each change
  // travels once, in one alltoall. Failure (out_of_memory): nothing has changed at any unit, and all changes still wait.
  template <class Combine = std::nullptr_t>
  void commit(Combine combine = {}) {
    const std::vector<Change> changes = exchange();
    std::size_t inserted = 0;
    for (const Change& change : changes) inserted += change.kind == Change::added ? 1 : 0;
    make_room(sizes_[team().unit()] + inserted);
    waiting_.clear();
    std::size_t size = sizes_[team().unit()];
    const auto carry_out = [&](const Change& change) {
      if (change.kind == Change::removed) {
        size -= remove(change.key) ? 1 : 0;
        return;
      }
      Slot& slot = place_of(change.key);
      if (slot.used == 0) {
        slot = {1, change.key, change.value};
        ++size;
      } else if constexpr (!std::is_same_v<Combine, std::nullptr_t>) {
        slot.value = combine(slot.value, change.value);
      }
    };
    team().own_part([&] { std::for_each(changes.begin(), changes.end(), carry_out); });
    sizes_ = team().gather(size, what("commit"));
  }

  // ---- what is committed ----
  std::size_t size() const {
    std::size_t all = 0;
    for (const std::size_t of_unit : sizes_) all += of_unit;
    return all;
  }
  std::size_t local_size() const { return sizes_[team().unit()]; }
  Rank unit_of(const K& key) const { return Rank(mixed(key) % team().units()); }

  // One-sided. An atomic value is read atomically, once its key has been found: one operation more.
  std::optional<V> find(const K& key) const {
    const auto found = look_up(key);
    if (!found) return std::nullopt;
    if constexpr (kIsAtomic<V>)
      return V{value_at(key, found->first).load()};
    else
      return found->second;
  }
  bool contains(const K& key) const { return look_up(key).has_value(); }
  // A reference to the value of a key, valid until the next commit(). Throws Failure: there is no such key.
  Element<V> at(const K& key) const {
    const auto found = look_up(key);
    if (!found)
      throw_failure(Code::invalid_argument,
                    "map '" + name_ + "': there is no such key, at rank " + std::to_string(team().runtime().rank()));
    return value_at(key, found->first);
  }
  // function(key, value) for what belongs to this unit, in no order. Local.
  template <class F>
  void for_each_local(F&& function) {
    for (std::size_t at = 0; at < capacities_[team().unit()]; ++at)
      if (slots()[at].used != 0) function(std::as_const(slots()[at].key), slots()[at].value);
  }

 private:
  struct Change {
    enum Kind : std::uint8_t { added, removed } kind;
    K key;
    V value;
  };
  struct Slot {
    std::uint8_t used;
    K key;
    V value;
  };

  std::string what(const char* call) const { return std::string(call) + " of map '" + name_ + "'"; }
  Slot* slots() const { return reinterpret_cast<Slot*>(memory_.data()); }

  // The standard's hash of an integer is the integer: mixed, so that neighbours part (SplitMix64, Steele et al. 2014).
  static std::uint64_t mixed(const K& key) {
    std::uint64_t x = std::uint64_t(Hash{}(key)) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  // Where the search for a key begins; by other digits of the hash than its unit.
  std::size_t start_of(const K& key, std::size_t capacity) const {
    return std::size_t(mixed(key) / team().units()) & (capacity - 1);
  }

  // Changes reach the owners of their keys; in the order of the units that made them.
  std::vector<Change> exchange() {
    const std::size_t units = team().units();
    std::vector<std::uint64_t> counts(units), coming(units);
    for (const Change& change : waiting_) ++counts[unit_of(change.key)];
    std::vector<Part> sent(units), received(units);
    std::vector<std::size_t> next(units);
    for (std::size_t unit = 0, at = 0; unit < units; at += counts[unit++]) {
      next[unit] = at;
      sent[unit] = {at * sizeof(Change), counts[unit] * sizeof(Change)};
    }
    std::vector<Change> ordered(waiting_.size());
    for (const Change& change : waiting_) ordered[next[unit_of(change.key)]++] = change;
    team().meet(what("commit"), [&] {
      return alltoall(team().group(), sizeof(std::uint64_t), counts.data(), coming.data(), team().timeout());
    });
    std::size_t all = 0;
    for (std::size_t unit = 0; unit < units; all += coming[unit++])
      received[unit] = {all * sizeof(Change), coming[unit] * sizeof(Change)};
    std::vector<Change> changes(all);
    team().meet(what("commit"), [&] {
      return alltoallv(team().group(), ordered.data(), sent, changes.data(), received, team().timeout());
    });
    return changes;
  }

  // A table at most half full, at each unit; made anew where one needs more. Begins when nobody reads the old one any more.
  void make_room(std::size_t wanted) {
    std::size_t capacity = std::max<std::size_t>(capacities_[team().unit()], 8);
    while (capacity < 2 * wanted) capacity *= 2;
    const std::vector<std::size_t> capacities = team().gather(capacity, what("commit"));
    if (capacities == capacities_) return;
    TeamMemory larger(team(), capacity * sizeof(Slot), 0, "memory of map '" + name_ + "'");
    std::swap(memory_, larger);
    const std::size_t before = std::exchange(capacities_, capacities)[team().unit()];
    const Slot* old = reinterpret_cast<const Slot*>(larger.data());
    for (std::size_t at = 0; at < before; ++at)
      if (old[at].used != 0) place_of(old[at].key) = old[at];
  }

  // Of this unit: the slot of a key, or the empty one where it belongs.
  Slot& place_of(const K& key) const {
    const std::size_t capacity = capacities_[team().unit()];
    std::size_t at = start_of(key, capacity);
    while (slots()[at].used != 0 && !(slots()[at].key == key)) at = (at + 1) & (capacity - 1);
    return slots()[at];
  }
  // Empties its slot and moves up those behind it that would not be found any more (Knuth's algorithm R).
  bool remove(const K& key) {
    Slot* hole = &place_of(key);
    if (hole->used == 0) return false;
    const std::size_t capacity = capacities_[team().unit()], mask = capacity - 1;
    std::size_t empty = std::size_t(hole - slots());
    for (std::size_t at = (empty + 1) & mask; slots()[at].used != 0; at = (at + 1) & mask) {
      const std::size_t home = start_of(slots()[at].key, capacity);
      if (((at - home) & mask) < ((at - empty) & mask)) continue;  // its home lies behind the hole
      slots()[empty] = slots()[at];
      empty = at;
    }
    slots()[empty].used = 0;
    return true;
  }

  Element<V> value_at(const K& key, std::size_t slot) const {
    return {team(), GlobalPointer<V>(memory_.at(unit_of(key), slot * sizeof(Slot) + offsetof(Slot, value)))};
  }

  // The place of a key at its unit, and its value: a get of four slots at a time. Of an atomic value that others change meanwhile this
  // may be a part of the old one and a part of the new one, so nobody may use it.
  std::optional<std::pair<std::size_t, V>> look_up(const K& key) const {
    const Rank unit = unit_of(key);
    const std::size_t capacity = capacities_[unit];
    if (capacity == 0) return std::nullopt;
    std::array<Slot, 4> seen;
    for (std::size_t at = start_of(key, capacity);; at = (at + 1) & (capacity - 1)) {
      const std::size_t count = std::min(seen.size(), capacity - at);
      team().check(fetch(team().runtime(), seen.data(), memory_.at(unit, at * sizeof(Slot)), count * sizeof(Slot),
                         team().timeout()),
                   [&] { return what("find"); });
      for (std::size_t k = 0; k < count; ++k) {
        if (seen[k].used == 0) return std::nullopt;
        if (seen[k].key == key) return std::pair(at + k, seen[k].value);
      }
      at += count - 1;
    }
  }

  TeamMemory memory_;
  std::vector<std::size_t> capacities_, sizes_;  // by unit; capacities are powers of two
  std::string name_;
  std::vector<Change> waiting_;
};

}  // namespace polder::containers
