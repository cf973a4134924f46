// Accumulate: combine local elements into remote ones, element-wise atomic against all other accumulates to the same
// elements. Those to elements that begin elsewhere and overlap in a part only (as those of another offset in an array of
// complex128) may meet in the middle of one.
#pragma once

#include <polder/export.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace polder {

enum class DataType : std::uint8_t {
  int32,
  int64,
  uint32,
  uint64,
  float32,
  float64,
  complex64,
  complex128,
  int8,
  int16,
  uint8,
  uint16,
};

// Bytes of an element; 0 for a value that is no DataType.
constexpr std::size_t size_of(DataType type) {
  switch (type) {
    case DataType::int8:
    case DataType::uint8: return 1;
    case DataType::int16:
    case DataType::uint16: return 2;
    case DataType::int32:
    case DataType::uint32:
    case DataType::float32: return 4;
    case DataType::int64:
    case DataType::uint64:
    case DataType::float64:
    case DataType::complex64: return 8;
    case DataType::complex128: return 16;
  }
  return 0;
}

// sum, product, min, max: y = y op x. axpy: y += a * x. The bit operations are for integers only, min and max for all
// but complex.
enum class Reduction : std::uint8_t { sum, product, min, max, bit_and, bit_or, bit_xor, axpy };

// For messages: "float64", "bit_and"; "unknown" for a value that is none.
POLDER_API std::string_view to_string(DataType type);
POLDER_API std::string_view to_string(Reduction op);

// Whether `op` is defined for `type`. False for values that are no Reduction or no DataType.
POLDER_API bool is_defined(Reduction op, DataType type);

struct Accumulation {
  Reduction op = Reduction::sum;
  DataType type = DataType::float64;
  const void* scale = nullptr;  // the `a` of axpy, one element of `type`; read before the call returns
};

// The DataType of a C++ type.
template <class T>
inline constexpr DataType kDataType = [] {
  static_assert(sizeof(T) == 0, "no DataType for this type");
  return DataType{};
}();
template <>
inline constexpr DataType kDataType<std::int8_t> = DataType::int8;
template <>
inline constexpr DataType kDataType<std::int16_t> = DataType::int16;
template <>
inline constexpr DataType kDataType<std::uint8_t> = DataType::uint8;
template <>
inline constexpr DataType kDataType<std::uint16_t> = DataType::uint16;
template <>
inline constexpr DataType kDataType<std::int32_t> = DataType::int32;
template <>
inline constexpr DataType kDataType<std::int64_t> = DataType::int64;
template <>
inline constexpr DataType kDataType<std::uint32_t> = DataType::uint32;
template <>
inline constexpr DataType kDataType<std::uint64_t> = DataType::uint64;
template <>
inline constexpr DataType kDataType<float> = DataType::float32;
template <>
inline constexpr DataType kDataType<double> = DataType::float64;
template <>
inline constexpr DataType kDataType<std::complex<float>> = DataType::complex64;
template <>
inline constexpr DataType kDataType<std::complex<double>> = DataType::complex128;

}  // namespace polder
