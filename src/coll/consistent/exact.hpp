// Sums of floating-point numbers that are exact until they are rounded.
#pragma once

#include <polder/collective.hpp>

#include <cstddef>
#include <optional>

namespace polder::coll {

// Nothing: sums of that type are exact as they are.
std::optional<ReductionSpec> exact_sum_of(DataType type, std::size_t count);
ReductionSpec exact_sum_of(HalfType type, std::size_t count);

}  // namespace polder::coll
