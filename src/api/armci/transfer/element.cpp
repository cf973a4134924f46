#include "api/armci/transfer/element.hpp"

#include "api/armci/symbols.hpp"

#include <complex>
#include <cstring>
#include <string>

namespace polder::armci {
namespace {

// `int` and `long` have their own width in the types of Polder.
static_assert(sizeof(int) == 4 && sizeof(long) == 8);

constexpr DataType kTypes[] = {DataType::int32,   DataType::int64,     DataType::float32,
                               DataType::float64, DataType::complex64, DataType::complex128};
static_assert(kTypes[ARMCI_ACC_INT] == DataType::int32 && kTypes[ARMCI_ACC_LNG] == DataType::int64 &&
              kTypes[ARMCI_ACC_FLT] == DataType::float32 && kTypes[ARMCI_ACC_DBL] == DataType::float64 &&
              kTypes[ARMCI_ACC_CPL] == DataType::complex64 && kTypes[ARMCI_ACC_DCP] == DataType::complex128);

template <class T>
bool holds_one(const void* scale) {
  T value;
  std::memcpy(&value, scale, sizeof value);
  return value == T(1);
}

bool is_one(int datatype, const void* scale) {
  switch (datatype) {
    case ARMCI_ACC_INT: return holds_one<int>(scale);
    case ARMCI_ACC_LNG: return holds_one<long>(scale);
    case ARMCI_ACC_FLT: return holds_one<float>(scale);
    case ARMCI_ACC_DBL: return holds_one<double>(scale);
    case ARMCI_ACC_CPL: return holds_one<std::complex<float>>(scale);
    default: return holds_one<std::complex<double>>(scale);
  }
}

}  // namespace

Result<Accumulation> accumulation(int datatype, const void* scale) {
  if (datatype < ARMCI_ACC_INT || datatype > ARMCI_ACC_DCP)
    return Status(Code::invalid_argument, "there is no type " + std::to_string(datatype) + " of elements");
  if (scale == nullptr) return Status(Code::invalid_argument, "the scale is NULL");
  if (is_one(datatype, scale)) return Accumulation{Reduction::sum, kTypes[datatype], nullptr};
  return Accumulation{Reduction::axpy, kTypes[datatype], scale};
}

}  // namespace polder::armci
