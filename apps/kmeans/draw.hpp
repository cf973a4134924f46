// Numbers that are drawn by place and not by order: the same ones whichever rank draws them.
#pragma once

#include <cstdint>

namespace kmeans {

// 64 bits for `place` of the stream that `seed` begins. SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014.
constexpr std::uint64_t drawn_bits(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t state = seed * 0xd1342543de82ef95U + (place + 1) * 0x9e3779b97f4a7c15U;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31);
}

// Below `limit`, evenly.
constexpr std::uint64_t drawn_below(std::uint64_t seed, std::uint64_t place, std::uint64_t limit) {
  __extension__ using Wide = unsigned __int128;
  return std::uint64_t((Wide(drawn_bits(seed, place)) * limit) >> 64);
}

// At least 0, below 1.
constexpr double drawn_share(std::uint64_t seed, std::uint64_t place) {
  return double(drawn_bits(seed, place) >> 11) * 0x1p-53;
}

}  // namespace kmeans
