// Memory as devices name it: offered here (Exposure), offered by a peer (Region), and the bytes in between (Key).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace polder::device {

// Opaque bytes that stand for exposed memory. Trivially copyable, so that it can lie in memory that peers read
// one-sided.
struct Key {
  static constexpr std::size_t kCapacity = 444;

  std::uint32_t size = 0;
  std::array<std::byte, kCapacity> bytes{};

  // REQUIRES: sizeof(T) <= kCapacity, T trivially copyable.
  template <class T>
  static Key of(const T& value) {
    static_assert(sizeof(T) <= kCapacity);
    Key key;
    key.size = sizeof(T);
    std::memcpy(key.bytes.data(), &value, sizeof(T));
    return key;
  }

  // False if the key does not hold a T.
  template <class T>
  bool read(T& value) const {
    if (size != sizeof(T)) return false;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return true;
  }
};

// Memory of this rank that peers may reach.
struct Exposure {
  std::byte* data = nullptr;  // where it lies here
  std::size_t size = 0;
  Key key;
  std::uint64_t handle = 0;  // the device's own
};

// A window (Device::open_window) is named by an offset behind all that can be exposed: its number, and how far in it.
constexpr std::uint64_t kWindows = std::uint64_t{1} << 24;
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 39;
constexpr std::uint64_t window_offset(std::uint64_t window) {
  return (std::uint64_t{1} << 63) + window % kWindows * kWindowBytes;
}
constexpr bool is_in_window(std::uint64_t offset) {
  return offset >> 63 != 0;
}

// Memory of a peer, as far as this device reaches it.
struct Region {
  std::byte* direct = nullptr;  // not null: load and store here
  std::size_t size = 0;
  bool put_get = false;      // put, get and put_notify of the device work on it
  bool atomics = false;      // atomic of the device works on it
  std::uint64_t handle = 0;  // the device's own
};

// Memory of this process in one piece.
using MemoryRun = std::span<std::byte>;

// One contiguous part of a transfer. Without initial values, because arrays of it lie on the hot path.
struct Piece {
  std::byte* local;      // only read by put
  std::uint64_t remote;  // offset in the region
  std::uint64_t bytes;
};

}  // namespace polder::device
