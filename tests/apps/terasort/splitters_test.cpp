#include "splitters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace terasort {
namespace {

using Record = std::array<std::byte, kRecordBytes>;

Record record_with(std::uint64_t prefix, std::uint16_t suffix) {
  Record record{};
  for (std::size_t i = 0; i < 8; ++i) record[i] = std::byte(prefix >> (56 - 8 * i));
  record[8] = std::byte(suffix >> 8);
  record[9] = std::byte(suffix);
  return record;
}

// By definition: the number of splitters that are not above the record.
unsigned slow_rank(const std::vector<PlacedKey>& splitters, const PlacedKey& key) {
  unsigned rank = 0;
  while (rank < splitters.size() && !(key < splitters[rank])) ++rank;
  return rank;
}

TEST(Splitters, RankIsTheNumberOfSplittersNotAbove) {
  std::mt19937_64 random(1);
  for (const unsigned ranks : {1u, 2u, 3u, 8u, 100u, 1000u}) {
    std::vector<PlacedKey> samples;
    // Half of them share their first bits, so that cells of the table hold many splitters.
    for (int i = 0; i < 5000; ++i) samples.push_back({i % 2 == 0 ? random() : random() >> 30, random()});
    const std::vector<PlacedKey> chosen = Splitters::choose(samples, ranks);
    ASSERT_EQ(chosen.size(), ranks - 1);
    const Splitters splitters(chosen);
    for (int i = 0; i < 5000; ++i) {
      const PlacedKey key = i % 2 == 0 ? samples[std::size_t(i)] : PlacedKey{random(), random()};
      const Record record = record_with(key.prefix, std::uint16_t(key.tail >> kPositionBits));
      ASSERT_EQ(splitters.rank_of(record.data(), key.position()), slow_rank(chosen, key));
    }
  }
}

TEST(Splitters, PrefixBoundsHoldForEveryRecordOfARank) {
  std::mt19937_64 random(2);
  std::vector<PlacedKey> samples;
  for (int i = 0; i < 1000; ++i) samples.push_back({random(), random()});
  const Splitters splitters(Splitters::choose(samples, 7));
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t prefix = random();
    const unsigned rank = splitters.rank_of(record_with(prefix, 0).data(), 0);
    ASSERT_LE(splitters.range_of(rank).lowest, prefix);
    ASSERT_GE(splitters.range_of(rank).highest, prefix);
  }
}

// The table spreads over the range, and nothing changes but its cells.
TEST(Splitters, ARangeChangesNothingWithinIt) {
  std::mt19937_64 random(3);
  for (const int bits : {63, 40, 14, 12, 1}) {
    const std::uint64_t lowest = random() >> 1;
    const PrefixRange bounds{lowest, lowest + (std::uint64_t{1} << bits)};
    const auto any = [&] { return bounds.lowest + (random() >> (64 - bits)); };
    std::vector<PlacedKey> samples;
    for (int i = 0; i < 500; ++i) samples.push_back({any(), 0});
    const std::vector<PlacedKey> chosen = Splitters::choose(samples, 9);
    const Splitters splitters(chosen, bounds);
    for (int i = 0; i < 2000; ++i) {
      const Record record = record_with(any(), 0);
      ASSERT_EQ(splitters.rank_of(record.data(), 0), slow_rank(chosen, PlacedKey::of(record.data(), 0)));
    }
    EXPECT_EQ(splitters.range_of(0).lowest, bounds.lowest);
    EXPECT_EQ(splitters.range_of(8).highest, bounds.highest);
  }
}

TEST(Splitters, EqualKeysAreSharedOutByPosition) {
  const Record record = record_with(0x4141414141414141, 0x4141);
  std::vector<PlacedKey> samples;
  for (std::uint64_t position = 0; position < 100'000; position += 10)
    samples.push_back(PlacedKey::of(record.data(), position));
  const Splitters splitters(Splitters::choose(samples, 4));
  std::array<int, 4> shares{};
  for (std::uint64_t position = 0; position < 100'000; ++position) ++shares[splitters.rank_of(record.data(), position)];
  for (const int share : shares) EXPECT_NEAR(share, 25'000, 50);
}

TEST(Splitters, WithoutSamplesRankZeroGetsAll) {
  const Splitters splitters(Splitters::choose({}, 3));
  EXPECT_EQ(splitters.ranks(), 3u);
  EXPECT_EQ(splitters.rank_of(record_with(0, 0).data(), 0), 0u);
  EXPECT_EQ(splitters.rank_of(record_with(~std::uint64_t{0}, 0xffff).data(), 5), 0u);
}

}  // namespace
}  // namespace terasort
