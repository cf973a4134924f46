// The element types of accumulate, as ARMCI numbers them.
#pragma once

#include <polder/accumulate.hpp>
#include <polder/status.hpp>

namespace polder::armci {

// y += scale * x. A scale of one is left out: it costs time, and would turn a complex infinity into something else.
// invalid_argument: no such type, or scale is null.
Result<Accumulation> accumulation(int datatype, const void* scale);

}  // namespace polder::armci
