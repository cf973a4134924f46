// What one rank shows to others that map its memory, whole or not at all, without a lock.
#pragma once

#include "util/random.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace polder::core {

// T in shared memory, for one writer at a time and any number of readers.
template <class T>
class Published {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
  static constexpr std::size_t kWords = sizeof(T) / 8;

 public:
  void write(const T& value) {
    std::uint64_t words[kWords];
    std::memcpy(words, &value, sizeof value);
    for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_relaxed);
    checksum_.store(checksum(words), std::memory_order_release);
  }

  // False: a writer is at work.
  bool read(T& value) const {
    std::uint64_t words[kWords];
    const std::uint64_t sum = checksum_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_relaxed);
    if (sum != checksum(words)) return false;
    std::memcpy(&value, words, sizeof value);
    return true;
  }

 private:
  // Each word times an odd number of its place: some cycles, because it is made at each collective. Words of two writes
  // make the same sum by chance only, once in 2^64 times. All zeros, as in fresh memory, is a valid T of zeros.
  static std::uint64_t checksum(const std::uint64_t* words) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kWords; ++i) sum += words[i] * factor(i);
    return sum;
  }
  static constexpr std::uint64_t factor(std::size_t place) { return util::mix(place) | 1; }

  std::atomic<std::uint64_t> words_[kWords];
  std::atomic<std::uint64_t> checksum_;
};

}  // namespace polder::core
