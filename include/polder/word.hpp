// Comparing a word of memory with a value, for Runtime::wait_until(); the six of OpenSHMEM 1.5, section 9.11.
#pragma once

#include <concepts>
#include <cstdint>

namespace polder {

enum class Compare : std::uint8_t { equal, not_equal, greater, greater_equal, less, less_equal };

// `word` compare `value`; false for a Compare that does not exist.
template <std::integral T>
constexpr bool holds(T word, Compare compare, T value) {
  switch (compare) {
    case Compare::equal: return word == value;
    case Compare::not_equal: return word != value;
    case Compare::greater: return word > value;
    case Compare::greater_equal: return word >= value;
    case Compare::less: return word < value;
    case Compare::less_equal: return word <= value;
  }
  return false;
}

}  // namespace polder
