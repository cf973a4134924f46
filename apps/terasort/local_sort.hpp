// Sorts the records of one rank without moving them: by 16 bytes per record, a key and the record's place.
#pragma once

#include "record.hpp"

#include <cstdint>
#include <span>

namespace terasort {

// The key prefixes that can occur, for a first pass that spreads them evenly. Wrong bounds cost time, never
// correctness, as long as no prefix lies outside.
struct PrefixRange {
  std::uint64_t lowest = 0;
  std::uint64_t highest = ~std::uint64_t{0};
};

// Sorts `entries` by key; equal keys stay in order. `scratch` is as long, and its content is lost. Radix sort from the
// most significant digit: one pass over all entries into 2048 buckets, each of which then fits the first-level cache.
void sort_entries(std::span<PlacedKey> entries, std::span<PlacedKey> scratch, PrefixRange range = {});

}  // namespace terasort
