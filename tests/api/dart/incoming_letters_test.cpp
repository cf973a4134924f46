// Letters come out whole and in order, whatever a sender says of their sizes.
#include "api/dart/collective/incoming_letters.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace polder::dart {
namespace {

std::vector<std::byte> message(const LetterHead& head, const std::string& piece) {
  std::vector<std::byte> bytes(sizeof head + piece.size());
  std::memcpy(bytes.data(), &head, sizeof head);
  if (!piece.empty()) std::memcpy(bytes.data() + sizeof head, piece.data(), piece.size());
  return bytes;
}

std::string next(IncomingLetters& letters, int tag) {
  const std::vector<std::byte> letter = letters.next(tag);
  return {reinterpret_cast<const char*>(letter.data()), letter.size()};
}

TEST(IncomingLetters, ComeOutInOrderAndByTag) {
  IncomingLetters letters;
  EXPECT_TRUE(letters.take(message({1, 3, 0, 0, 7}, "two"), 0));
  EXPECT_FALSE(letters.has(7));  // the first one has not come
  EXPECT_TRUE(letters.take(message({0, 6, 0, 0, 7}, "thr"), 0));
  EXPECT_TRUE(letters.take(message({2, 0, 0, 0, 8}, ""), 0));
  EXPECT_TRUE(letters.take(message({0, 6, 3, 0, 7}, "ice"), 0));
  EXPECT_EQ(next(letters, 7), "thrice");
  EXPECT_EQ(next(letters, 7), "two");
  EXPECT_EQ(next(letters, 8), "");
  EXPECT_FALSE(letters.has(7));
  EXPECT_FALSE(letters.has(8));
}

TEST(IncomingLetters, ThoseOfAnEarlierEpochAreDropped) {
  IncomingLetters letters;
  EXPECT_TRUE(letters.take(message({0, 3, 0, 1, 7}, "old"), 2));
  EXPECT_TRUE(letters.take(message({1, 3, 0, 2, 7}, "new"), 2));
  EXPECT_EQ(next(letters, 7), "new");
  EXPECT_TRUE(letters.take(message({2, 4, 0, 2, 7}, "more"), 2));
  letters.drop();
  EXPECT_FALSE(letters.has(7));
}

TEST(IncomingLetters, NoPieceLiesBeyondItsLetter) {
  IncomingLetters letters;
  EXPECT_FALSE(letters.take(std::vector<std::byte>(sizeof(LetterHead) - 1), 0));
  EXPECT_FALSE(letters.take(message({0, 2, 0, 0, 7}, "too long"), 0));
  EXPECT_FALSE(letters.take(message({0, 8, 4, 0, 7}, "late"), 0));
  EXPECT_TRUE(letters.take(message({0, 8, 0, 0, 7}, "first"), 0));
  EXPECT_FALSE(letters.take(message({0, 800, 5, 0, 7}, "of another size"), 0));
  EXPECT_FALSE(letters.take(message({0, 4, 5, 0, 7}, "."), 0));
  EXPECT_FALSE(letters.take(message({0, 8, 0, 0, 7}, "first"), 0));
  EXPECT_FALSE(letters.take(message({0, 8, 5, 0, 7}, ""), 0));
  EXPECT_TRUE(letters.take(message({0, 8, 5, 0, 7}, "one"), 0));
  EXPECT_EQ(next(letters, 7), "firstone");
  EXPECT_FALSE(letters.take(message({0, 8, 0, 0, 7}, "once"), 0));  // that one has been
}

// Only what has come takes memory.
TEST(IncomingLetters, AnnouncedSizesCostNothing) {
  IncomingLetters letters;
  for (std::uint64_t number = 0; number < 100; ++number)
    EXPECT_TRUE(letters.take(message({number, ~std::uint64_t{0}, 0, 0, 7}, "the beginning"), 0));
  EXPECT_FALSE(letters.has(7));
}

}  // namespace
}  // namespace polder::dart
