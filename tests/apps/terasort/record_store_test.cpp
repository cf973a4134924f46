#include "record_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace terasort {
namespace {

using Record = std::array<std::byte, kRecordBytes>;

Record record_with(std::uint64_t prefix) {
  Record record{};
  for (std::size_t i = 0; i < 8; ++i) record[i] = std::byte(prefix >> (56 - 8 * i));
  for (std::size_t i = kKeyBytes; i < kRecordBytes; ++i) record[i] = std::byte(prefix * i);
  return record;
}

// Buckets that begin at 0, 1/4, 1/2 and 3/4 of all prefixes.
Splitters quarters() {
  return Splitters({{std::uint64_t{1} << 62, 0}, {std::uint64_t{2} << 62, 0}, {std::uint64_t{3} << 62, 0}});
}

RecordStore reserve(std::uint64_t capacity, Splitters cuts) {
  Result<RecordStore> store = RecordStore::reserve(capacity, std::move(cuts));
  EXPECT_TRUE(store.ok()) << store.status().to_string();
  return std::move(*store);
}

std::vector<Record> records_of(const RecordStore& store, unsigned bucket) {
  std::vector<Record> records;
  store.for_each(bucket, [&](const std::byte* record, std::uint64_t place) {
    EXPECT_EQ(store.at(place), record);
    std::memcpy(records.emplace_back().data(), record, kRecordBytes);
  });
  return records;
}

TEST(RecordStore, KeepsBucketsApartAndEachInTheOrderOfArrival) {
  // More than one block for each bucket.
  constexpr std::uint64_t kRecords = 120'000;
  RecordStore store = reserve(kRecords, quarters());
  std::mt19937_64 random(1);
  std::array<std::vector<Record>, 4> expected;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    const std::uint64_t prefix = random();
    const Record record = record_with(prefix);
    expected[prefix >> 62].push_back(record);
    store.append(record.data());
  }
  EXPECT_EQ(store.size(), kRecords);
  EXPECT_EQ(store.room(), 0u);
  std::uint64_t largest = 0;
  for (unsigned bucket = 0; bucket < 4; ++bucket) {
    EXPECT_EQ(store.size(bucket), expected[bucket].size());
    EXPECT_EQ(records_of(store, bucket) == expected[bucket], true) << "bucket " << bucket;
    largest = std::max<std::uint64_t>(largest, expected[bucket].size());
  }
  EXPECT_EQ(store.largest_bucket(), largest);
}

// The bound of the address space counts one block for each bucket that is not full.
TEST(RecordStore, HoldsItsCapacityHoweverKeysAreSpread) {
  constexpr std::uint64_t kRecords = 50'000;
  for (const std::uint64_t others : {0, 1}) {
    RecordStore store = reserve(kRecords, quarters());
    for (std::uint64_t bucket = 1; bucket <= 3 * others; ++bucket) store.append(record_with(bucket << 62).data());
    while (store.room() > 0) store.append(record_with(0).data());
    EXPECT_EQ(store.size(0), kRecords - 3 * others);
    EXPECT_EQ(records_of(store, 0).back(), record_with(0));
  }
}

TEST(RecordStore, ReleasedBucketsLeaveTheOthers) {
  RecordStore store = reserve(10'000, quarters());
  const Record low = record_with(1);
  const Record high = record_with(~std::uint64_t{0});
  store.append(low.data());
  store.append(high.data());
  store.release(0);
  EXPECT_EQ(store.size(0), 0u);
  EXPECT_EQ(records_of(store, 0).size(), 0u);
  EXPECT_EQ(records_of(store, 3), std::vector<Record>{high});
}

TEST(RecordStore, WithOneBucketRecordsMayBeReceivedInPlace) {
  RecordStore store = reserve(5, Splitters({}));
  const std::array<Record, 3> records{record_with(3), record_with(1), record_with(2)};
  store.append(nullptr, 0);
  EXPECT_EQ(store.size(), 0u);
  store.append(records[0].data(), 1);
  const std::span<std::byte> place = store.next(2);
  ASSERT_EQ(place.size(), 2 * kRecordBytes);
  std::memcpy(place.data(), records[1].data(), place.size());
  store.add_received(2);
  EXPECT_EQ(store.room(), 2u);
  EXPECT_EQ(records_of(store, 0), std::vector<Record>(records.begin(), records.end()));
}

TEST(RecordStore, HasMoreBucketsTheMoreItHolds) {
  EXPECT_EQ(RecordStore::buckets_for(0), 1u);
  EXPECT_EQ(RecordStore::buckets_for(100'000), 1u);
  EXPECT_EQ(RecordStore::buckets_for(3'126'024), 16u);
  EXPECT_EQ(RecordStore::buckets_for(std::uint64_t{1} << 40), RecordStore::kMostBuckets);
}

}  // namespace
}  // namespace terasort
