#include "api/dart/transfer/datatype.hpp"

#include <algorithm>
#include <string>

namespace polder::dart {

const DerivedType* derived(dart_datatype_t type) {
  return type >= DART_TYPE_LAST ? reinterpret_cast<const DerivedType*>(type) : nullptr;
}

std::optional<std::size_t> contiguous_size(dart_datatype_t type) {
  if (is_basic(type)) return basic_size(type);
  const DerivedType* const made = derived(type);
  if (made == nullptr || made->kind != DerivedType::Kind::custom) return {};
  return made->element;
}

bool is_countable(const DerivedType& type) {
  std::size_t most = std::max(type.length, type.stride), sum = 0, bytes = 0;
  for (const DerivedType::Block& block : type.blocks) {
    std::size_t end = 0;
    if (__builtin_add_overflow(block.first, block.length, &end) || __builtin_add_overflow(sum, block.length, &sum))
      return false;
    most = std::max({most, end, sum});
  }
  return !__builtin_mul_overflow(most, type.element, &bytes);
}

Status wrong_type(dart_datatype_t type, const char* wanted) {
  return {Code::invalid_argument, "type " + std::to_string(type) + " is no " + wanted + " type"};
}

}  // namespace polder::dart
