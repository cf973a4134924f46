// How much memory a job needs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fmm {

struct MemoryNeed {
  std::uint64_t particles = 0;  // in all
  unsigned ranks = 1;
  std::size_t leaf_size = 64;
  std::size_t stride = 0;  // numbers of an expansion
};

// The most that a rank uses, in bytes: it has at most about twice its share of particles (Solver sees to that), a cell
// for each eighth of a full leaf, and reads as much of others as it has itself.
std::uint64_t memory_bound(const MemoryNeed& need);

}  // namespace fmm
