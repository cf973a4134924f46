// SipHash-2-4 of Aumasson and Bernstein, 2012: a keyed hash that cannot be foretold without the key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace polder::device::wire {

struct SipKey {
  std::uint64_t low = 0, high = 0;
};

namespace siphash_detail {

struct State {
  std::uint64_t v0, v1, v2, v3;

  constexpr void round() {
    v0 += v1, v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0, v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1, v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2, v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }
  constexpr void absorb(std::uint64_t word) {
    v3 ^= word;
    round(), round();
    v0 ^= word;
  }
};

}  // namespace siphash_detail

inline std::uint64_t siphash(const SipKey& key, std::span<const std::byte> bytes) {
  siphash_detail::State state{key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d, key.low ^ 0x6c7967656e657261,
                              key.high ^ 0x7465646279746573};
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    state.absorb(word);
  }
  std::uint64_t last = std::uint64_t(bytes.size()) << 56;
  for (std::size_t i = at; i < bytes.size(); ++i) last |= std::uint64_t(bytes[i]) << (8 * (i - at));
  state.absorb(last);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace polder::device::wire
