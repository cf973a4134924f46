// A small generator for delays, samples and secrets of tests; not for cryptography.
#pragma once

#include "util/assert.hpp"

#include <cstdint>

namespace polder::util {

// SplitMix64: Steele, Lea, Flood 2014. A bijection with good avalanche, so it also mixes seeds.
constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t next() {
    const std::uint64_t value = mix(state_);
    state_ += 0x9e3779b97f4a7c15;
    return value;
  }
  // 0 .. bound-1, near enough to uniform for bounds far below 2^64. REQUIRES: bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    POLDER_ASSERT(bound > 0);
    return next() % bound;
  }
  constexpr double unit() { return double(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace polder::util
