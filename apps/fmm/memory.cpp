#include "memory.hpp"

#include "cell.hpp"
#include "particle.hpp"
#include "radix_sort.hpp"

#include <algorithm>

namespace fmm {

std::uint64_t memory_bound(const MemoryNeed& need) {
  constexpr std::uint64_t kSlack = 8 << 20;  // tables, lists of the runtime
  const std::uint64_t each = need.particles / need.ranks + 1;
  const std::uint64_t most = need.ranks == 1 ? need.particles : std::min(need.particles, 2 * each + 1024);
  // Where they came from, packed, received; two sorts; places, results, weights; lists of neighbours.
  constexpr std::uint64_t kPerParticle =
      3 * sizeof(Particle) + 2 * sizeof(KeyedIndex) + 9 * sizeof(double) + 8 * sizeof(double);
  const std::uint64_t per_cell = 2 * sizeof(Cell) + 2 * need.stride * sizeof(double) + 64;
  const std::uint64_t cells = most * 8 / std::max<std::size_t>(need.leaf_size, 8) + 1;
  const std::uint64_t own = most * kPerParticle + cells * per_cell;
  const std::uint64_t read = need.ranks == 1 ? 0 : most * 4 * sizeof(double) + cells * per_cell;
  return kSlack + own + read;
}

}  // namespace fmm
