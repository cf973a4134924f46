#include "validate.hpp"

#include "crc32.hpp"
#include "make_record.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace terasort {
namespace {

constexpr std::size_t kCount = 25'000;  // more than a thread reads at once

class Validate : public testing::Test {
 protected:
  Validate() {
    std::string bytes(kCount * kRecordBytes, '\0');
    make_records(reinterpret_cast<std::byte*>(bytes.data()), 0, kCount, Format::binary, Keys::uniform);
    for (std::size_t i = 0; i < kCount; ++i) records_.push_back(record_of(bytes, i));
    std::sort(records_.begin(), records_.end());
  }

  Summary summary(unsigned threads = 3) {
    std::string bytes;
    for (const std::string& record : records_) bytes += record;
    write_file(folder_ / "file", bytes);
    const Result<Summary> result = summarize(folder_ / "file", threads);
    EXPECT_TRUE(result.ok()) << result.status().to_string();
    return *result;
  }

  TemporaryFolder folder_;
  std::vector<std::string> records_;
};

TEST_F(Validate, AcceptsASortedFileWhateverTheNumberOfThreads) {
  const Summary one = summary(1);
  EXPECT_TRUE(one.ordered());
  EXPECT_EQ(one.records, kCount);
  EXPECT_EQ(one.duplicates, 0u);
  for (const unsigned threads : {2u, 3u, 7u, 64u}) {
    const Summary many = summary(threads);
    EXPECT_TRUE(many.ordered());
    EXPECT_TRUE(many.same_records(one));
  }
}

TEST_F(Validate, ChecksumIsTheSumOfTheCrcOfRecords) {
  u128 sum = 0;
  for (const std::string& record : records_)
    sum += crc32(reinterpret_cast<const std::byte*>(record.data()), kRecordBytes);
  EXPECT_EQ(to_hex(summary().checksum), to_hex(sum));
}

// At every place where one thread's part meets another's, and elsewhere.
TEST_F(Validate, FindsTwoSwappedRecordsAndSaysWhere) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{8333}, std::size_t{8334}, std::size_t{16'666}, kCount - 2}) {
    const Summary before = summary();
    std::swap(records_[at], records_[at + 1]);
    const Summary after = summary();
    EXPECT_EQ(after.unordered, 1u);
    EXPECT_EQ(after.first_unordered, at + 1);
    EXPECT_TRUE(after.same_records(before));
    std::swap(records_[at], records_[at + 1]);
  }
}

TEST_F(Validate, FindsALostRecord) {
  const Summary before = summary();
  records_.erase(records_.begin() + 100);
  EXPECT_TRUE(summary().ordered());
  EXPECT_FALSE(summary().same_records(before));
}

TEST_F(Validate, FindsAChangedByte) {
  const Summary before = summary();
  records_[5000][99] = char(records_[5000][99] ^ 1);
  EXPECT_TRUE(summary().ordered());
  EXPECT_FALSE(summary().same_records(before));
}

TEST_F(Validate, FindsARecordThatReplacedItsNeighbour) {
  const Summary before = summary();
  records_[20'000] = records_[20'001];
  const Summary after = summary();
  EXPECT_TRUE(after.ordered());
  EXPECT_EQ(after.duplicates, 1u);
  EXPECT_EQ(after.records, before.records);
  EXPECT_FALSE(after.same_records(before));
}

TEST_F(Validate, AnEmptyFileIsInOrder) {
  records_.clear();
  const Summary empty = summary();
  EXPECT_TRUE(empty.ordered());
  EXPECT_EQ(empty.records, 0u);
  EXPECT_EQ(to_hex(empty.checksum), "0");
}

TEST_F(Validate, RefusesHalfARecordAndNamesTheFile) {
  write_file(folder_ / "odd", std::string(250, 'x'));
  const Result<Summary> result = summarize(folder_ / "odd", 2);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), Code::invalid_size);
  EXPECT_NE(result.status().message().find("odd"), std::string::npos);
  EXPECT_FALSE(summarize(folder_ / "missing", 2).ok());
}

TEST(ToHex, PrintsAllBitsWithoutLeadingZeros) {
  EXPECT_EQ(to_hex(0xabc), "abc");
  EXPECT_EQ(to_hex(make_u128(1, 0)), "10000000000000000");
}

}  // namespace
}  // namespace terasort
