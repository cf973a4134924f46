// Division by a number that stays the same while the dividend changes: the owner is asked for with each element.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace polder::containers {

// A number of at least 1. n / Divisor(d) and n % Divisor(d) are exact, by one multiplication where (n + 1) d <= 2^64 (Robison
// 2005: N-bit unsigned division via N-bit multiply-add), else by division.
class Divisor {
 public:
  constexpr Divisor(std::size_t number = 1) : number_(number), reciprocal_(~std::uint64_t{0} / number) {}
  constexpr operator std::size_t() const { return number_; }

  template <std::unsigned_integral Number>
  friend constexpr std::size_t operator/(Number n, const Divisor& by) {
    if (n >= by.reciprocal_) [[unlikely]]
      return n / by.number_;
    return std::size_t((Wide{n} * by.reciprocal_ + by.reciprocal_) >> 64);
  }
  template <std::unsigned_integral Number>
  friend constexpr std::size_t operator%(Number n, const Divisor& by) {
    return n - n / by * by.number_;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  std::size_t number_;
  std::uint64_t reciprocal_;  // the largest whole number below 2^64 / number
};

}  // namespace polder::containers
