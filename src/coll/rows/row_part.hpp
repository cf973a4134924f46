// One member's part in a table of rows: the rows that it keeps, those that it remembers, and what it has done to rows
// since its last tick.
#pragma once

#include "coll/rows/row_cache.hpp"
#include "coll/rows/row_changes.hpp"
#include "coll/rows/row_keeper.hpp"
#include "coll/stale/stale_news.hpp"

#include <polder/stale.hpp>
#include <polder/stale_table.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace polder::coll {

class RowPart {
 public:
  RowPart(WindowPort& window, const StaleTableSpec& spec, const RowLayout& layout);
  RowPart(const RowPart&) = delete;
  RowPart& operator=(const RowPart&) = delete;

  // What can be done at once, in a call or in the background. True: nothing waits for a cell or a queue.
  bool work();
  StaleNews& news() { return news_; }
  std::uint64_t clock() const { return clock_; }
  Rank keeper(std::uint64_t row) const { return Rank(row % window_.size()); }
  std::size_t user_bytes() const { return values_.user_bytes(); }  // of a row
  std::uint64_t bytes() const;                                     // that have left so far

  // ---- reading ----
  // The clock up to which a row has to be complete.
  std::uint64_t wanted(std::uint64_t slack) const;
  // Asks for those that are not complete up to it, from the first on, as far as there is room.
  void ask(std::span<const std::uint64_t> rows, std::uint64_t wanted);
  bool is_fresh(std::uint64_t row, std::uint64_t wanted);
  // Forgets what has no room any more. REQUIRES: no rows are being read.
  void shrink() { cache_.shrink(); }
  // REQUIRES: all are fresh. An error of the function that combines: some rows are there, some are not.
  Status read(std::span<const std::uint64_t> rows, std::byte* into, Staleness& told);

  // ---- writing ----
  Status update(std::uint64_t row, const void* values) { return changes_.update(row, values); }
  void write(std::uint64_t row, const void* values) { changes_.write(row, values); }
  // True: it is over, or has failed. False: again, when something has come.
  bool tick();
  bool is_ticking() const { return is_ticking_; }
  // Likewise, after a tick.
  bool flush();

  // A member is gone, or, in a wait, will never have the clock that is wanted of all.
  std::optional<StaleNews::Trouble> trouble(std::uint64_t wanted = 0) const;
  // Because of that, for good.
  void fail(const StaleNews::Trouble& trouble);
  // As far as this member knows: the least clock of all, and who has it.
  std::uint64_t oldest() const { return keeper_.oldest(); }
  Rank slowest() const { return keeper_.slowest(); }

 private:
  bool settle(Status status);
  bool send(std::uint64_t row);
  Status join(std::uint64_t row, const std::byte*& values);
  Rank me() const { return window_.me(); }

  WindowPort& window_;
  const StaleTableSpec& spec_;
  std::vector<RowPipe> told_, answers_;
  RowKeeper keeper_;
  RowCache cache_;
  RowValues values_;
  StaleNews news_;

  std::uint64_t clock_ = 0, flushed_ = 0;  // flushed_: what is older is not read any more
  RowChanges changes_;                     // since the last tick
  std::vector<std::byte> joined_;

  // Of a tick, and of a flush.
  bool is_ticking_ = false;
  std::vector<std::uint64_t> leaving_;  // rows
  std::size_t left_ = 0;                // so many of them have left
  Rank told_tick_ = 0, asked_ = 0;      // so many members
};

}  // namespace polder::coll
