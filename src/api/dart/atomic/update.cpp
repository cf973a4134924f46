#include "api/dart/atomic/update.hpp"

#include "api/dart/atomic/elements.hpp"
#include "api/dart/transfer/datatype.hpp"

#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>

namespace polder::dart {
namespace {

// Integers as wide as a T, which are compared bit by bit.
template <std::size_t size>
using Bits = std::conditional_t<
    size == 1, std::uint8_t,
    std::conditional_t<size == 2, std::uint16_t, std::conditional_t<size == 4, std::uint32_t, std::uint64_t>>>;

// No processor that we know swaps 16 bytes at once everywhere: the owner of the memory does it under this.
std::mutex& wide_elements() {
  static std::mutex mutex;
  return mutex;
}

template <class T>
T update_one(std::byte* target, T value, dart_operation_t op, std::size_t place) {
  if constexpr (sizeof(T) > sizeof(std::uint64_t)) {
    const std::lock_guard lock(wide_elements());
    T old;
    std::memcpy(&old, target, sizeof old);
    const T now = combined_element(op, old, value, place);
    std::memcpy(target, &now, sizeof now);
    return old;
  } else {
    using Word = Bits<sizeof(T)>;
    std::atomic_ref<Word> word(*reinterpret_cast<Word*>(target));
    if constexpr (std::integral<T>)
      if (op == DART_OP_SUM) return std::bit_cast<T>(word.fetch_add(std::bit_cast<Word>(value)));
    Word old = word.load();
    if (op == DART_OP_NO_OP) return std::bit_cast<T>(old);
    while (!word.compare_exchange_weak(
        old, std::bit_cast<Word>(combined_element(op, std::bit_cast<T>(old), value, place)))) {
    }
    return std::bit_cast<T>(old);
  }
}

template <class T>
T loaded(const void* values, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(values) + index * sizeof(T), sizeof value);
  return value;
}

template <class Word>
void compare_swap_word(std::byte* target, const void* value, const void* compare, void* old) {
  Word expected = loaded<Word>(compare, 0);
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(target)).compare_exchange_strong(expected, loaded<Word>(value, 0));
  std::memcpy(old, &expected, sizeof expected);
}

}  // namespace

void update_elements(std::byte* target, const void* values, std::size_t count, std::size_t first, dart_datatype_t type,
                     dart_operation_t op) {
  assert(is_operation_on(op, type) && is_aligned(target, basic_size(type)));
  with_element_type(type, [&](auto kind) {
    using T = decltype(kind);
    for (std::size_t i = 0; i < count; ++i) update_one<T>(target + i * sizeof(T), loaded<T>(values, i), op, first + i);
  });
}

void fetch_update(std::byte* target, const void* value, void* old, dart_datatype_t type, dart_operation_t op) {
  with_element_type(type, [&](auto kind) {
    using T = decltype(kind);
    // The operand of NO_OP may be anything, and need not be there.
    const T operand = op == DART_OP_NO_OP ? T{} : loaded<T>(value, 0);
    const T before = update_one<T>(target, operand, op, 0);
    std::memcpy(old, &before, sizeof before);
  });
}

void compare_swap_element(std::byte* target, const void* value, const void* compare, void* old, std::size_t size) {
  assert(size <= sizeof(std::uint64_t) && is_aligned(target, size));
  switch (size) {
    case 1: return compare_swap_word<std::uint8_t>(target, value, compare, old);
    case 2: return compare_swap_word<std::uint16_t>(target, value, compare, old);
    case 4: return compare_swap_word<std::uint32_t>(target, value, compare, old);
    default: return compare_swap_word<std::uint64_t>(target, value, compare, old);
  }
}

}  // namespace polder::dart
