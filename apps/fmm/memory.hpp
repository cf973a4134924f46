// How much memory a job needs, and how much there is.
#pragma once

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>

namespace fmm {

// Bytes that the processes of this node can use without swapping: MemAvailable, or what the control group still allows
// if that is less.
polder::Result<std::uint64_t> available_memory();

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
