#include "api/dart/collective/user_operation.hpp"

#include "api/dart/atomic/elements.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace polder::dart {
namespace {

// Those that the library knows for its own types.
std::optional<Reduction> known_reduction(dart_operation_t op) {
  switch (op) {
    case DART_OP_MIN: return Reduction::min;
    case DART_OP_MAX: return Reduction::max;
    case DART_OP_SUM: return Reduction::sum;
    case DART_OP_PROD: return Reduction::product;
    case DART_OP_BAND: return Reduction::bit_and;
    case DART_OP_BOR: return Reduction::bit_or;
    case DART_OP_BXOR: return Reduction::bit_xor;
    default: return {};
  }
}

std::optional<DataType> known_type(dart_datatype_t type) {
  switch (type) {
    case DART_TYPE_BYTE: return DataType::int8;
    case DART_TYPE_SHORT: return DataType::int16;
    case DART_TYPE_INT: return DataType::int32;
    case DART_TYPE_UINT: return DataType::uint32;
    case DART_TYPE_LONG:
    case DART_TYPE_LONGLONG: return DataType::int64;
    case DART_TYPE_ULONG:
    case DART_TYPE_ULONGLONG: return DataType::uint64;
    case DART_TYPE_FLOAT: return DataType::float32;
    case DART_TYPE_DOUBLE: return DataType::float64;
    default: return {};
  }
}

// `pair`: elements that are combined together, so that the place of each is known.
ReductionSpec predefined(dart_operation_t op, dart_datatype_t type, std::size_t count, std::size_t pair) {
  ReductionSpec spec;
  spec.count = count / pair;
  spec.element_size = basic_size(type) * pair;
  spec.combine = [op, type, pair](const void* one, const void* two, void* result, std::size_t elements) {
    with_element_type(type, [&](auto kind) {
      using T = decltype(kind);
      for (std::size_t i = 0; i < elements * pair; ++i) {
        T left, right;
        std::memcpy(&left, static_cast<const T*>(one) + i, sizeof left);
        std::memcpy(&right, static_cast<const T*>(two) + i, sizeof right);
        const T both = combined_element(op, left, right, i);
        std::memcpy(static_cast<T*>(result) + i, &both, sizeof both);
      }
    });
    return Status();
  };
  return spec;
}

// Vectors of 16 bytes each are aligned for elements of any type.
struct alignas(16) AlignedBytes {
  std::byte bytes[16];
};
std::vector<AlignedBytes> aligned_copy(const void* from, std::size_t bytes) {
  std::vector<AlignedBytes> copy((bytes + sizeof(AlignedBytes) - 1) / sizeof(AlignedBytes));
  if (bytes > 0) std::memcpy(copy.data(), from, bytes);
  return copy;
}

ReductionSpec of_the_program(const UserOperation& operation, std::size_t count) {
  ReductionSpec spec;
  spec.count = count;
  spec.element_size = operation.element;
  spec.commutes = operation.commutes;
  spec.combine = [operation](const void* one, const void* two, void* result, std::size_t elements) {
    if (elements == 0) return Status();
    const std::size_t bytes = elements * operation.element;
    auto inout = aligned_copy(two, bytes);
    if (reinterpret_cast<std::uintptr_t>(one) % sizeof(AlignedBytes) == 0) {
      operation.function(one, inout.data(), elements, operation.data);
    } else {
      const auto in = aligned_copy(one, bytes);
      operation.function(in.data(), inout.data(), elements, operation.data);
    }
    std::memcpy(result, inout.data(), bytes);
    return Status();
  };
  return spec;
}

}  // namespace

Result<ReductionSpec> reduction_of(dart_operation_t op, dart_datatype_t type, std::size_t count) {
  if (op > DART_OP_LAST) {
    const auto& operation = *reinterpret_cast<const UserOperation*>(op);
    const auto element = contiguous_size(type);
    if (!element) return wrong_type(type, "basic or custom");
    if (*element != operation.element)
      return Status(Code::invalid_argument, "the operation is for elements of " + std::to_string(operation.element) +
                                                " bytes, and these have " + std::to_string(*element));
    return of_the_program(operation, count);
  }
  if (!is_basic(type)) return wrong_type(type, "basic");
  if (!is_operation_on(op, type) || op == DART_OP_REPLACE || op == DART_OP_NO_OP)
    return Status(Code::invalid_argument,
                  "operation " + std::to_string(op) + " does not reduce elements of type " + std::to_string(type));
  if (op == DART_OP_MINMAX && count % 2 != 0)
    return Status(Code::invalid_argument, "MINMAX of " + std::to_string(count) + " elements, which are no pairs");
  const auto known = known_reduction(op);
  if (const auto data_type = known_type(type); known && data_type) return reduction(*known, *data_type, count);
  return predefined(op, type, count, op == DART_OP_MINMAX ? 2 : 1);
}

}  // namespace polder::dart
