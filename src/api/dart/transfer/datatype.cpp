#include "api/dart/transfer/datatype.hpp"

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

Status wrong_type(dart_datatype_t type, const char* wanted) {
  return {Code::invalid_argument, "type " + std::to_string(type) + " is no " + wanted + " type"};
}

}  // namespace polder::dart
