#include "kernels/kernel.hpp"

namespace kmeans {

extern const SearchKernel kAvx2Search, kAvx512Search;

const SearchKernel& search_kernel() {
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  static const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return avx512 ? kAvx512Search : avx2 ? kAvx2Search : kPortableSearch;
}

}  // namespace kmeans
