// Which rank a record belongs to: rank r gets the keys from splitter r-1 (inclusive) to splitter r (exclusive).
#pragma once

#include "record.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace terasort {

// Splitters are keys *with positions in the input*, so any number of equal keys is shared out evenly, too.
class Splitters {
 public:
  // `splitters` ascend; there is one more rank than splitters. No prefix that is asked about lies outside `range`.
  explicit Splitters(std::vector<PlacedKey> splitters, PrefixRange range = {});

  // The splitters that cut `samples` (at least one less than ranks; any order) into `ranks` equal shares. Where there
  // are too few samples the last ranks get nothing.
  static std::vector<PlacedKey> choose(std::vector<PlacedKey> samples, unsigned ranks);

  unsigned ranks() const { return unsigned(splitters_.size()) + 1; }

  // The rank of the record that is number `position` of the input. Nearly always one look into a table: only the keys
  // that share a cell of it with a splitter need comparing.
  unsigned rank_of(const std::byte* record, std::uint64_t position) const {
    const std::uint64_t prefix = key_prefix(record);
    const Cell cell = table_[cell_of(prefix)];
    if (cell.first == cell.last) [[likely]]
      return cell.first;
    return search(cell, PlacedKey{prefix, key_tail(record, position)});
  }

  // The smallest and largest key prefix that rank `rank` can get.
  PrefixRange range_of(unsigned rank) const {
    return {rank == 0 ? range_.lowest : splitters_[rank - 1].prefix,
            rank == splitters_.size() ? range_.highest : splitters_[rank].prefix};
  }

 private:
  static constexpr int kTableBits = 13;  // of the range: 64 kB stay in the second-level cache

  // The ranks that keys with this beginning can belong to, first to last.
  struct Cell {
    std::uint32_t first;
    std::uint32_t last;
  };

  std::size_t cell_of(std::uint64_t prefix) const { return std::size_t((prefix - range_.lowest) >> shift_); }

  unsigned search(Cell cell, const PlacedKey& key) const {
    const auto begin = splitters_.begin();
    return unsigned(std::upper_bound(begin + cell.first, begin + cell.last, key) - begin);
  }

  PrefixRange range_;
  int shift_;
  std::vector<PlacedKey> splitters_;
  std::vector<Cell> table_;
};

}  // namespace terasort
