#include "crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace terasort {
namespace {

constexpr std::size_t kSlices = 16;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

// tables[k][b]: what byte b adds to the remainder when k more bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
    tables[0][b] = crc;
  }
  for (std::size_t k = 1; k < kSlices; ++k)
    for (std::size_t b = 0; b < 256; ++b) tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 255];
  return tables;
}

constexpr Tables kTables = make_tables();

// Looks 4 bytes up in the four tables that end at `last`, the one for the highest byte.
std::uint32_t look_up(std::uint32_t word, std::size_t last) {
  return kTables[last + 3][word & 255] ^ kTables[last + 2][(word >> 8) & 255] ^ kTables[last + 1][(word >> 16) & 255] ^
         kTables[last][word >> 24];
}

}  // namespace

// Slicing by 16: Kounavis and Berry 2008. The table look-ups of 16 bytes do not wait for each other.
std::uint32_t crc32(const std::byte* data, std::size_t bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t crc = ~0u;
  for (; bytes >= kSlices; bytes -= kSlices, data += kSlices) {
    std::array<std::uint32_t, 4> words;
    std::memcpy(words.data(), data, kSlices);
    crc = look_up(words[0] ^ crc, 12) ^ look_up(words[1], 8) ^ look_up(words[2], 4) ^ look_up(words[3], 0);
  }
  for (; bytes > 0; --bytes, ++data) crc = (crc >> 8) ^ kTables[0][(crc ^ std::uint32_t(*data)) & 255];
  return ~crc;
}

}  // namespace terasort
