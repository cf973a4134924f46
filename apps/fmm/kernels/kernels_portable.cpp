#include "kernels/instance.hpp"
#include "kernels/lanes_portable.hpp"

namespace fmm {

extern const Kernels kPortableKernels;
const Kernels kPortableKernels = kInstance<PortableLanes>;

}  // namespace fmm
