#include "util/core_turns.hpp"

#include <algorithm>
#include <utility>

namespace polder::util {

std::int64_t CoreTurns::longest(std::int64_t from, std::int64_t to) const {
  if (own_ == nullptr) return to - from;
  const int here = own_->core.load(std::memory_order_relaxed);
  std::vector<std::int64_t> begins{to};
  for (const CoreTurn* const other : others_) {
    const std::int64_t begin = begin_here(*other, here);
    if (begin > from && begin < to) begins.push_back(begin);
  }
  std::sort(begins.begin(), begins.end());
  std::int64_t longest = 0, last = from;
  for (const std::int64_t begin : begins) longest = std::max(longest, begin - std::exchange(last, begin));
  return longest;
}

bool CoreTurns::any(std::int64_t from, std::int64_t to) const {
  if (own_ == nullptr) return true;
  const int here = own_->core.load(std::memory_order_relaxed);
  return std::any_of(others_.begin(), others_.end(), [&](const CoreTurn* other) {
    const std::int64_t begin = begin_here(*other, here);
    return begin > from && begin < to;
  });
}

}  // namespace polder::util
