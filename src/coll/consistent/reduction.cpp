#include <polder/collective.hpp>

#include "core/direct/accumulate_kernels.hpp"

#include <cstring>
#include <string>

namespace polder {

Result<ReductionSpec> reduction(Reduction op, DataType type, std::size_t count) {
  const core::AccumulateKernel kernel = core::accumulate_kernel(op, type);
  if (kernel == nullptr || op == Reduction::axpy)
    return Status(Code::invalid_argument,
                  std::string(to_string(op)) + " of " + std::string(to_string(type)) + " is no reduction");
  const std::size_t size = size_of(type);
  Combine combine = [kernel, size](const void* one, const void* two, void* result, std::size_t n) -> Status {
    if (result != one) std::memcpy(result, one, n * size);
    kernel(result, two, n, nullptr);
    return {};
  };
  return ReductionSpec{count, size, std::move(combine), true, std::uint8_t(op), std::uint8_t(type)};
}

}  // namespace polder
