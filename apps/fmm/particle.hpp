// A particle as it travels between ranks, and which of them are whose.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace fmm {

struct Particle {
  std::array<double, 3> position{};
  double charge = 0;
  std::array<double, 3> velocity{};
  std::uint64_t id = 0;  // its place in the input, from 0
};
static_assert(sizeof(Particle) == 64);

// Beyond this, squares of distances overflow.
template <std::size_t N>
bool usable(const std::array<double, N>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::abs(number) < 1e150; });
}

// With all its digits.
inline std::string text_of(const std::array<double, 3>& position) {
  std::array<char, 100> text;
  std::snprintf(text.data(), text.size(), "(%.17g, %.17g, %.17g)", position[0], position[1], position[2]);
  return text.data();
}

// Ids begin .. end-1.
struct Share {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
};

// Consecutive shares whose sizes differ by one at most.
inline Share share_of(std::uint64_t total, unsigned index, unsigned shares) {
  const std::uint64_t each = total / shares, longer = total % shares;
  const std::uint64_t begin = each * index + std::min<std::uint64_t>(index, longer);
  return {begin, begin + each + (index < longer ? 1 : 0)};
}

// Who has `id` when shares are as above. REQUIRES: id < total.
inline unsigned owner_of(std::uint64_t id, std::uint64_t total, unsigned shares) {
  assert(id < total);
  const std::uint64_t each = total / shares, longer = total % shares;
  const std::uint64_t in_longer = longer * (each + 1);
  return unsigned(id < in_longer ? id / (each + 1) : longer + (id - in_longer) / each);
}

}  // namespace fmm
