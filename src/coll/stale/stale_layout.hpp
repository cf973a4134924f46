// Where things lie in the windows of a stale-synchronous allreduce: for each link a ring of cells, in which totals
// arrive, and a ring from which they leave; one cell more, so that the next total can be written while all others are
// under way. Behind them the member's own totals, where others of its node can load and store them.
#pragma once

#include "coll/stale/stale_news.hpp"
#include "util/platform.hpp"

#include <polder/stale.hpp>
#include <polder/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace polder::coll {

// In front of a total.
struct StaleHead {
  std::uint64_t call = 0;  // of the sender
  std::uint64_t oldest = 0, newest = 0;
  std::uint64_t slack = 0;     // of that call
  std::uint32_t slowest = 0;   // the member whose clock is `oldest`
  std::uint32_t is_empty = 0;  // nobody has given anything since totals began anew
  std::uint32_t is_whole = 0;  // of a call with slack 0: all clocks in it are `call`
  std::uint32_t unused[5] = {};
};
static_assert(sizeof(StaleHead) == 64);

class StaleLayout {
 public:
  StaleLayout(const StaleSpec& spec, Rank members) : spec_(spec), members_(members) {}

  // Links of a hypercube: one a dimension, and one to the member outside of it.
  unsigned dimensions() const { return unsigned(std::bit_width(members_) - 1); }
  std::uint32_t links() const {
    switch (spec_.shape) {
      case StaleShape::hypercube: return dimensions() + 1;
      case StaleShape::flat: return members_;
      case StaleShape::sharded: return 2 * members_;
    }
    return 0;
  }

  // Elements of the slice that a member keeps begin here.
  std::size_t first_of(Rank member) const {
    const std::size_t count = spec_.reduction.count, each = count / members_, rest = count % members_;
    return each * member + (member < rest ? member : rest);
  }
  std::size_t longest() const {  // bytes of a total in a cell
    const std::size_t count = spec_.reduction.count;
    return (spec_.shape == StaleShape::sharded ? (count + members_ - 1) / members_ : count) *
           spec_.reduction.element_size;
  }

  std::size_t bytes() const { return totals(kTotals); }
  static constexpr std::size_t kTotals = 3;
  // Memory of one of a member's own totals, of two vectors.
  std::size_t totals(std::size_t number) const { return links() * link_bytes() + number * 2 * vector_bytes(); }
  std::size_t arriving(std::uint32_t link, std::uint64_t number) const {
    return link * link_bytes() + number % spec_.cells * cell_bytes();
  }
  std::size_t leaving(std::uint32_t link, std::uint64_t number) const {
    return link * link_bytes() + (spec_.cells + number % (spec_.cells + 1)) * cell_bytes();
  }

  // Flags, each with one writer for life.
  std::uint32_t flags() const { return news() + StaleNews::flags(members_); }
  NotificationId arrived(std::uint32_t link, std::uint64_t number) const {
    return link * spec_.cells + NotificationId(number % spec_.cells);
  }
  NotificationId given_back(std::uint32_t link, std::uint64_t number) const {
    return NotificationId(links() * spec_.cells + arrived(link, number));
  }
  std::uint32_t news() const { return 2 * links() * spec_.cells; }  // the first flag of StaleNews

  // Never 0, and another one for each total of a cell.
  static std::uint32_t tag(std::uint64_t number) { return std::uint32_t(2 * number + 1); }

 private:
  std::size_t vector_bytes() const { return util::round_up(spec_.reduction.count * spec_.reduction.element_size, 64); }
  std::size_t cell_bytes() const { return sizeof(StaleHead) + util::round_up(longest(), 64); }
  std::size_t link_bytes() const { return (2 * std::size_t{spec_.cells} + 1) * cell_bytes(); }

  const StaleSpec spec_;
  const Rank members_;
};

}  // namespace polder::coll
