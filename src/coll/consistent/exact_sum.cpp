#include <polder/exact_sum.hpp>

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <limits>

namespace polder {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "a sum is rounded from 64 digits");

// All digits of a sum, 32 each, the lowest first; negated if the sum is below 0.
struct Digits {
  std::array<std::uint32_t, 7> limbs{};
  bool is_negative = false;
};

Digits carried(const std::int64_t* pieces, std::size_t count) {
  Digits digits;
  __extension__ using Wide = __int128;
  Wide carry = 0;
  for (std::size_t i = 0; i < digits.limbs.size(); ++i) {
    carry += i < count ? pieces[count - 1 - i] : 0;
    digits.limbs[i] = std::uint32_t(carry);
    carry >>= 32;
  }
  digits.is_negative = carry < 0;
  if (!digits.is_negative) return digits;
  std::uint64_t one = 1;
  for (std::uint32_t& limb : digits.limbs) {
    one += std::uint32_t(~limb);
    limb = std::uint32_t(one);
    one >>= 32;
  }
  return digits;
}

}  // namespace

// 64 digits of the sum, the last of which is odd if there are others below it.
long double ExactSum::rounded_to_odd() const {
  if ((odd_ & kNoNumber) != 0 || (odd_ & kAboveAll && odd_ & kBelowAll))
    return std::numeric_limits<long double>::quiet_NaN();
  if (odd_ != 0) return (odd_ & kAboveAll ? 1 : -1) * std::numeric_limits<long double>::infinity();
  const Digits digits = carried(pieces_, kPlaces);
  std::size_t high = digits.limbs.size();
  while (high > 0 && digits.limbs[high - 1] == 0) --high;
  if (high == 0) return 0;
  const auto limb = [&](std::size_t below) { return high > below ? digits.limbs[high - 1 - below] : 0; };
  const int shift = std::countl_zero(limb(0));
  std::uint64_t top = std::uint64_t{limb(0)} << 32 | limb(1);
  std::uint32_t rest = limb(2);
  if (shift != 0) {
    top = top << shift | limb(2) >> (32 - shift);
    rest = limb(2) << shift;
  }
  for (std::size_t below = 3; below < high; ++below) rest |= limb(below);
  top |= std::uint64_t(rest != 0);
  const int lowest = int(kWidth) * (int(top_) - int(kPlaces) + 1) - 1088;  // what the lowest limb counts
  const int exponent = lowest + 32 * (int(high) - 2) - shift;
  const long double value = std::ldexp(static_cast<long double>(top), exponent);
  return digits.is_negative ? -value : value;
}

double ExactSum::number() const {
  return double(rounded_to_odd());
}

float ExactSum::single() const {
  return float(rounded_to_odd());
}

float ExactSum::odd_single() const {
  const long double sum = rounded_to_odd();
  float value = float(sum);
  if (value == sum || std::isnan(sum)) return value;
  if (std::fabs(static_cast<long double>(value)) > std::fabs(sum)) value = std::nextafter(value, 0.0F);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | 1);
}

}  // namespace polder
