#include "bucket_sort.hpp"

#include "make_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace terasort {
namespace {

std::vector<std::string> split(const std::vector<std::byte>& bytes) {
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size(); at += kRecordBytes)
    records.emplace_back(reinterpret_cast<const char*>(bytes.data()) + at, kRecordBytes);
  return records;
}

bool key_below(const std::string& one, const std::string& other) {
  return one.compare(0, kKeyBytes, other, 0, kKeyBytes) < 0;
}

class BucketSortTest : public testing::TestWithParam<Keys> {
 protected:
  // All buckets of the store, one after another, gathered a few records at a time.
  static std::vector<std::byte> sorted(const RecordStore& store) {
    std::vector<std::byte> bytes;
    Result<BucketSort> sort = BucketSort::prepare(store);
    EXPECT_TRUE(sort.ok());
    for (unsigned bucket = 0; bucket < store.buckets(); ++bucket) {
      sort->sort(bucket);
      EXPECT_EQ(sort->size(), store.size(bucket));
      for (std::uint64_t at = 0; at < sort->size(); at += 77) {
        const std::uint64_t count = std::min<std::uint64_t>(77, sort->size() - at);
        bytes.resize(bytes.size() + count * kRecordBytes);
        sort->gather(at, count, bytes.data() + bytes.size() - count * kRecordBytes);
      }
    }
    return bytes;
  }
};

// Equal keys stay in the order in which they came, also where they fill several buckets' worth.
TEST_P(BucketSortTest, AgreesWithAStableSort) {
  constexpr std::uint64_t kRecords = 30'000;
  std::vector<std::byte> bytes(kRecords * kRecordBytes);
  make_records(bytes.data(), 0, kRecords, Format::ascii, GetParam());
  std::vector<std::string> expected = split(bytes);
  std::stable_sort(expected.begin(), expected.end(), key_below);

  std::vector<PlacedKey> samples;
  for (std::uint64_t i = 0; i < kRecords; i += 10) samples.push_back(PlacedKey::of(bytes.data() + i * kRecordBytes, i));
  for (const unsigned buckets : {1u, 2u, 16u}) {
    Result<RecordStore> store = RecordStore::reserve(kRecords, Splitters(Splitters::choose(samples, buckets)));
    ASSERT_TRUE(store.ok());
    store->append(bytes.data(), kRecords);
    EXPECT_EQ(split(sorted(*store)) == expected, true) << buckets << " buckets";
  }
}

std::string name_of(const testing::TestParamInfo<Keys>& keys) {
  const char* const names[] = {"uniform", "skewed", "few", "equal"};
  return names[std::size_t(keys.param)];
}

INSTANTIATE_TEST_SUITE_P(Keys, BucketSortTest, testing::Values(Keys::uniform, Keys::skewed, Keys::few, Keys::equal),
                         name_of);

TEST(BucketSort, AnEmptyStoreHasNothingToGather) {
  Result<RecordStore> store = RecordStore::reserve(0, Splitters({}));
  ASSERT_TRUE(store.ok());
  Result<BucketSort> sort = BucketSort::prepare(*store);
  ASSERT_TRUE(sort.ok());
  sort->sort(0);
  EXPECT_EQ(sort->size(), 0u);
}

}  // namespace
}  // namespace terasort
