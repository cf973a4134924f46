// What the atomics of Runtime work on: words of 1, 2, 4 or 8 bytes, seen as integers, float or double.
#pragma once

#include <polder/accumulate.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace polder {

// Integers of 1 to 8 bytes but bool, float and double.
template <class T>
concept AtomicValue = (std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool> && sizeof(T) <= 8) ||
                      std::same_as<T, float> || std::same_as<T, double>;

// The value as the low bytes of a word, the rest zero; and back.
template <AtomicValue T>
constexpr std::uint64_t to_word(T value) {
  if constexpr (std::same_as<T, float>)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (std::same_as<T, double>)
    return std::bit_cast<std::uint64_t>(value);
  else
    return std::uint64_t(std::make_unsigned_t<T>(value));
}
template <AtomicValue T>
constexpr T from_word(std::uint64_t word) {
  if constexpr (std::same_as<T, float>)
    return std::bit_cast<float>(std::uint32_t(word));
  else if constexpr (std::same_as<T, double>)
    return std::bit_cast<double>(word);
  else
    return T(word);
}

// The DataType of an atomic's C++ type, whatever the platform calls an integer of that size.
template <AtomicValue T>
constexpr DataType data_type_of() {
  if constexpr (std::floating_point<T>) return sizeof(T) == 4 ? DataType::float32 : DataType::float64;
  constexpr bool is_signed = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1: return is_signed ? DataType::int8 : DataType::uint8;
    case 2: return is_signed ? DataType::int16 : DataType::uint16;
    case 4: return is_signed ? DataType::int32 : DataType::uint32;
    default: return is_signed ? DataType::int64 : DataType::uint64;
  }
}

}  // namespace polder
