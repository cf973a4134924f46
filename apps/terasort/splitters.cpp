#include "splitters.hpp"

#include <limits>
#include <utility>

namespace terasort {

Splitters::Splitters(std::vector<PlacedKey> splitters)
    : splitters_(std::move(splitters)), table_(std::size_t{1} << kTableBits) {
  std::uint32_t rank = 0;
  for (std::uint64_t beginning = 0; beginning < table_.size(); ++beginning) {
    const auto at_or_before = [&](std::uint64_t cell) {
      return rank < splitters_.size() && splitters_[rank].prefix >> (64 - kTableBits) <= cell;
    };
    table_[beginning].first = rank;
    while (at_or_before(beginning)) ++rank;
    table_[beginning].last = rank;
  }
}

std::vector<PlacedKey> Splitters::choose(std::vector<PlacedKey> samples, unsigned ranks) {
  std::sort(samples.begin(), samples.end());
  // No key is as large: nothing lies beyond.
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::vector<PlacedKey> splitters;
  splitters.reserve(ranks - 1);
  for (std::size_t r = 1; r < ranks; ++r) {
    const std::size_t at = (samples.size() * r + ranks - 1) / ranks;
    splitters.push_back(at < samples.size() ? samples[at] : PlacedKey{kMost, kMost});
  }
  return splitters;
}

}  // namespace terasort
