// Checks that a file is sorted and sums up its records, as the public sort benchmark's valsort does.
#pragma once

#include "file.hpp"
#include "lcg128.hpp"
#include "record.hpp"

#include <cstdint>
#include <string>

namespace terasort {

struct Summary {
  std::uint64_t records = 0;
  std::uint64_t duplicates = 0;       // records whose key equals that of the record before
  std::uint64_t unordered = 0;        // records that are smaller than the record before
  std::uint64_t first_unordered = 0;  // number of the first of them, counted from 0; only if unordered > 0
  u128 checksum = 0;                  // sum of the CRC-32 of all records; the same in any order

  bool ordered() const { return unordered == 0; }
  bool same_records(const Summary& other) const { return records == other.records && checksum == other.checksum; }
};

// Reads the whole file with `threads` threads.
Result<Summary> summarize(const std::string& path, unsigned threads);

// Lowercase hexadecimal without leading zeros, as valsort prints it.
std::string to_hex(u128 number);

}  // namespace terasort
