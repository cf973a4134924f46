// Some elements of the result computed anew, each as the sum that a transform is by its definition.
#pragma once

#include "field.hpp"

#include <cstdint>

namespace fft {

// The largest difference of `samples` elements of this rank's result, drawn from the seed, in units of the root mean square
// that all elements have; infinity where one of them is not finite. A pass over the whole field for each.
double sampled_error(const Field& field, const Share& share, const Complex* result, bool inverse, std::uint64_t samples,
                     std::uint64_t seed);

// What rounding allows, in the same units. Gentleman and Sande 1966: it grows with the logarithm of the elements.
double rounding_bound(const Extents& extents);

}  // namespace fft
