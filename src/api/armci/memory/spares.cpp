#include "api/armci/memory/spares.hpp"

#include <algorithm>
#include <utility>

namespace polder::armci {
namespace {

bool fits(const Allocation& allocation, std::span<const std::uint64_t> sizes) {
  return std::ranges::equal(allocation.contributions(), sizes, {}, &Contribution::size);
}

std::uint64_t largest_part(const Allocation& allocation) {
  return std::ranges::max(allocation.contributions(), {}, &Contribution::size).size;
}

}  // namespace

std::unique_ptr<Allocation> Spares::take(std::span<const std::uint64_t> sizes) {
  const auto found = std::find_if(spares_.rbegin(), spares_.rend(),
                                  [&](const Spare& spare) { return fits(*spare.allocation, sizes); });
  if (found == spares_.rend()) return nullptr;
  bytes_ -= found->bytes;
  std::unique_ptr<Allocation> allocation = std::move(found->allocation);
  spares_.erase(std::next(found).base());
  return allocation;
}

void Spares::keep(std::unique_ptr<Allocation> allocation, std::uint64_t limit) {
  const std::uint64_t bytes = largest_part(*allocation);
  if (bytes > limit) return;
  spares_.push_back({std::move(allocation), bytes});
  bytes_ += bytes;
  auto kept = spares_.begin();
  while (bytes_ > limit || spares_.end() - kept > std::ptrdiff_t(kMost)) bytes_ -= (kept++)->bytes;
  spares_.erase(spares_.begin(), kept);
}

void Spares::clear() {
  spares_.clear();
  bytes_ = 0;
}

}  // namespace polder::armci
