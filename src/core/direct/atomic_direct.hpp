// Read-modify-write on memory that this process can load and store.
#pragma once

#include "core/direct/accumulate_kernels.hpp"
#include "device/words.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polder::core {

using device::apply_atomic;

// The old value, zero-extended, of an element that `kernel` combines with the operand. Atomic against the above.
template <class Word>
std::uint64_t combine_direct_as(std::byte* place, AccumulateKernel kernel, Word operand) {
  std::atomic_ref<Word> target(*reinterpret_cast<Word*>(place));
  Word old = target.load(std::memory_order_relaxed), combined;
  do {
    kernel(&old, &operand, &combined, 1, nullptr);
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
