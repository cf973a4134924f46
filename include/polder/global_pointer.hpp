// Addresses with a type: arithmetic in elements, and calls that need no sizes.
//
//   polder::GlobalPointer<double> there(array->at(peer));        // from a GlobalAddress
//   rt.put(std::span(mine), there + 100);                        // as many elements as the span has
//   rt.fetch_add((there + 3).address(), 0.5);                    // atomics take the address
//   double last = 0;
//   rt.get(std::span(&last, 1), there + n - 1, Until::local);    // returns once `last` is filled
#pragma once

#include <polder/types.hpp>

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace polder {

// The place of an element of type T in the memory of some rank. A value of 16 bytes that can be computed, stored and
// sent, as a GlobalAddress can; nothing is checked before it is used. Const as a pointer: GlobalPointer<const T> is
// read only.
template <class T>
class GlobalPointer {
  static_assert(std::is_trivially_copyable_v<T>, "what travels as bytes must be trivially copyable");

 public:
  using element_type = T;

  constexpr GlobalPointer() = default;
  constexpr explicit GlobalPointer(GlobalAddress address) : address_(address) {}
  constexpr operator GlobalPointer<const T>() const  // NOLINT: implicit, as of pointers
      requires(!std::is_const_v<T>) {
    return GlobalPointer<const T>(address_);
  }

  constexpr GlobalAddress address() const { return address_; }
  constexpr Rank rank() const { return address_.rank; }

  constexpr GlobalPointer& operator+=(std::ptrdiff_t elements) {
    address_.offset += std::uint64_t(elements) * sizeof(T);  // wraps back for negative ones
    return *this;
  }
  constexpr GlobalPointer& operator-=(std::ptrdiff_t elements) { return *this += -elements; }
  constexpr GlobalPointer& operator++() { return *this += 1; }
  constexpr GlobalPointer& operator--() { return *this -= 1; }
  friend constexpr GlobalPointer operator+(GlobalPointer pointer, std::ptrdiff_t elements) {
    return pointer += elements;
  }
  friend constexpr GlobalPointer operator-(GlobalPointer pointer, std::ptrdiff_t elements) {
    return pointer -= elements;
  }
  // In elements. REQUIRES: both in one segment of one rank.
  friend constexpr std::ptrdiff_t operator-(GlobalPointer one, GlobalPointer other) {
    assert(one.address_.rank == other.address_.rank && one.address_.segment == other.address_.segment);
    return std::ptrdiff_t(one.address_.offset - other.address_.offset) / std::ptrdiff_t(sizeof(T));
  }

  // Ordered by rank, segment and offset.
  friend constexpr bool operator==(GlobalPointer, GlobalPointer) = default;
  friend constexpr std::strong_ordering operator<=>(GlobalPointer one, GlobalPointer other) {
    if (const auto by_rank = one.address_.rank <=> other.address_.rank; std::is_neq(by_rank)) return by_rank;
    if (const auto by_segment = one.address_.segment <=> other.address_.segment; std::is_neq(by_segment))
      return by_segment;
    return one.address_.offset <=> other.address_.offset;
  }

 private:
  GlobalAddress address_;
};

}  // namespace polder
