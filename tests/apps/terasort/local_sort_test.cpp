#include "local_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace terasort {
namespace {

using MakePrefix = std::uint64_t (*)(std::uint64_t index, std::mt19937_64& random);

struct Input {
  const char* name;
  MakePrefix prefix;
};

// Else the name of each test would hold the addresses of this run.
void PrintTo(const Input& input, std::ostream* to) {
  *to << input.name;
}

const Input kInputs[] = {
    {"random", [](std::uint64_t, std::mt19937_64& random) { return std::uint64_t(random()); }},
    {"all_equal", [](std::uint64_t, std::mt19937_64&) { return std::uint64_t{0x4142434445464748}; }},
    {"sorted", [](std::uint64_t i, std::mt19937_64&) { return i << 20; }},
    {"reversed", [](std::uint64_t i, std::mt19937_64&) { return ~(i << 20); }},
    {"few_distinct", [](std::uint64_t, std::mt19937_64& random) { return std::uint64_t(random() % 5) << 60; }},
    {"low_bits_only", [](std::uint64_t, std::mt19937_64& random) { return std::uint64_t(random() & 0xffff); }},
    {"printable",
     [](std::uint64_t, std::mt19937_64& random) {
       std::uint64_t prefix = 0;
       for (int i = 0; i < 8; ++i) prefix = prefix << 8 | (' ' + random() % 95);
       return prefix;
     }},
    {"crowded_top", [](std::uint64_t, std::mt19937_64& random) { return ~std::uint64_t{0} - random() % 3; }},
};

std::vector<PlacedKey> make_entries(const Input& input, std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<PlacedKey> entries;
  for (std::size_t i = 0; i < count; ++i) entries.push_back({input.prefix(i, random), (random() << kPositionBits) | i});
  return entries;
}

class LocalSort : public testing::TestWithParam<Input> {};

// std::sort compares the position too: what it gives is the one stable order.
TEST_P(LocalSort, AgreesWithTheStandardSort) {
  for (const std::size_t count : {0, 1, 2, 24, 25, 1000, 2047, 2048, 2049, 100'000}) {
    std::vector<PlacedKey> entries = make_entries(GetParam(), count);
    std::vector<PlacedKey> expected = entries;
    std::sort(expected.begin(), expected.end());
    std::vector<PlacedKey> scratch(count);
    sort_entries(entries, scratch);
    ASSERT_EQ(entries == expected, true) << count << " entries";
  }
}

TEST_P(LocalSort, TightBoundsOfThePrefixChangeNothing) {
  std::vector<PlacedKey> entries = make_entries(GetParam(), 50'000);
  std::vector<PlacedKey> expected = entries;
  std::sort(expected.begin(), expected.end());
  std::vector<PlacedKey> scratch(entries.size());
  sort_entries(entries, scratch, {expected.front().prefix, expected.back().prefix});
  EXPECT_EQ(entries == expected, true);
}

INSTANTIATE_TEST_SUITE_P(Inputs, LocalSort, testing::ValuesIn(kInputs),
                         [](const auto& input) { return std::string(input.param.name); });

}  // namespace
}  // namespace terasort
