// What a unit asks of the owner of memory, and what that answers: as they travel, and taken apart. What a peer says is not
// believed: a letter that makes no sense changes nothing.
#pragma once

#include "api/dart/symbols.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::dart {

enum class AtomicKind : std::uint32_t { update, fetch, compare_swap };

// In front of the operands: those of an update, one of a fetch (none for NO_OP), value and comparand of a compare_swap.
struct AtomicHead {
  std::uint32_t kind = 0;  // an AtomicKind
  std::uint32_t type = 0;
  std::uint32_t op = 0;
  std::uint32_t serial =
      0;  // of registered memory, as its owner numbered it; 0: of an allocation, whose end waits for all
  std::uint64_t segment = 0;
  std::uint64_t offset = 0;
  std::uint64_t first = 0;  // place of the first element in its call
  std::uint64_t count = 0;
  std::uint64_t token = 0;  // comes back with the answer; 0: nobody waits for the old value
};

// A request that makes sense in itself. Whether it fits the segment remains to be seen.
struct DecodedAtomic {
  AtomicKind kind = AtomicKind::update;
  AtomicHead head;
  std::size_t element = 0;  // bytes
  std::span<const std::byte> operands;
};

struct AtomicAnswer {
  std::uint64_t token = 0;
  std::uint32_t code = 0;  // a Code
  std::uint32_t size = 0;  // of `old`; 0: there is none
  std::byte old[sizeof(long double)] = {};
};

// invalid_size, invalid_argument, invalid_segment: it makes none.
Code decode_atomic(std::span<const std::byte> letter, DecodedAtomic& request);

// In the memory of a segment that the request names. invalid_offset, invalid_alignment: it does not fit, and nothing has
// changed. `old` has room for any element.
Code carry_out(const DecodedAtomic& request, std::span<std::byte> segment, std::byte* old);

// False: it is no answer.
bool decode_answer(std::span<const std::byte> letter, AtomicAnswer& answer);

}  // namespace polder::dart
