// Words of memory that this process can load and store, changed in one step: what a device does for its peers, and the
// core where memory is shared. And the flags of a control block.
#pragma once

#include "device/device.hpp"
#include "util/assert.hpp"
#include "util/bell.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace polder::device {

inline bool is_aligned(const std::byte* place, std::size_t width) {
  return reinterpret_cast<std::uintptr_t>(place) % width == 0;
}

template <class Word>
std::uint64_t apply_atomic_as(std::byte* place, AtomicOp op, Word operand, Word compare) {
  std::atomic_ref<Word> target(*reinterpret_cast<Word*>(place));
  switch (op) {
    case AtomicOp::fetch_add: return target.fetch_add(operand);
    case AtomicOp::swap: return target.exchange(operand);
    case AtomicOp::compare_swap: target.compare_exchange_strong(compare, operand); return compare;
    case AtomicOp::fetch_and: return target.fetch_and(operand);
    case AtomicOp::fetch_or: return target.fetch_or(operand);
    case AtomicOp::fetch_xor: return target.fetch_xor(operand);
  }
  return 0;
}

// The old value, zero-extended. REQUIRES: width is 1, 2, 4 or 8, place a multiple of it.
inline std::uint64_t apply_atomic(std::byte* place, AtomicOp op, std::size_t width, std::uint64_t operand,
                                  std::uint64_t compare) {
  POLDER_ASSERT(width - 1 < 8 && std::has_single_bit(width) && is_aligned(place, width));
  switch (width) {
    case 8: return apply_atomic_as<std::uint64_t>(place, op, operand, compare);
    case 4: return apply_atomic_as<std::uint32_t>(place, op, std::uint32_t(operand), std::uint32_t(compare));
    case 2: return apply_atomic_as<std::uint16_t>(place, op, std::uint16_t(operand), std::uint16_t(compare));
    default: return apply_atomic_as<std::uint8_t>(place, op, std::uint8_t(operand), std::uint8_t(compare));
  }
}

// Behind all that was stored before. REQUIRES: flag and bell lie within the control block, and are aligned.
inline void raise_flag(std::byte* control, const Flag& flag) {
  POLDER_ASSERT(is_aligned(control + flag.offset, 4) && is_aligned(control + flag.bell_offset, alignof(util::Bell)));
  const std::atomic_ref word(*reinterpret_cast<std::uint32_t*>(control + flag.offset));
  if (flag.adds)
    word.fetch_add(flag.value, std::memory_order_release);
  else
    word.store(flag.value, std::memory_order_release);
  reinterpret_cast<util::Bell*>(control + flag.bell_offset)->ring();
}

}  // namespace polder::device
