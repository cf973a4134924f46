// The rows of others that a member remembers, each with the clock up to which it is complete; and the requests for those
// that are too old. What this member itself does to a row is done to what it remembers, too.
#pragma once

#include "coll/rows/row_pipe.hpp"
#include "coll/rows/row_store.hpp"
#include "coll/rows/row_values.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

namespace polder::coll {

class RowCache {
 public:
  struct Entry {
    std::uint64_t row = 0;
    std::uint64_t oldest = 0, newest = 0;
    Rank slowest = 0;
    bool is_known = false;   // its values are there
    bool is_asked = false;   // an answer is under way
    std::uint64_t told = 0;  // the keeper's answer has to know so many records of this member
  };

  RowCache(const StaleTableSpec& spec, const RowLayout& layout, std::vector<RowPipe>& told,
           std::vector<RowPipe>& answers)
      : most_(spec.cached_rows),
        no_row_(spec.rows),
        told_(told),
        answers_(answers),
        values_(spec),
        known_(layout.row_bytes()),
        reached_(told.size()) {}

  // Takes what has come. system: it makes no sense.
  Status hear();
  // Null: it is not complete up to that clock.
  const Entry* fresh(std::uint64_t row, std::uint64_t clock);
  const std::byte* values(std::uint64_t row) { return known_.find(row); }
  // It has been asked for; false: there is no room now. REQUIRES: it is not fresh.
  bool ask(std::uint64_t row, std::uint64_t clock, Rank keeper);
  // Does that to the row, of which its keeper is about to be told. timeout: nothing has changed.
  Status change(std::uint64_t row, const std::byte* values, bool replaces, Rank keeper);
  // Forgets those that were used longest ago, down to what the spec allows.
  void shrink();

  // That a keeper has heard of all updates up to a clock is asked for, too.
  bool ask_reached(std::uint64_t clock, Rank keeper);
  bool has_reached(std::uint64_t clock, Rank keeper) const { return reached_[keeper] >= clock; }

 private:
  bool hear_of(const RowRecord& record);

  const std::size_t most_;
  const std::uint64_t no_row_;
  std::vector<RowPipe>& told_;
  std::vector<RowPipe>& answers_;
  RowValues values_;
  RowStore known_;
  std::list<Entry> entries_;  // the last one was used longest ago
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> places_;
  std::vector<std::uint64_t> reached_;  // by keeper
};

}  // namespace polder::coll
