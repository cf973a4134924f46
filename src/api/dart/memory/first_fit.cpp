#include "api/dart/memory/first_fit.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace polder::dart {

std::optional<std::uint64_t> FirstFit::take(std::uint64_t bytes) {
  if (bytes > std::numeric_limits<std::uint64_t>::max() - kGrain) return {};
  const std::uint64_t wanted = std::max(kGrain, (bytes + kGrain - 1) / kGrain * kGrain);
  const std::lock_guard lock(mutex_);
  const auto place =
      std::find_if(free_.begin(), free_.end(), [&](const auto& piece) { return piece.second >= wanted; });
  if (place == free_.end()) return {};
  const auto [offset, size] = *place;
  free_.erase(place);
  if (size > wanted) free_[offset + wanted] = size - wanted;
  taken_[offset] = wanted;
  return offset;
}

bool FirstFit::give_back(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  const auto piece = taken_.find(offset);
  if (piece == taken_.end()) return false;
  auto place = free_.emplace(*piece).first;
  taken_.erase(piece);
  if (const auto next = std::next(place); next != free_.end() && place->first + place->second == next->first) {
    place->second += next->second;
    free_.erase(next);
  }
  if (place != free_.begin())
    if (const auto before = std::prev(place); before->first + before->second == place->first) {
      before->second += place->second;
      free_.erase(place);
    }
  return true;
}

}  // namespace polder::dart
