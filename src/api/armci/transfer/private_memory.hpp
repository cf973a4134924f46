// Transfers of a rank to itself where the remote side is no memory of ARMCI: a variable, an array of its own. Nobody
// else can reach it, so plain loads and stores do.
#pragma once

#include <polder/accumulate.hpp>
#include <polder/shape.hpp>
#include <polder/status.hpp>

namespace polder::armci {

// The shape's local side is seen from `local`, its remote side from `remote`.
Status put_privately(const void* local, void* remote, const Shape& shape);
Status get_privately(void* local, const void* remote, const Shape& shape);
// invalid_size: some piece is no multiple of the element.
Status accumulate_privately(const Accumulation& how, const void* local, void* remote, const Shape& shape);

}  // namespace polder::armci
