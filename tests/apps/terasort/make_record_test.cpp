#include "make_record.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace terasort {
namespace {

std::string make(u128 first, std::size_t count, Format format, Keys keys = Keys::uniform) {
  std::string bytes(count * kRecordBytes, '?');
  make_records(reinterpret_cast<std::byte*>(bytes.data()), first, count, format, keys);
  return bytes;
}

// The first records that the public benchmark documents.
TEST(MakeRecord, AsciiRecordsAreThoseOfThePublicBenchmark) {
  const std::string records = make(0, 3, Format::ascii);
  EXPECT_EQ(records.substr(0, 100),
            "AsfAGHM5om  00000000000000000000000000000000  0000222200002222000022220000222200002222000000001111\r\n");
  EXPECT_EQ(records.substr(100, 100),
            "~sHd0jDv6X  00000000000000000000000000000001  77779999444488885555CCCC777755555555BBBB666644446666\r\n");
  EXPECT_EQ(records.substr(200, 10), "uI^EYm8s=|");
}

// The first random number is the increment of the sequence, which spells a name.
TEST(MakeRecord, BinaryRecordHasItsFieldsInPlace) {
  const std::string record = make(0, 1, Format::binary);
  EXPECT_EQ(record.substr(0, 10), "JimGrayRIP");
  EXPECT_EQ(record.substr(10, 2), std::string("\x00\x11", 2));
  EXPECT_EQ(record.substr(12, 32), std::string(32, '0'));
  EXPECT_EQ(record.substr(44, 4), "\x88\x99\xAA\xBB");
  EXPECT_EQ(record.substr(48, 48), "222200002222000022220000222200002222000000001111");
  EXPECT_EQ(record.substr(96, 4), "\xCC\xDD\xEE\xFF");
}

TEST(MakeRecord, BothFormatsCarryTheSameRecordNumber) {
  const u128 number = make_u128(0x123456789abcdef0, 0xfedcba9876543210);
  for (const auto& [format, at] : {std::pair{Format::binary, 12}, std::pair{Format::ascii, 12}})
    EXPECT_EQ(make(number, 1, format).substr(std::size_t(at), 32), "123456789ABCDEF0FEDCBA9876543210");
}

TEST(Lcg128, SkippingAheadEqualsGoingStepByStep) {
  Lcg128 sequence;
  for (unsigned step = 0; step < 2000; ++step) {
    Lcg128 skipped(step);
    ASSERT_EQ(skipped.next() == sequence.next(), true) << "after " << step << " steps";
  }
}

TEST(Lcg128, SkippingFarComposes) {
  const u128 far = make_u128(1, 0) - 3;
  Lcg128 before(far);
  for (int i = 0; i < 5; ++i) (void)before.next();
  Lcg128 after(make_u128(1, 2));
  EXPECT_TRUE(before.next() == after.next());
}

TEST(Lcg128, IsConstexpr) {
  constexpr u128 first = Lcg128(0).next();
  static_assert(first == make_u128(0x4a696d4772617952, 0x4950202020202001));
  SUCCEED();
}

TEST(MakeRecord, AStartInTheMiddleGivesThatPartOfTheFile) {
  for (const Format format : {Format::binary, Format::ascii}) {
    const std::string whole = make(0, 1000, format);
    EXPECT_EQ(make(777, 223, format), whole.substr(77'700));
  }
}

std::size_t distinct_keys(Keys keys, Format format) {
  const std::string records = make(0, 5000, format, keys);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < 5000; ++i) seen.insert(records.substr(i * kRecordBytes, kKeyBytes));
  return seen.size();
}

TEST(MakeRecord, KindsOfKeysAreAsDistinctAsTheySay) {
  EXPECT_EQ(distinct_keys(Keys::uniform, Format::binary), 5000u);
  EXPECT_EQ(distinct_keys(Keys::skewed, Format::binary), 5000u);
  for (const Format format : {Format::binary, Format::ascii}) {
    EXPECT_EQ(distinct_keys(Keys::few, format), 16u);
    EXPECT_EQ(distinct_keys(Keys::equal, format), 1u);
  }
}

TEST(MakeRecord, HalfOfTheSkewedKeysAreInTheLowestEighth) {
  const std::string records = make(0, 10'000, Format::binary, Keys::skewed);
  int low = 0;
  for (std::size_t i = 0; i < 10'000; ++i) low += (records[i * kRecordBytes] & 0xE0) == 0 ? 1 : 0;
  EXPECT_NEAR(low, 5000, 250);
}

}  // namespace
}  // namespace terasort
