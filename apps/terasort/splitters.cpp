#include "splitters.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace terasort {

Splitters::Splitters(std::vector<PlacedKey> splitters, PrefixRange range)
    : range_(range),
      shift_(std::max(0, int(std::bit_width(range.highest - range.lowest)) - kTableBits)),
      splitters_(std::move(splitters)),
      table_(cell_of(range.highest) + 1) {
  std::uint32_t rank = 0;
  for (std::size_t cell = 0; cell < table_.size(); ++cell) {
    table_[cell].first = rank;
    while (rank < splitters_.size() && cell_of(splitters_[rank].prefix) <= cell) ++rank;
    table_[cell].last = rank;
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
