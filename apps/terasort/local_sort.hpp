// Sorts the records of one rank without moving them: by 16 bytes per record, a key and the record's place.
#pragma once

#include "record.hpp"

#include <cstdint>
#include <span>

namespace terasort {

// Sorts `entries` by key; equal keys stay in order. `scratch` is as long, and its content is lost. Radix sort from the
// most significant digit: one pass over all entries into 2048 buckets, each of which then fits the first-level cache.
// No prefix lies outside `range`; a range that is too wide costs time, because the first pass spreads it evenly.
void sort_entries(std::span<PlacedKey> entries, std::span<PlacedKey> scratch, PrefixRange range = {});

}  // namespace terasort
