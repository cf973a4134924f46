// Accumulate as the documentation words it, one element at a time.
#pragma once

#include <polder/accumulate.hpp>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace polder::test {

template <class T>
inline constexpr bool kComplex = false;
template <class T>
inline constexpr bool kComplex<std::complex<T>> = true;

// Calls visit(T{}) for the C++ type of each DataType.
template <class Visit>
void for_each_type(Visit&& visit) {
  visit(std::int32_t{});
  visit(std::int64_t{});
  visit(std::uint32_t{});
  visit(std::uint64_t{});
  visit(float{});
  visit(double{});
  visit(std::complex<float>{});
  visit(std::complex<double>{});
}

inline constexpr Reduction kReductions[] = {Reduction::sum,     Reduction::product, Reduction::min,
                                            Reduction::max,     Reduction::bit_and, Reduction::bit_or,
                                            Reduction::bit_xor, Reduction::axpy};

template <class T>
constexpr bool defined(Reduction op) {
  switch (op) {
    case Reduction::sum:
    case Reduction::product:
    case Reduction::axpy: return true;
    case Reduction::min:
    case Reduction::max: return !kComplex<T>;
    case Reduction::bit_and:
    case Reduction::bit_or:
    case Reduction::bit_xor: return std::is_integral_v<T>;
  }
  return false;
}

// y op x. REQUIRES: defined<T>(op), and nothing overflows.
template <class T>
T combined(Reduction op, T y, T x, T scale) {
  if (op == Reduction::sum) return y + x;
  if (op == Reduction::product) return y * x;
  if (op == Reduction::axpy) return y + scale * x;
  if constexpr (!kComplex<T>) {
    if (op == Reduction::min) return x < y ? x : y;
    if (op == Reduction::max) return x < y ? y : x;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == Reduction::bit_and) return y & x;
    if (op == Reduction::bit_or) return y | x;
    if (op == Reduction::bit_xor) return y ^ x;
  }
  return T{};
}

// A small number, so that every result is exact.
template <class T>
T small(std::uint64_t i) {
  const auto part = [](std::uint64_t n) { return int(n * 2654435761u % 11); };
  if constexpr (kComplex<T>)
    return T(part(i) - 5, part(i + 1) - 5);
  else
    return T(part(i) - (std::is_unsigned_v<T> ? 0 : 5));
}

}  // namespace polder::test
