// The shape of a transfer: which bytes, seen from a local pointer and a global address.
//
// A shape only describes; it owns nothing, and what it points to need only live until the call returns. Whether the
// runtime copies row by row, packs, or pipelines is its own affair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder {

// A block of `bytes` repeated in up to kMaxLevels directions. Level 0 is the innermost repetition. Strides are in
// bytes, may be negative, and are counted from the local pointer and from the offset of the global address. A patch of
// 10 x 20 doubles in arrays with rows of 1000 doubles: bytes = 20 * 8, counts = {10}, both strides = {8000}.
struct Strided {
  static constexpr std::size_t kMaxLevels = 8;

  std::size_t bytes = 0;
  std::span<const std::size_t> counts;            // repetitions per level
  std::span<const std::ptrdiff_t> local_stride;   // as long as counts
  std::span<const std::ptrdiff_t> remote_stride;  // as long as counts
};

// One item of a list: `bytes` at `local` bytes from the local pointer and `remote` bytes from the global address.
struct ListItem {
  std::ptrdiff_t local = 0;
  std::ptrdiff_t remote = 0;
  std::size_t bytes = 0;
};

class Shape {
 public:
  enum class Kind : std::uint8_t { contiguous, strided, list };

  Shape(std::size_t bytes) : bytes_(bytes) {}  // NOLINT: implicit, contiguous is the common case
  Shape(const Strided& strided) : kind_(Kind::strided), strided_(strided) {}    // NOLINT: implicit
  Shape(std::span<const ListItem> items) : kind_(Kind::list), items_(items) {}  // NOLINT: implicit

  Kind kind() const { return kind_; }
  std::size_t bytes() const { return bytes_; }                // of a contiguous shape
  const Strided& strided() const { return strided_; }         // of a strided one
  std::span<const ListItem> items() const { return items_; }  // of a list

 private:
  Kind kind_ = Kind::contiguous;
  std::size_t bytes_ = 0;
  Strided strided_;
  std::span<const ListItem> items_;
};

}  // namespace polder
