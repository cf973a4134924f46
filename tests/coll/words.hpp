// Vectors of words that differ between ranks, and what all of them make together.
#pragma once

#include "util/random.hpp"

#include <polder/collective.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polder::test {

using Words = std::vector<std::uint64_t>;

inline std::uint64_t word(Rank rank, std::size_t i) {
  return util::mix(1000 * rank + i);
}
inline Words words(Rank rank, std::size_t count) {
  Words all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = word(rank, i);
  return all;
}
inline Words sum_of(Rank ranks, std::size_t count) {
  Words sum(count);
  for (Rank rank = 0; rank < ranks; ++rank)
    for (std::size_t i = 0; i < count; ++i) sum[i] += word(rank, i);
  return sum;
}
inline ReductionSpec sum(std::size_t count) {
  return *reduction(Reduction::sum, DataType::uint64, count);
}

}  // namespace polder::test
