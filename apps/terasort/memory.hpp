// Large arrays, and whose memory they take.
#pragma once

#include "file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace terasort {

// Untouched memory that begins at a huge page and is made of them where the kernel has them; costs address space only
// until it is written to.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Arena& operator=(Arena&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Arena();

  static Result<Arena> reserve(std::uint64_t bytes);

  // Gives a part back to the system: its pages, if it touches whole ones. They are zeros when touched again.
  void release(std::uint64_t begin, std::uint64_t bytes) const;

  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

  // The memory as an array. T's values are what the bytes happen to be, zeros at first.
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  Arena(std::byte* data, std::uint64_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// A number for this node, equal for the ranks that share its memory.
std::uint64_t node_identity();

}  // namespace terasort
