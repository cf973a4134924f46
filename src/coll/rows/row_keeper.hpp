// The rows that a member keeps for all: changes are made as they come, and those who ask are answered when
// every member's clock is high enough.
#pragma once

#include "coll/rows/row_pipe.hpp"
#include "coll/rows/row_store.hpp"
#include "coll/rows/row_values.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace polder::coll {

class RowKeeper {
 public:
  // `told` and `answers`: the pipes of all members, by which they tell and ask, and are answered.
  RowKeeper(const StaleTableSpec& spec, const RowLayout& layout, Rank me, std::vector<RowPipe>& told,
            std::vector<RowPipe>& answers)
      : me_(me),
        rows_in_table_(spec.rows),
        told_(told),
        answers_(answers),
        values_(spec),
        rows_(layout.row_bytes()),
        clocks_(told.size()) {}

  // Does what can be done at once. An error is that of the function that combines (timeout: come again), or system: what a
  // member has sent makes no sense.
  Status serve();

  // ---- of its own member, which needs no pipe ----
  // timeout: nothing has changed. `replaces`: the values take the place of the row's.
  Status change(std::uint64_t row, const std::byte* values, bool replaces, std::uint64_t iteration);
  void tick(Rank member, std::uint64_t clock);
  // The row as it is; null: nobody has changed it.
  const std::byte* find(std::uint64_t row) { return rows_.find(row); }

  std::uint64_t oldest() const { return least_; }     // the least clock of a member
  std::uint64_t newest() const { return greatest_; }  // the greatest iteration that something here is from
  Rank slowest() const { return slowest_; }

 private:
  struct Ask {
    Rank member;
    std::uint64_t row, clock;
  };
  Status hear(const RowRecord& record, const RowPipe& pipe);
  void answer();

  const Rank me_;
  const std::uint64_t rows_in_table_;
  std::vector<RowPipe>& told_;
  std::vector<RowPipe>& answers_;
  RowValues values_;
  RowStore rows_;
  std::vector<std::uint64_t> clocks_;  // by member
  std::uint64_t least_ = 0, greatest_ = 0;
  Rank slowest_ = 0;
  std::vector<Ask> early_;  // for a clock that some member has not reached
  std::deque<Ask> due_;
};

}  // namespace polder::coll
