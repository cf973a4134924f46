// The product of two blocks on this rank: BLAS where the build found OpenBLAS, loops of our own otherwise.
#pragma once

#include "common/npy.hpp"

#include <cstddef>
#include <cstdint>

namespace contract {

struct BlockSizes {
  std::uint64_t m = 0, n = 0, k = 0;
};

// c += a b, row-major without gaps: m x k times k x n. Float and complex numbers of either width.
void multiply_add(apps::Number number, const BlockSizes& sizes, const std::byte* a, const std::byte* b, std::byte* c);

// Threads that multiply_add() may use from now on, in this process. Without BLAS it uses one.
void set_kernel_threads(unsigned threads);

// "OpenBLAS", or what stands in its place.
const char* kernel_name();

}  // namespace contract
