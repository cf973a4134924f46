#include "coll/consistent/half.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace polder::coll {
namespace {

template <float (*convert)(std::uint16_t)>
void widen(const void* narrow, void* wide, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, static_cast<const std::byte*>(narrow) + 2 * i, 2);
    const float value = convert(bits);
    std::memcpy(static_cast<std::byte*>(wide) + 4 * i, &value, 4);
  }
}

template <std::uint16_t (*convert)(float)>
void narrow(const void* wide, void* narrow, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, static_cast<const std::byte*>(wide) + 4 * i, 4);
    const std::uint16_t bits = convert(value);
    std::memcpy(static_cast<std::byte*>(narrow) + 2 * i, &bits, 2);
  }
}

}  // namespace

// 1 sign, 5 exponent (bias 15), 10 fraction.
float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = float(fraction) * 0x1p-24f;
  return sign == 0 ? small : -small;
}

std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = std::uint16_t(bits >> 16 & 0x8000);
  const float size = std::fabs(value);
  if (std::isnan(value)) return std::uint16_t(sign | 0x7e00);
  if (size >= 65520.0f) return std::uint16_t(sign | 0x7c00);
  if (size < 0x1p-14f) return std::uint16_t(sign | std::uint16_t(std::nearbyint(size * 0x1p24f)));  // subnormal
  // 13 bits of the fraction go; what they carry into reaches the exponent rightly.
  const std::uint32_t rebased = (bits & 0x7fffffff) - (std::uint32_t{112} << 23);
  return std::uint16_t(sign | (rebased + 0xfff + (rebased >> 13 & 1)) >> 13);
}

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return std::uint16_t(bits >> 16 | 0x40);
  return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void widen_float16(const void* from, void* to, std::size_t count) {
  widen<from_float16>(from, to, count);
}
void narrow_float16(const void* from, void* to, std::size_t count) {
  narrow<to_float16>(from, to, count);
}
void widen_bfloat16(const void* from, void* to, std::size_t count) {
  widen<from_bfloat16>(from, to, count);
}
void narrow_bfloat16(const void* from, void* to, std::size_t count) {
  narrow<to_bfloat16>(from, to, count);
}

}  // namespace polder::coll
