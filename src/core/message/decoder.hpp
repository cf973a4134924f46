// Taking a message apart that somebody else has put together: nothing is believed, and nothing beyond its end is read.
//
//   Decoder decoder(message);
//   Wanted wanted;
//   if (!decoder.take(wanted) || !decoder.done()) return malformed;
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace polder::core {

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> message) : rest_(message) {}

  // Copies the next bytes into `value`. False: so many are not left, and nothing changes. What the bytes mean is for
  // the caller to check, before it branches on them: T must have no padding that matters and no value that is a trap,
  // so an enumeration or a bool travels as the integer that it is.
  template <class T>
  [[nodiscard]] bool take(T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_enum_v<T> && !std::is_same_v<T, bool>);
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return true;
  }

  std::span<const std::byte> rest() const { return rest_; }
  bool done() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

// Of an integer that shall stand for one of the values 0 .. last of an enumeration.
template <class Enum>
[[nodiscard]] bool decode_enum(std::underlying_type_t<Enum> sent, Enum last, Enum& value) {
  if (sent > static_cast<std::underlying_type_t<Enum>>(last)) return false;
  value = static_cast<Enum>(sent);
  return true;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const std::byte*>(&value), sizeof value};
}

}  // namespace polder::core
