#include "make_record.hpp"

#include <cstring>

namespace terasort {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

void fill(std::byte*& to, const char* bytes, std::size_t count) {
  std::memcpy(to, bytes, count);
  to += count;
}

void fill_hex(std::byte*& to, u128 number) {
  for (int shift = 124; shift >= 0; shift -= 4) *to++ = std::byte(kHexDigits[unsigned(number >> shift) & 15]);
}

// The lowest `digits` hexadecimal digits of the random number, each four times.
void fill_filler(std::byte*& to, std::uint64_t random, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    std::memset(to, kHexDigits[(random >> shift) & 15], 4);
    to += 4;
  }
}

// `count` printable characters from the lower digits of `random` to the base 95.
void fill_printable(std::byte*& to, std::uint64_t random, int count) {
  for (; count > 0; --count, random /= 95) *to++ = std::byte(' ' + random % 95);
}

// Bends the high word, which decides the order; the low words stay random, so keys remain (nearly) distinct but for
// `few` and `equal`.
u128 bend(u128 random, Keys keys) {
  const auto high = std::uint64_t(random >> 64);
  const auto low = std::uint64_t(random);
  switch (keys) {
    case Keys::uniform: break;
    case Keys::skewed:
      return make_u128(std::uint64_t((u128{high} * std::uint64_t((u128{high} * high) >> 64)) >> 64), low);
    case Keys::few: return make_u128((high >> 60) * 0x0fed'cba9'8765'4321, low & 0x0000'ffff'ffff'ffff);
    case Keys::equal: return make_u128(0x4a69'6d47'7261'7952, low & 0x0000'ffff'ffff'ffff);
  }
  return random;
}

// An ASCII key takes its last two characters from the low word, lowest digits first, so that word must not vary.
u128 bend_ascii(u128 random, Keys keys) {
  const u128 bent = bend(random, keys);
  return keys == Keys::few || keys == Keys::equal ? make_u128(std::uint64_t(bent >> 64), 0) : bent;
}

}  // namespace

void make_binary_record(std::byte* to, u128 random, u128 number) {
  for (int shift = 120; shift >= 48; shift -= 8) *to++ = std::byte(random >> shift);
  fill(to, "\x00\x11", 2);
  fill_hex(to, number);
  fill(to, "\x88\x99\xAA\xBB", 4);
  fill_filler(to, std::uint64_t(random), 12);
  fill(to, "\xCC\xDD\xEE\xFF", 4);
}

void make_ascii_record(std::byte* to, u128 random, u128 number) {
  fill_printable(to, std::uint64_t(random >> 64), 8);
  fill_printable(to, std::uint64_t(random), 2);
  fill(to, "  ", 2);
  fill_hex(to, number);
  fill(to, "  ", 2);
  fill_filler(to, std::uint64_t(random), 13);
  fill(to, "\r\n", 2);
}

void make_records(std::byte* to, u128 first, std::size_t count, Format format, Keys keys) {
  Lcg128 sequence(first);
  for (std::size_t i = 0; i < count; ++i, to += kRecordBytes) {
    const u128 random = sequence.next();
    if (format == Format::binary)
      make_binary_record(to, bend(random, keys), first + i);
    else
      make_ascii_record(to, bend_ascii(random, keys), first + i);
  }
}

}  // namespace terasort
