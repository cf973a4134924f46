// The strides and counts of ARMCI as a Shape of Polder.
#pragma once

#include <polder/shape.hpp>
#include <polder/status.hpp>

#include <array>
#include <cstddef>

namespace polder::armci {

// Counts and strides of both sides, in the form that Strided refers to. Levels whose blocks lie side by side on both
// sides are merged.
class Strides {
 public:
  // `local` and `remote` have `levels` entries, `count` one more. invalid_argument: too many levels, a count below 0,
  // or an array that is null.
  static Result<Strides> make(const int* local, const int* remote, const int* count, int levels);

  bool empty() const { return empty_; }
  std::size_t bytes() const { return bytes_; }  // of a block
  bool contiguous() const { return levels_ == 0; }
  // Valid while this object lives and stays where it is.
  Strided strided() const {
    return {bytes_, {counts_.data(), levels_}, {local_.data(), levels_}, {remote_.data(), levels_}};
  }

 private:
  void add(std::size_t count, std::ptrdiff_t local, std::ptrdiff_t remote);

  bool empty_ = false;
  std::size_t bytes_ = 0;
  std::size_t levels_ = 0;
  std::array<std::size_t, Strided::kMaxLevels> counts_;
  std::array<std::ptrdiff_t, Strided::kMaxLevels> local_;
  std::array<std::ptrdiff_t, Strided::kMaxLevels> remote_;
};

}  // namespace polder::armci
