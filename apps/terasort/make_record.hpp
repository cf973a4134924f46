// Records byte for byte as the public sort benchmark's generator (gensort 1.5) makes them.
#pragma once

#include "lcg128.hpp"
#include "record.hpp"

#include <cstddef>

namespace terasort {

// How the keys are chosen. Only `uniform` is gensort's; the others put pressure on the partition.
enum class Keys {
  uniform,  // the benchmark's
  skewed,   // crowded towards small keys: half of the records share the lowest eighth of the range
  few,      // 16 different keys
  equal,    // one key
};

enum class Format { binary, ascii };

// Writes record `number`, of which `random` is element `number` of the Lcg128 sequence, to `to` (100 bytes).
void make_binary_record(std::byte* to, u128 random, u128 number);

// The same with printable keys (space to '~') and "\r\n" at the end, for tools that sort lines.
void make_ascii_record(std::byte* to, u128 random, u128 number);

// Writes `count` records from record number `first` on. `to` has count * 100 bytes.
void make_records(std::byte* to, u128 first, std::size_t count, Format format, Keys keys);

}  // namespace terasort
