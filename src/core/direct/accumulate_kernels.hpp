// The arithmetic of accumulate: one vectorised loop per operation and type, chosen once per call.
#pragma once

#include <polder/accumulate.hpp>

#include <cstddef>

namespace polder::core {

// y[i] = y[i] op x[i], for axpy y[i] += *scale * x[i]. x and y may have any alignment that
// the processor loads from (alignment_of() says which), and do not overlap.
using AccumulateKernel = void (*)(void* y, const void* x, std::size_t count, const void* scale);

// Null where the operation is not defined for the type.
AccumulateKernel accumulate_kernel(Reduction op, DataType type);

}  // namespace polder::core
