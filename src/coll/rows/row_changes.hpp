// What a member does to rows between two of its ticks: for each row one update, or one write, which takes its place.
#pragma once

#include "coll/rows/row_store.hpp"
#include "coll/rows/row_values.hpp"

#include <polder/status.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace polder::coll {

class RowChanges {
 public:
  explicit RowChanges(const StaleTableSpec& spec) : values_(spec), rows_(values_.bytes()), widened_(values_.bytes()) {}

  // `user`: as elements of the buffers. An error of the function that combines: nothing has changed.
  Status update(std::uint64_t row, const void* user) {
    std::byte* const there = rows_.find(row);
    values_.from_user(user, there != nullptr ? widened_.data() : rows_.add(row));
    return there != nullptr ? values_.combine(there, widened_.data()) : Status();
  }
  void write(std::uint64_t row, const void* user) {
    std::byte* const there = rows_.find(row);
    values_.from_user(user, there != nullptr ? there : rows_.add(row));
    written_.insert(row);
  }

  // Null: there is none of that row.
  const std::byte* find(std::uint64_t row) { return rows_.find(row); }
  bool replaces(std::uint64_t row) const { return written_.contains(row); }
  std::vector<std::uint64_t> rows() const {
    std::vector<std::uint64_t> rows;
    rows.reserve(rows_.size());
    for (const auto& [row, place] : rows_.rows()) rows.push_back(row);
    std::ranges::sort(rows);  // the same order in each run of a seed
    return rows;
  }
  void clear() {
    rows_.clear();
    written_.clear();
  }

 private:
  RowValues values_;
  RowStore rows_;
  std::unordered_set<std::uint64_t> written_;
  std::vector<std::byte> widened_;
};

}  // namespace polder::coll
