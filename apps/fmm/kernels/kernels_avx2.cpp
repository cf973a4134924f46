#include "kernels/instance.hpp"
#include "kernels/lanes_avx2.hpp"

namespace fmm {

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = kInstance<Avx2Lanes>;

}  // namespace fmm
