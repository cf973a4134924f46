// Every particle goes to the rank that has its part of the curve.
#pragma once

#include "particle.hpp"
#include "radix_sort.hpp"
#include "team.hpp"
#include "window.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace fmm {

class Exchange {
 public:
  explicit Exchange(const Team& team) : team_(team), inbox_(team.runtime(), Part::inbox) {}

  // Collective. `order` is the order of the `particles` by key. Returns the particles of this rank's part, valid until
  // the next call; `particles` may be what the last call returned. They come as one run per rank, each in order.
  Result<std::span<Particle>> run(std::span<const Particle> particles, std::span<const KeyedIndex> order,
                                  std::span<const std::uint64_t> cuts);

 private:
  // How many particles each rank sends to each: row by sender.
  Result<std::vector<std::uint64_t>> count_all(const std::vector<std::uint64_t>& mine) const;
  Status send(std::span<const Particle> packed, const std::vector<std::uint64_t>& counts) const;

  const Team& team_;
  Window inbox_;
};

}  // namespace fmm
