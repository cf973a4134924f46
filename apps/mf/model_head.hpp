// How a model lies in its file: a head, the numbers of users and of items, the vectors of users and those of items.
#pragma once

#include "rating.hpp"

#include <bit>
#include <cstdint>

namespace mf {

inline constexpr std::uint64_t kModelMagic = 0x31666d7265646c6f;  // "olderm" and a version

struct ModelHead {
  std::uint64_t magic = kModelMagic;
  std::uint64_t length = 0;  // of a vector
  std::uint64_t users = 0, items = 0;
  std::uint64_t iterations = 0;
  double mean = 0;
  std::uint64_t check = 0;  // of the others

  std::uint64_t sum() const {
    return drawn(magic ^ length << 40, users, items) ^ drawn(iterations, 1, std::bit_cast<std::uint64_t>(mean));
  }
  std::uint64_t ids_at() const { return sizeof(ModelHead); }
  std::uint64_t users_at() const { return ids_at() + 8 * (users + items); }
  std::uint64_t items_at() const { return users_at() + 8 * length * users; }
  std::uint64_t bytes() const { return items_at() + 8 * length * items; }
};

}  // namespace mf
