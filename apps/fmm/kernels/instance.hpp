// All kernels of one instruction set.
#pragma once

#include "kernels/bodies.hpp"
#include "kernels/direct.hpp"
#include "kernels/kernels.hpp"
#include "kernels/translate.hpp"

namespace fmm {

template <class Isa>
inline constexpr Kernels kInstance{
    .name = Isa::kName,
    .columns = Translator<Isa, double>::kColumns,
    .float_columns = Translator<Isa, float>::kColumns,
    .direct = direct<Isa>,
    .bodies_to_multipole = bodies_to_multipole<Isa>,
    .local_to_bodies = local_to_bodies<Isa>,
    .translate = translate<Isa, double>,
    .translate_float = translate<Isa, float>,
};

}  // namespace fmm
