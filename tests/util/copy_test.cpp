#include "util/copy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace polder::util {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return bytes;
}

// `size` bytes of a block, from `from` to `to` within it, against memmove.
void check(std::size_t to, std::size_t from, std::size_t size) {
  Bytes block = pattern(std::max(to, from) + size + 64), expected = block;
  copy(block.data() + to, block.data() + from, size);
  std::memmove(expected.data() + to, expected.data() + from, size);
  EXPECT_TRUE(block == expected) << size << " bytes from " << from << " to " << to;
}

TEST(Copy, SmallAndLarge) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{8}, std::size_t{100},
                                 kLargeCopy - 1, kLargeCopy, kLargeCopy + 1, 3 * kLargeCopy + 5})
    for (const std::size_t apart : {size, size + 13}) check(3, 3 + apart, size), check(3 + apart, 3, size);
}

// Also so far behind whole pages that memcpy's instruction is slow.
TEST(Copy, BlocksThatLieBehindPages) {
  for (const std::size_t size :
       {kShortCopy - 1, kShortCopy, kShortCopy + 1, std::size_t{5000}, std::size_t{70'001}, kLargeCopy + 3})
    for (const std::size_t behind : {1, 15, 16, 31, 32})
      for (const std::size_t pages : {(size + 4095) / 4096, (size + 4095) / 4096 + 7})
        check(7 + pages * 4096 + behind, 7, size), check(7, 7 + pages * 4096 - behind, size);
}

TEST(Copy, BlocksThatOverlap) {
  for (const std::size_t size : {std::size_t{200}, std::size_t{20'000}, kLargeCopy, 2 * kLargeCopy + 77})
    for (const std::size_t apart : {std::size_t{0}, std::size_t{1}, std::size_t{16}, std::size_t{64}, std::size_t{4096},
                                    std::size_t{4096 + 16}, size / 2})
      check(0, apart, size), check(apart, 0, size);
}

}  // namespace
}  // namespace polder::util
