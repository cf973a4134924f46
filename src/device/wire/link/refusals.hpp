// The puts of a peer of which a part was refused lately: a flag that comes behind such a part must not be raised.
#pragma once

#include "device/wire/format/protocol.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace polder::device::wire {

// Under the device's lock. Remembers the last few: the flag of a put comes right behind its data. What it remembers never fits a later
// put, however many there are: so it need not forget.
class Refusals {
 public:
  void begin() { count_ = 0; }
  // REQUIRES: the record of a put.
  void add(const Record& put) {
    if (!has(put)) puts_[count_++ % puts_.size()] = {put.operation, put.index};
  }
  // Of the put that this record belongs to.
  bool has(const Record& record) const {
    const auto end = puts_.begin() + std::ptrdiff_t(std::min(count_, puts_.size()));
    return std::find(puts_.begin(), end, Put{record.operation, record.index}) != end;
  }

 private:
  struct Put {
    std::uint32_t operation = 0, index = 0;
    bool operator==(const Put&) const = default;
  };

  std::array<Put, 16> puts_{};
  std::size_t count_ = 0;
};

}  // namespace polder::device::wire
