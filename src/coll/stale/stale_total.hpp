// A vector that others are combined into, and that is empty at first.
#pragma once

#include <polder/collective.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace polder::coll {

enum class StaleSide : std::uint8_t { before, after };

class StaleTotal {
 public:
  explicit StaleTotal(const ReductionSpec& spec) : spec_(spec) {}

  // Before anything else: memory for two vectors, one behind the other, which outlives it.
  void lie_in(std::byte* memory) {
    values_ = memory;
    scratch_ = memory + bytes();
  }

  bool is_empty() const { return is_empty_; }
  void clear() { is_empty_ = true; }
  std::byte* data() { return values_; }
  const std::byte* data() const { return values_; }
  // The caller has written data().
  void is_filled() { is_empty_ = false; }

  // The elements from `first` on, combined with those of `values`, on that side. What the function returns: timeout
  // says that nothing has changed.
  Status add(const std::byte* values, std::size_t first, std::size_t count, StaleSide side);
  Status add(const std::byte* values, StaleSide side);
  // REQUIRES: of the same reduction.
  void swap(StaleTotal& other) {
    std::swap(values_, other.values_);
    std::swap(scratch_, other.scratch_);
    std::swap(is_empty_, other.is_empty_);
  }
  // As they are.
  void set(const std::byte* values, std::size_t first, std::size_t count);

 private:
  std::size_t bytes() const { return spec_.count * spec_.element_size; }

  const ReductionSpec& spec_;
  std::byte *values_ = nullptr, *scratch_ = nullptr;
  bool is_empty_ = true;
};

}  // namespace polder::coll
