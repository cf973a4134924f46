// Predefined operations on elements of basic types.
#pragma once

#include "api/dart/symbols.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace polder::dart {

// Calls `body` with a value of the C type of a basic datatype; false: it is none.
template <class Body>
bool with_element_type(dart_datatype_t type, Body&& body) {
  switch (type) {
    case DART_TYPE_BYTE: return body(char{}), true;
    case DART_TYPE_SHORT: return body(short{}), true;
    case DART_TYPE_INT: return body(int{}), true;
    case DART_TYPE_UINT: return body(unsigned{}), true;
    case DART_TYPE_LONG: return body(long{}), true;
    case DART_TYPE_ULONG: return body(0UL), true;
    case DART_TYPE_LONGLONG: return body(0LL), true;
    case DART_TYPE_ULONGLONG: return body(0ULL), true;
    case DART_TYPE_FLOAT: return body(0.0F), true;
    case DART_TYPE_DOUBLE: return body(0.0), true;
    case DART_TYPE_LONG_DOUBLE: return body(0.0L), true;
    default: return false;
  }
}

constexpr bool is_floating(dart_datatype_t type) {
  return type == DART_TYPE_FLOAT || type == DART_TYPE_DOUBLE || type == DART_TYPE_LONG_DOUBLE;
}

// Whether a predefined operation is defined for a basic type.
constexpr bool is_operation_on(dart_operation_t op, dart_datatype_t type) {
  if (op <= DART_OP_UNDEFINED || op >= DART_OP_LAST || type <= DART_TYPE_UNDEFINED || type >= DART_TYPE_LAST)
    return false;
  return !is_floating(type) || op < DART_OP_BAND || op > DART_OP_LXOR;
}

// Wraps, as the processor does.
template <class T>
constexpr T wrapped_sum(T one, T two) {
  if constexpr (std::integral<T>)
    return T(std::make_unsigned_t<T>(one) + std::make_unsigned_t<T>(two));
  else
    return one + two;
}
template <class T>
constexpr T wrapped_product(T one, T two) {
  if constexpr (std::integral<T>)
    return T(static_cast<unsigned long long>(one) * static_cast<unsigned long long>(two));
  else
    return one * two;
}

// `old` op `value`; MINMAX keeps the least at even places and the largest at odd ones. REQUIRES: is_operation_on().
template <class T>
constexpr T combined_element(dart_operation_t op, T old, T value, std::size_t place) {
  switch (op) {
    case DART_OP_MIN: return std::min(old, value);
    case DART_OP_MAX: return std::max(old, value);
    case DART_OP_MINMAX: return place % 2 == DART_OP_MINMAX_MIN ? std::min(old, value) : std::max(old, value);
    case DART_OP_SUM: return wrapped_sum(old, value);
    case DART_OP_PROD: return wrapped_product(old, value);
    case DART_OP_REPLACE: return value;
    default: break;
  }
  if constexpr (std::integral<T>) {
    switch (op) {
      case DART_OP_BAND: return T(old & value);
      case DART_OP_LAND: return T(old != 0 && value != 0);
      case DART_OP_BOR: return T(old | value);
      case DART_OP_LOR: return T(old != 0 || value != 0);
      case DART_OP_BXOR: return T(old ^ value);
      case DART_OP_LXOR: return T((old != 0) != (value != 0));
      default: break;
    }
  }
  return old;  // NO_OP
}

}  // namespace polder::dart
