// What reductions combine with: predefined operations, and those of the program.
#pragma once

#include "api/dart/symbols.hpp"

#include <polder/collective.hpp>
#include <polder/status.hpp>

#include <cstddef>

namespace polder::dart {

// What dart_op_create made; its address is the handle.
struct UserOperation {
  dart_operator_t function = nullptr;
  void* data = nullptr;  // the caller's
  bool commutes = true;
  std::size_t element = 0;  // bytes
};

// invalid_argument: the operation is not defined for the type, or was made for another; MINMAX of an odd number.
Result<ReductionSpec> reduction_of(dart_operation_t op, dart_datatype_t type, std::size_t count);

}  // namespace polder::dart
