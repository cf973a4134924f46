// A particle as it travels between ranks, and the cube that holds all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace fmm {

struct Particle {
  std::array<double, 3> position{};
  double charge = 0;
  std::array<double, 3> velocity{};
  std::uint64_t id = 0;  // its place in the input, from 0
};
static_assert(sizeof(Particle) == 64);

// Inside, all is computed in a unit cube: squared distances then fit any type, and a table serves all levels.
struct Domain {
  std::array<double, 3> origin{};
  double side = 1;

  // In [0, 1).
  std::array<double, 3> to_unit(const std::array<double, 3>& position) const {
    std::array<double, 3> unit{};
    for (int i = 0; i < 3; ++i) unit[i] = std::clamp((position[i] - origin[i]) / side, 0.0, 1.0 - 1e-16);
    return unit;
  }
};

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
  const std::uint64_t each = total / shares, longer = total % shares;
  const std::uint64_t in_longer = longer * (each + 1);
  return unsigned(id < in_longer ? id / (each + 1) : longer + (id - in_longer) / each);
}

}  // namespace fmm
