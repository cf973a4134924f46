// Read-modify-write on memory that this process can load and store.
#pragma once

#include <polder/types.hpp>

#include <atomic>
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

// The old value, zero-extended. REQUIRES: width is 4 or 8, place a multiple of it.
inline std::uint64_t atomic_direct(std::byte* place, AtomicOp op, std::size_t width, std::uint64_t operand,
                                   std::uint64_t compare) {
  if (width == 8) return atomic_direct_as<std::uint64_t>(place, op, operand, compare);
  return atomic_direct_as<std::uint32_t>(place, op, std::uint32_t(operand), std::uint32_t(compare));
}

}  // namespace polder::core
