// A unit's memory with the shape it has: for libraries that take more than a span.
//
//   auto mine = local_as<std::mdspan<double, std::dextents<std::size_t, 2>>>(a);    // C++23, or a library that has it before
//   mine[i, j] = 1;
#pragma once

#include <polder/containers/distribution.hpp>
#include <polder/containers/failure.hpp>

#include <type_traits>

namespace polder::containers {

// Any type that is made from a pointer and an array of extents and means row-major elements, as std::mdspan and Kokkos'
// do; owns nothing. Extents are those of Distribution::extents(unit): of all elements of this unit, whatever the blocks.
// Throws Failure: this unit's elements are not one row-major array; those of BlockCyclic and Irregular always are.
template <class Shaped, class C>
Shaped local_as(C& container) {
  using Distribution = typename C::distribution_type;
  if constexpr (!Distribution::kProperties.canonical)
    if (!container.distribution().properties().canonical)
      throw_failure(Code::invalid_argument,
                    "array '" + container.name() + "': a unit's elements are tiles, which are not " +
                        "one row-major array, at rank " + std::to_string(container.team().runtime().rank()));
  return Shaped(container.local().data(), container.distribution().extents(container.team().unit()));
}

}  // namespace polder::containers
