// The operations of a peer of which a part was refused lately: a flag that comes behind such a part must not be raised.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace polder::device::wire {

// Under the device's lock. Remembers the last few: the flag of an operation comes right behind its data.
class Refusals {
 public:
  void begin() {
    operations_.fill(kNone);
    count_ = 0;
  }
  void add(std::uint32_t operation) { operations_[count_++ % operations_.size()] = operation; }
  bool has(std::uint32_t operation) const {
    return std::find(operations_.begin(), operations_.end(), operation) != operations_.end();
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  std::array<std::uint32_t, 16> operations_{};
  std::size_t count_ = 0;
};

}  // namespace polder::device::wire
