// The kernels that an x86-64 processor can run.
#include "kernels/kernels.hpp"

namespace fmm {

extern const Kernels kAvx512Kernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kPortableKernels;

const Kernels* const* available_kernels() {
  static constexpr const Kernels* kAll[] = {&kAvx512Kernels, &kAvx2Kernels, &kPortableKernels, nullptr};
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!avx2) return kAll + 2;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return avx512 ? kAll : kAll + 1;
}

}  // namespace fmm
