#include "bootstrap/local/record_store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace polder::bootstrap::local {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class RecordStoreTest : public testing::Test {
 protected:
  Status append(const std::string& key, const std::string& value) { return store_->append(key, bytes_of(value)); }
  std::string find(const std::string& key) {
    const auto value = store_->find(key);
    return value ? text_of(*value) : "(none)";
  }

  std::unique_ptr<RecordStore> store_{new RecordStore()};  // value-initialised: all zeros, as a fresh page is
};

TEST_F(RecordStoreTest, FindsWhatWasAppended) {
  EXPECT_EQ(find("a"), "(none)");
  EXPECT_TRUE(append("a", "first").ok());
  EXPECT_TRUE(append("b", "").ok());
  EXPECT_TRUE(append("ab", "third").ok());
  EXPECT_EQ(find("a"), "first");
  EXPECT_EQ(find("b"), "");
  EXPECT_EQ(find("ab"), "third");
  EXPECT_EQ(find("abc"), "(none)");
}

TEST_F(RecordStoreTest, TakesAKeyOnce) {
  EXPECT_TRUE(append("key", "one").ok());
  EXPECT_EQ(append("key", "two").code(), Code::exists);
  EXPECT_EQ(find("key"), "one");
}

// The store of a peer, which may have written anything.
TEST_F(RecordStoreTest, RecordsThatDoNotFitEndTheList) {
  ASSERT_TRUE(append("good", "value").ok());
  auto* words = reinterpret_cast<std::uint32_t*>(store_.get());
  const std::uint32_t length = words[0];
  for (const std::uint32_t bytes : {~0u, 5000u, std::uint32_t(kStoreBytes)}) {
    for (const bool key : {true, false}) {
      words[2 + length / 4] = key ? bytes : 3;
      words[3 + length / 4] = key ? 3 : bytes;
      for (const std::uint32_t claimed : {length + 16, length + 9, ~0u}) {
        words[0] = claimed;
        EXPECT_EQ(find("good"), "value");
        EXPECT_EQ(find("bad"), "(none)");
      }
    }
  }
}

TEST_F(RecordStoreTest, HoldsAThousandKeys) {
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(append("key" + std::to_string(i), std::string(40, char('a' + i % 26))).ok()) << i;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(find("key" + std::to_string(i)), std::string(40, char('a' + i % 26)));
}

TEST_F(RecordStoreTest, SaysWhenItIsFullAndKeepsWhatItHas) {
  const std::string value(kMaxValueBytes, 'v');
  int count = 0;
  while (append(std::to_string(count), value).ok()) ++count;
  EXPECT_EQ(count, int(kStoreBytes / kMaxValueBytes) - 1);  // the heads take the room of one value
  EXPECT_EQ(append("x", value).code(), Code::limit);
  EXPECT_TRUE(append("small", "still fits").ok());
  EXPECT_EQ(find("small"), "still fits");
  EXPECT_EQ(find("0"), value);
  EXPECT_EQ(find("x"), "(none)");
}

TEST_F(RecordStoreTest, FillsToTheLastByte) {
  // A head is 8 bytes; keys of 4 and values of 4 make records of 16.
  const std::size_t room = (kStoreBytes - 8) / 16;
  for (std::size_t i = 0; i < room; ++i) {
    std::string key(4, '\0');
    for (std::size_t digit = 0; digit < 4; ++digit) key[digit] = char('0' + (i >> (4 * digit)) % 16);
    ASSERT_TRUE(append(key, "1234").ok()) << i;
  }
  EXPECT_EQ(append("over", "1234").code(), Code::limit);
}

TEST_F(RecordStoreTest, ReadersNeverSeeHalfARecord) {
  constexpr int kRecords = 500;
  std::atomic<bool> wrong{false};
  std::vector<std::jthread> readers;
  for (int reader = 0; reader < 3; ++reader)
    readers.emplace_back([&] {
      for (int next = 0; next < kRecords;) {
        const auto value = store_->find("k" + std::to_string(next));
        if (!value) {
          std::this_thread::yield();
          continue;
        }
        if (text_of(*value) != std::string(64, char('a' + next % 26))) wrong = true;
        ++next;
      }
    });
  for (int i = 0; i < kRecords; ++i)
    ASSERT_TRUE(append("k" + std::to_string(i), std::string(64, char('a' + i % 26))).ok());
  readers.clear();
  EXPECT_FALSE(wrong);
}

TEST_F(RecordStoreTest, ThreadsOfTheOwnerAppendTogether) {
  constexpr int kThreads = 4, kEach = 100;
  std::atomic<int> duplicates{0};
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < kThreads; ++writer)
      writers.emplace_back([&, writer] {
        for (int i = 0; i < kEach; ++i) {
          EXPECT_TRUE(append(std::to_string(writer) + "." + std::to_string(i), "mine").ok());
          if (append("shared" + std::to_string(i), "one of us").code() == Code::exists) ++duplicates;
        }
      });
  }
  EXPECT_EQ(duplicates, (kThreads - 1) * kEach);
  for (int writer = 0; writer < kThreads; ++writer)
    for (int i = 0; i < kEach; ++i) EXPECT_EQ(find(std::to_string(writer) + "." + std::to_string(i)), "mine");
}

}  // namespace
}  // namespace polder::bootstrap::local
