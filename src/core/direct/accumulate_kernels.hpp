// The arithmetic of accumulate and of reductions: one vectorised loop per operation and type, chosen once per call.
#pragma once

#include <polder/accumulate.hpp>

#include <cstddef>

namespace polder::core {

// result[i] = y[i] op x[i], for axpy y[i] + *scale * x[i]. All three may have any alignment that the processor loads from
// (alignment_of() says which). The result may be y, and overlaps neither otherwise.
using AccumulateKernel = void (*)(const void* y, const void* x, void* result, std::size_t count, const void* scale);

// Null where the operation is not defined for the type.
AccumulateKernel accumulate_kernel(Reduction op, DataType type);

}  // namespace polder::core
