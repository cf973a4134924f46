#include "kernels/instance.hpp"
#include "kernels/lanes_avx512.hpp"

namespace fmm {

extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = kInstance<Avx512Lanes>;

}  // namespace fmm
