#include "radix_sort.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace fmm {
namespace {

constexpr unsigned kBits = 11;
constexpr unsigned kDigits = 6;  // 66 bits
constexpr std::size_t kValues = std::size_t{1} << kBits;

using Counts = std::array<std::size_t, kValues>;

std::size_t digit(std::uint64_t key, unsigned number) {
  return key >> (number * kBits) & (kValues - 1);
}

}  // namespace

void radix_sort(std::vector<KeyedIndex>& items) {
  if (items.size() < 256) {
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    return;
  }
  std::vector<Counts> counts(kDigits, Counts{});
  for (const KeyedIndex& item : items)
    for (unsigned number = 0; number < kDigits; ++number) ++counts[number][digit(item.key, number)];
  std::vector<KeyedIndex> other(items.size());
  for (unsigned number = 0; number < kDigits; ++number) {
    Counts& places = counts[number];
    if (places[digit(items[0].key, number)] == items.size()) continue;
    std::size_t sum = 0;
    for (std::size_t& place : places) sum += std::exchange(place, sum);
    for (const KeyedIndex& item : items) other[places[digit(item.key, number)]++] = item;
    items.swap(other);
  }
}

}  // namespace fmm
