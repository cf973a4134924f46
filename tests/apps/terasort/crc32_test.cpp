#include "crc32.hpp"

#include <gtest/gtest.h>

#include <string>

namespace terasort {
namespace {

std::uint32_t crc_of(const std::string& text) {
  return crc32(reinterpret_cast<const std::byte*>(text.data()), text.size());
}

// Bit by bit, as the polynomial is defined.
std::uint32_t slow_crc(const std::string& text) {
  std::uint32_t crc = ~0u;
  for (const char c : text) {
    crc ^= std::uint8_t(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

TEST(Crc32, KnownValues) {
  EXPECT_EQ(crc_of(""), 0u);
  EXPECT_EQ(crc_of("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc_of("The quick brown fox jumps over the lazy dog"), 0x414FA339u);
}

TEST(Crc32, EveryLengthAgreesWithTheDefinition) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(crc_of(text), slow_crc(text)) << "length " << i;
    text.push_back(char(i * 37 + 11));
  }
}

}  // namespace
}  // namespace terasort
