// A vector that others are combined into, and that is empty at first.
#pragma once

#include <polder/collective.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace polder::coll {

enum class StaleSide : std::uint8_t { before, after };

class StaleTotal {
 public:
  explicit StaleTotal(const ReductionSpec& spec)
      : spec_(spec), values_(spec.count * spec.element_size), scratch_(values_.size()) {}

  bool is_empty() const { return is_empty_; }
  void clear() { is_empty_ = true; }
  std::byte* data() { return values_.data(); }
  const std::byte* data() const { return values_.data(); }
  // The caller has written data().
  void is_filled() { is_empty_ = false; }

  // The elements from `first` on, combined with those of `values`, on that side. What the function returns: timeout
  // says that nothing has changed.
  Status add(const std::byte* values, std::size_t first, std::size_t count, StaleSide side);
  Status add(const std::byte* values, StaleSide side);
  // REQUIRES: of the same reduction.
  void swap(StaleTotal& other) {
    values_.swap(other.values_);
    std::swap(is_empty_, other.is_empty_);
  }
  // As they are.
  void set(const std::byte* values, std::size_t first, std::size_t count);

 private:
  const ReductionSpec& spec_;
  std::vector<std::byte> values_, scratch_;
  bool is_empty_ = true;
};

}  // namespace polder::coll
