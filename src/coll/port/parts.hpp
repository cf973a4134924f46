// A vector cut into one part for each member: equal ones, as far as elements allow, or those that the caller names.
#pragma once

#include "util/assert.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::coll {

class Parts {
 public:
  // Part c of `count` elements of `element` bytes begins at count * c / parts.
  Parts(std::size_t count, Rank parts, std::size_t element) : count_(count), parts_(parts), element_(element) {}
  // Part c begins at element begins[c] and ends where the next one does. `begins` has parts + 1 numbers and must stay.
  Parts(const std::size_t* begins, Rank parts, std::size_t element)
      : begins_(begins), parts_(parts), element_(element) {}

  Rank parts() const { return parts_; }
  // Bytes. c may go round: part `parts` is part 0.
  std::size_t begin(std::uint64_t c) const { return edge(c % parts_) * element_; }
  std::size_t bytes(std::uint64_t c) const { return bytes(c % parts_, c % parts_ + 1); }
  // Of the parts [first, last). REQUIRES: first <= last <= parts.
  std::size_t bytes(std::uint64_t first, std::uint64_t last) const {
    POLDER_ASSERT(first <= last && last <= parts_);
    return (edge(last) - edge(first)) * element_;
  }
  std::size_t total() const { return bytes(0, parts_); }
  // Of `number` parts from `first` on, going round. REQUIRES: first < parts, number <= parts.
  std::size_t round(std::uint64_t first, std::uint64_t number) const {
    POLDER_ASSERT(first < parts_ && number <= parts_);
    const std::uint64_t end = first + number;
    return end <= parts_ ? bytes(first, end) : bytes(first, parts_) + bytes(0, end - parts_);
  }

 private:
  std::size_t edge(std::uint64_t c) const {
    if (begins_ != nullptr) return begins_[c];
    return count_ / parts_ * c + count_ % parts_ * c / parts_;  // count * c / parts, which could overflow
  }

  const std::size_t* begins_ = nullptr;
  std::size_t count_ = 0;
  Rank parts_;
  std::size_t element_;
};

}  // namespace polder::coll
