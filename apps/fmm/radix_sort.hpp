// Sorting by key.
#pragma once

#include <cstdint>
#include <vector>

namespace fmm {

struct KeyedIndex {
  std::uint64_t key;
  std::uint64_t index;
};

// By key, equal keys in the order they came: least significant digits first, skipping digits that all keys share.
void radix_sort(std::vector<KeyedIndex>& items);

}  // namespace fmm
