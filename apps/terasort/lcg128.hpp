// The random numbers of the public sort benchmark's generator: a linear congruential sequence of 128 bits,
// x' = a x + c mod 2^128, from which any element can be reached at once.
#pragma once

#include <cstdint>

namespace terasort {

__extension__ using u128 = unsigned __int128;

constexpr u128 make_u128(std::uint64_t high, std::uint64_t low) {
  return u128{high} << 64 | low;
}

class Lcg128 {
 public:
  // Element `skip` of the sequence comes out first. 128 steps at most: a and c of a double step are squares of the
  // single one's.
  explicit constexpr Lcg128(u128 skip = 0) {
    u128 a = kMultiplier;
    u128 c = kIncrement;
    for (; skip != 0; skip >>= 1) {
      if ((skip & 1) != 0) state_ = a * state_ + c;
      c = a * c + c;
      a = a * a;
    }
  }

  constexpr u128 next() { return state_ = kMultiplier * state_ + kIncrement; }

 private:
  static constexpr u128 kMultiplier = make_u128(0x2360ed051fc65da4, 0x4385df649fccf645);
  static constexpr u128 kIncrement = make_u128(0x4a696d4772617952, 0x4950202020202001);

  u128 state_ = 0;
};

}  // namespace terasort
