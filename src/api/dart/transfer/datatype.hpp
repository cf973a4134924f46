// Datatypes: basic, custom, strided, indexed.
#pragma once

#include "api/dart/symbols.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace polder::dart {

// What a dart_type_create_* made; its address is the handle.
struct DerivedType {
  enum class Kind : unsigned char { custom, strided, indexed };

  struct Block {
    std::size_t first = 0;  // in elements of the base type
    std::size_t length = 0;
  };

  Kind kind = Kind::custom;
  dart_datatype_t base = DART_TYPE_BYTE;  // basic or custom
  std::size_t element = 1;                // bytes of an element of the base type
  std::size_t stride = 0, length = 0;     // of strided ones, in elements
  std::vector<Block> blocks;              // of indexed ones
  std::size_t sum = 0, extent = 0;        // of all blocks, in elements
};

constexpr bool is_basic(dart_datatype_t type) {
  return type > DART_TYPE_UNDEFINED && type < DART_TYPE_LAST;
}

// Bytes of a basic type; 0 for others.
constexpr std::size_t basic_size(dart_datatype_t type) {
  constexpr std::size_t kSizes[] = {0,
                                    1,
                                    sizeof(short),
                                    sizeof(int),
                                    sizeof(int),
                                    sizeof(long),
                                    sizeof(long),
                                    sizeof(long long),
                                    sizeof(long long),
                                    sizeof(float),
                                    sizeof(double),
                                    sizeof(long double)};
  return is_basic(type) ? kSizes[type] : 0;
}

// Null: a basic type, or no type.
const DerivedType* derived(dart_datatype_t type);

// Bytes of an element of a basic or custom type; nothing: the type is neither.
std::optional<std::size_t> contiguous_size(dart_datatype_t type);

// Whether the elements of one round of it, and where the next begins, are bytes that 64 bits count.
bool is_countable(const DerivedType& type);

// "type 3" for texts.
Status wrong_type(dart_datatype_t type, const char* wanted);

}  // namespace polder::dart
