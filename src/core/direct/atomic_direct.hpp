// Read-modify-write on memory that this process can load and store.
#pragma once

#include "core/direct/accumulate_kernels.hpp"
#include "util/assert.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace polder::core {

template <class T>
std::uint64_t atomic_direct_as(std::byte* place, AtomicOp op, T operand, T compare) {
  std::atomic_ref<T> target(*reinterpret_cast<T*>(place));
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
inline std::uint64_t atomic_direct(std::byte* place, AtomicOp op, std::size_t width, std::uint64_t operand,
                                   std::uint64_t compare) {
  POLDER_ASSERT(width - 1 < 8 && std::has_single_bit(width) && reinterpret_cast<std::uintptr_t>(place) % width == 0);
  switch (width) {
    case 8: return atomic_direct_as<std::uint64_t>(place, op, operand, compare);
    case 4: return atomic_direct_as<std::uint32_t>(place, op, std::uint32_t(operand), std::uint32_t(compare));
    case 2: return atomic_direct_as<std::uint16_t>(place, op, std::uint16_t(operand), std::uint16_t(compare));
    default: return atomic_direct_as<std::uint8_t>(place, op, std::uint8_t(operand), std::uint8_t(compare));
  }
}

// The old value, zero-extended, of an element that `kernel` combines with the operand. Atomic against the above.
template <class Word>
std::uint64_t combine_direct_as(std::byte* place, AccumulateKernel kernel, Word operand) {
  std::atomic_ref<Word> target(*reinterpret_cast<Word*>(place));
  Word old = target.load(std::memory_order_relaxed), combined;
  do {
    combined = old;
    kernel(&combined, &operand, 1, nullptr);
  } while (!target.compare_exchange_weak(old, combined));
  return old;
}

inline std::uint64_t combine_direct(std::byte* place, AccumulateKernel kernel, std::size_t width,
                                    std::uint64_t operand) {
  switch (width) {
    case 8: return combine_direct_as<std::uint64_t>(place, kernel, operand);
    case 4: return combine_direct_as<std::uint32_t>(place, kernel, std::uint32_t(operand));
    case 2: return combine_direct_as<std::uint16_t>(place, kernel, std::uint16_t(operand));
    default: return combine_direct_as<std::uint8_t>(place, kernel, std::uint8_t(operand));
  }
}

}  // namespace polder::core
