// Processors for which there is nothing faster.
#include "kernels/kernels.hpp"

namespace fmm {

extern const Kernels kPortableKernels;

const Kernels* const* available_kernels() {
  static constexpr const Kernels* kAll[] = {&kPortableKernels, nullptr};
  return kAll;
}

}  // namespace fmm
