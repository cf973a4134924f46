#include "api/dart/atomic/atomic_message.hpp"

#include "api/dart/atomic/elements.hpp"
#include "api/dart/atomic/update.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <algorithm>
#include <cstring>

namespace polder::dart {
namespace {

dart_datatype_t type_of(const DecodedAtomic& request) {
  return dart_datatype_t(request.head.type);
}

// Bytes of operands that the head asks for. REQUIRES: count is no more than there are bytes.
std::uint64_t operand_bytes(const DecodedAtomic& request) {
  switch (request.kind) {
    case AtomicKind::update: return request.head.count * request.element;
    case AtomicKind::fetch: return request.head.op == DART_OP_NO_OP ? 0 : request.element;
    case AtomicKind::compare_swap: return 2 * request.element;
  }
  return 0;
}

Code check_operation(const DecodedAtomic& request) {
  if (request.kind != AtomicKind::compare_swap)
    return is_operation_on(request.head.op, type_of(request)) ? Code::ok : Code::invalid_argument;
  const bool swaps = !is_floating(type_of(request)) && request.element <= sizeof(std::uint64_t);
  return swaps ? Code::ok : Code::invalid_argument;
}

}  // namespace

Code decode_atomic(std::span<const std::byte> letter, DecodedAtomic& request) {
  AtomicHead& head = request.head;
  if (letter.size() < sizeof head) return Code::invalid_size;
  std::memcpy(&head, letter.data(), sizeof head);
  request.operands = letter.subspan(sizeof head);
  request.element = basic_size(type_of(request));
  if (head.kind > std::uint32_t(AtomicKind::compare_swap) || request.element == 0) return Code::invalid_argument;
  if (head.segment >= kSegmentIdLimit) return Code::invalid_segment;
  request.kind = AtomicKind(head.kind);
  if (const Code code = check_operation(request); code != Code::ok) return code;
  const bool many = request.kind == AtomicKind::update;
  if (head.count > (many ? request.operands.size() : 1) || (!many && head.count != 1)) return Code::invalid_size;
  return request.operands.size() == operand_bytes(request) ? Code::ok : Code::invalid_size;
}

Code carry_out(const DecodedAtomic& request, std::span<std::byte> segment, std::byte* old) {
  const AtomicHead& head = request.head;
  if (head.offset > segment.size() || head.count > (segment.size() - head.offset) / request.element)
    return Code::invalid_offset;
  std::byte* const target = segment.data() + head.offset;
  if (!is_aligned(target, request.element)) return Code::invalid_alignment;
  const std::byte* const operands = request.operands.data();
  switch (request.kind) {
    case AtomicKind::update:
      update_elements(target, operands, head.count, head.first, type_of(request), head.op);
      break;
    case AtomicKind::fetch: fetch_update(target, operands, old, type_of(request), head.op); break;
    case AtomicKind::compare_swap:
      compare_swap_element(target, operands, operands + request.element, old, request.element);
      break;
  }
  return Code::ok;
}

bool decode_answer(std::span<const std::byte> letter, AtomicAnswer& answer) {
  if (letter.size() != sizeof answer) return false;
  std::memcpy(&answer, letter.data(), sizeof answer);
  return answer.size <= sizeof answer.old && answer.code <= std::uint32_t(Code::owner_died);
}

}  // namespace polder::dart
