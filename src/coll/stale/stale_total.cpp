#include "coll/stale/stale_total.hpp"

#include "coll/port/elements.hpp"
#include "util/copy.hpp"

#include <cstring>
#include <utility>

namespace polder::coll {

Status StaleTotal::add(const std::byte* values, std::size_t first, std::size_t count, StaleSide side) {
  std::byte* const here = values_ + first * spec_.element_size;
  if (count == 0) return {};
  if (side == StaleSide::after) return combine_guarded(spec_.combine, here, values, here, count);
  std::byte* const there = scratch_ + first * spec_.element_size;
  if (Status status = combine_guarded(spec_.combine, values, here, there, count); !status.ok()) return status;
  util::copy(here, there, count * spec_.element_size);
  return {};
}

Status StaleTotal::add(const std::byte* values, StaleSide side) {
  if (is_empty_) {
    set(values, 0, spec_.count);
  } else if (side == StaleSide::after || spec_.count == 0) {
    return add(values, 0, spec_.count, side);
  } else {
    if (Status status = combine_guarded(spec_.combine, values, values_, scratch_, spec_.count); !status.ok())
      return status;
    std::swap(values_, scratch_);
  }
  return {};
}

void StaleTotal::set(const std::byte* values, std::size_t first, std::size_t count) {
  if (count != 0) util::copy(values_ + first * spec_.element_size, values, count * spec_.element_size);
  is_empty_ = false;
}

}  // namespace polder::coll
