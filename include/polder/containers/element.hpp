// References to elements that may lie anywhere, and elements that several units change at a time.
#pragma once

#include <polder/containers/landing_buffer.hpp>
#include <polder/containers/team.hpp>

#include <type_traits>

namespace polder::containers {

// Marks elements that are changed atomically: Array<Atomic<std::int64_t>>. Reached through references only.
template <AtomicValue T>
struct Atomic {
  T value{};
};
template <class T>
inline constexpr bool kIsAtomic = false;
template <AtomicValue T>
inline constexpr bool kIsAtomic<Atomic<T>> = true;

// As a reference: reading and assigning move the value, a load or store to this unit and its neighbours, one get or put
// to others, complete when the call returns. Copying the reference moves nothing; element = other_element moves a value.
// After a Failure (timeout) a value that was read goes nowhere, and one that was written may still arrive.
template <class T>
class Element {
 public:
  using value_type = std::remove_const_t<T>;

  Element(const Team& team, GlobalPointer<T> pointer) : team_(&team), pointer_(pointer) {}
  Element(const Element&) = default;
  operator Element<const T>() const requires(!std::is_const_v<T>) { return {*team_, pointer_}; }

  operator value_type() const { return load(); }
  value_type load() const {
    value_type value{};
    team_->check(fetch(team_->runtime(), &value, pointer_.address(), sizeof(T), team_->timeout()),
                 "reading an element");
    return value;
  }
  void store(const value_type& value) const requires(!std::is_const_v<T>) {
    team_->check(deliver(team_->runtime(), &value, pointer_.address(), sizeof(T), team_->timeout()),
                 "writing an element");
  }
  const Element& operator=(const value_type& value) const requires(!std::is_const_v<T>) {
    store(value);
    return *this;
  }
  Element& operator=(const Element& other) {  // NOLINT: of its own value it stores what is there
    store(other.load());
    return *this;
  }
  // Not atomic: a load and a store.
  const Element& operator+=(const value_type& value) const { return *this = value_type(load() + value); }
  const Element& operator-=(const value_type& value) const { return *this = value_type(load() - value); }
  const Element& operator*=(const value_type& value) const { return *this = value_type(load() * value); }

  GlobalPointer<T> pointer() const { return pointer_; }

 private:
  const Team* team_;
  GlobalPointer<T> pointer_;
};

// Each is atomic against all others of that element, from anywhere.
template <class T>
class Element<Atomic<T>> {
 public:
  using value_type = T;
  Element(const Team& team, GlobalPointer<Atomic<T>> pointer) : team_(&team), place_(pointer.address()) {}
  Element(const Element&) = default;
  operator Element<const Atomic<T>>() const { return {*team_, GlobalPointer<const Atomic<T>>(place_)}; }

  T fetch_add(T value) const { return take(runtime().fetch_add(place_, value, team_->timeout()), "fetch_add"); }
  T exchange(T value) const { return take(runtime().swap(place_, value, team_->timeout()), "exchange"); }
  // Stores `desired` if the value is `expected`, bit by bit; else `expected` becomes the value.
  bool compare_exchange(T& expected, T desired) const {
    const T old = take(runtime().compare_swap(place_, expected, desired, team_->timeout()), "compare_exchange");
    const bool done = to_word(old) == to_word(expected);
    expected = old;
    return done;
  }
  // Any Reduction but axpy; returns the old value.
  T fetch_op(Reduction op, T value) const {
    return take(runtime().fetch_accumulate(op, place_, value, team_->timeout()), "fetch_op");
  }
  T load() const {
    if constexpr (std::floating_point<T>) {
      T zero = 0;
      return take(runtime().compare_swap(place_, zero, zero, team_->timeout()), "load");
    } else {
      return fetch_add(0);
    }
  }
  void store(T value) const { exchange(value); }
  operator T() const { return load(); }
  T operator=(T value) const {
    store(value);
    return value;
  }
  Element& operator=(
      const Element& other) {  // NOLINT: of its own value it stores what is there. Two steps, not atomic.
    store(other.load());
    return *this;
  }
  T operator+=(T value) const { return T(fetch_add(value) + value); }
  T operator++() const { return *this += T(1); }

 private:
  Runtime& runtime() const { return team_->runtime(); }
  T take(Result<T> result, const char* what) const {
    return team_->take(std::move(result), [&] { return std::string(what) + " of an atomic element"; });
  }

  const Team* team_;
  GlobalAddress place_;
};

// Of a container that is const: read as atomically.
template <class T>
class Element<const Atomic<T>> {
 public:
  using value_type = T;
  Element(const Team& team, GlobalPointer<const Atomic<T>> pointer) : team_(&team), pointer_(pointer) {}

  T load() const { return Element<Atomic<T>>(*team_, GlobalPointer<Atomic<T>>(pointer_.address())).load(); }
  operator T() const { return load(); }

 private:
  const Team* team_;
  GlobalPointer<const Atomic<T>> pointer_;
};

}  // namespace polder::containers
