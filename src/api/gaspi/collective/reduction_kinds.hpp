// GASPI's operations and types of reductions as Polder has them.
#pragma once

#include "api/gaspi/base/error.hpp"
#include "api/gaspi/base/symbols.hpp"

#include <polder/collective.hpp>

#include <array>

namespace polder::gaspi {

// In the order of gaspi_datatype_t and of gaspi_operation_t.
inline constexpr std::array kTypes = {DataType::int32,   DataType::uint32, DataType::float32,
                                      DataType::float64, DataType::int64,  DataType::uint64};
inline constexpr std::array kOperations = {Reduction::min, Reduction::max, Reduction::sum};

inline gaspi_return_t check_kinds(const char* call, gaspi_operation_t operation, gaspi_datatype_t datatype) {
  if (unsigned(operation) >= kOperations.size())
    return refuse(GASPI_ERR_INV_NUM, call, "the operation must be GASPI_OP_MIN, _MAX or _SUM");
  if (unsigned(datatype) >= kTypes.size())
    return refuse(GASPI_ERR_INV_NUM, call, "the datatype must be a GASPI_TYPE_", unsigned(datatype));
  return GASPI_SUCCESS;
}

}  // namespace polder::gaspi
