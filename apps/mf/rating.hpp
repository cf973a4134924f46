// What somebody thinks of something.
#pragma once

#include <cstdint>

namespace mf {

// As it is in a file: ids are any numbers.
struct Rating {
  std::uint64_t user = 0;
  std::uint64_t item = 0;
  double value = 0;
};

// As it is in memory: numbers from 0 on, users counted from this rank's first one.
struct Cell {
  std::uint32_t user = 0;
  std::uint32_t item = 0;
  double value = 0;  // less the mean of all that are learned from
};

// A number drawn from what it is for; the same on all machines and for any number of ranks.
constexpr std::uint64_t drawn(std::uint64_t seed, std::uint64_t what, std::uint64_t which) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15 + what * 0xd1b54a32d192ed03 + which * 0x8cb92ba72f3d8dd7;
  for (int round = 0; round < 2; ++round) {  // the finalizer of SplitMix64, Steele et al., OOPSLA 2014
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z = z ^ z >> 31;
  }
  return z;
}
// Uniform in [0, 1).
constexpr double drawn_share(std::uint64_t seed, std::uint64_t what, std::uint64_t which) {
  return double(drawn(seed, what, which) >> 11) * 0x1p-53;
}
// Of a normal distribution.
double drawn_normal(std::uint64_t seed, std::uint64_t what, std::uint64_t which);

}  // namespace mf
