#include "api/dart/transfer/runs.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace polder::dart {
namespace {

// The type that the elements of a transfer have.
std::optional<dart_datatype_t> base_of(dart_datatype_t type) {
  if (is_basic(type)) return type;
  const DerivedType* const made = derived(type);
  if (made == nullptr) return {};
  return made->kind == DerivedType::Kind::custom ? DART_TYPE_BYTE : made->base;
}

// Bytes of one of the `nelem` elements that a call counts.
std::size_t counted_bytes(dart_datatype_t type) {
  return is_basic(type) ? basic_size(type) : derived(type)->element;
}

// 0 where any number will do.
std::size_t elements_in_a_pattern(dart_datatype_t type) {
  const DerivedType* const made = derived(type);
  if (made == nullptr || made->kind == DerivedType::Kind::custom) return 0;
  return made->kind == DerivedType::Kind::strided ? made->length : made->sum;
}

}  // namespace

BlockCursor::BlockCursor(dart_datatype_t type, std::size_t elements) : type_(derived(type)) {
  element_ = counted_bytes(type);
  if (type_ == nullptr || type_->kind == DerivedType::Kind::custom)
    left_ = elements * element_;
  else
    enter();
}

void BlockCursor::enter() {
  if (type_->kind == DerivedType::Kind::strided) {
    offset_ = block_ * type_->stride * element_;
    left_ = type_->length * element_;
    return;
  }
  const std::size_t count = type_->blocks.size();
  const DerivedType::Block& block = type_->blocks[block_ % count];
  offset_ = (block_ / count * type_->extent + block.first) * element_;
  left_ = block.length * element_;
}

void BlockCursor::advance(std::size_t bytes) {
  offset_ += bytes;
  left_ -= bytes;
  const bool one_piece = type_ == nullptr || type_->kind == DerivedType::Kind::custom;
  while (left_ == 0 && !one_piece) {  // indexed types may have empty blocks
    ++block_;
    enter();
  }
}

Status TransferShape::check(std::size_t elements, dart_datatype_t local, dart_datatype_t remote, std::size_t& bytes) {
  const auto base = base_of(local);
  if (!base) return wrong_type(local, "known");
  if (const auto other = base_of(remote); !other) return wrong_type(remote, "known");
  // A custom type is bytes, also where it meets one of another number of bytes.
  if (base != base_of(remote))
    return {Code::invalid_argument, "elements are of type " + std::to_string(*base) + " on one side and of type " +
                                        std::to_string(*base_of(remote)) + " on the other"};
  if (counted_bytes(local) != counted_bytes(remote))
    return {Code::invalid_argument, "elements have " + std::to_string(counted_bytes(local)) +
                                        " bytes on one side and " + std::to_string(counted_bytes(remote)) +
                                        " on the other"};
  for (const dart_datatype_t type : {local, remote})
    if (const std::size_t pattern = elements_in_a_pattern(type); pattern != 0 && elements % pattern != 0)
      return {Code::invalid_argument,
              std::to_string(elements) + " elements do not fill blocks of " + std::to_string(pattern)};
  const std::size_t element = counted_bytes(local);
  if (elements > std::numeric_limits<std::size_t>::max() / element)
    return {Code::invalid_size, std::to_string(elements) + " elements of " + std::to_string(element) + " bytes"};
  for (const dart_datatype_t type : {local, remote})
    if (!span_of(elements, type))
      return {Code::invalid_size, std::to_string(elements) + " elements of type " + std::to_string(type) +
                                      " reach further than 64 bits count"};
  bytes = elements * element;
  return {};
}

std::span<const ListItem> TransferShape::next() {
  items_.clear();
  while (bytes_ > 0 && items_.size() < kPieces) {
    if (local_.left() == 0) local_.advance(0);
    if (remote_.left() == 0) remote_.advance(0);
    const std::size_t together = std::min({local_.left(), remote_.left(), bytes_});
    items_.push_back({std::ptrdiff_t(local_.offset()), std::ptrdiff_t(remote_.offset()), together});
    bytes_ -= together;
    if (bytes_ == 0) break;
    local_.advance(together);
    remote_.advance(together);
  }
  return items_;
}

std::optional<std::size_t> span_of(std::size_t elements, dart_datatype_t type) {
  const DerivedType* const made = derived(type);
  if (elements == 0) return 0;
  if (made == nullptr || made->kind == DerivedType::Kind::custom) return elements * counted_bytes(type);
  const bool strided = made->kind == DerivedType::Kind::strided;
  // Whole rounds, and the last one up to its end.
  const std::size_t each = strided ? made->length : made->sum, apart = strided ? made->stride : made->extent;
  std::size_t end = made->length, before = 0, span = 0;
  for (const DerivedType::Block& block : made->blocks) end = std::max(end, block.first + block.length);
  if (__builtin_mul_overflow(elements / each - 1, apart, &before) || __builtin_add_overflow(before, end, &span) ||
      __builtin_mul_overflow(span, made->element, &span))
    return {};
  return span;
}

}  // namespace polder::dart
