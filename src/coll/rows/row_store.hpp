// Rows by their numbers, in memory that only those take that are there.
#pragma once

#include "util/assert.hpp"
#include "util/platform.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace polder::coll {

class RowStore {
 public:
  explicit RowStore(std::size_t row_bytes) : stride_(util::round_up(row_bytes == 0 ? 1 : row_bytes, 16)) {}

  std::size_t size() const { return places_.size(); }
  // Null: it is not there. Valid until the next add().
  std::byte* find(std::uint64_t row) {
    const auto found = places_.find(row);
    return found == places_.end() ? nullptr : values_.data() + found->second * stride_;
  }
  // REQUIRES: it is not there. Its bytes are any.
  std::byte* add(std::uint64_t row) {
    POLDER_ASSERT(!places_.contains(row));
    std::size_t place = values_.size() / stride_;
    if (free_.empty()) {
      values_.resize(values_.size() + stride_);
    } else {
      place = free_.back();
      free_.pop_back();
    }
    places_.emplace(row, place);
    return values_.data() + place * stride_;
  }
  void erase(std::uint64_t row) {
    const auto found = places_.find(row);
    if (found == places_.end()) return;
    free_.push_back(found->second);
    places_.erase(found);
  }
  void clear() {
    places_.clear();
    free_.clear();
    values_.clear();
  }
  const std::unordered_map<std::uint64_t, std::size_t>& rows() const { return places_; }

 private:
  const std::size_t stride_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<std::size_t> free_;
  std::vector<std::byte> values_;
};

}  // namespace polder::coll
