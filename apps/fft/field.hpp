// What is transformed: a file, or random numbers that every rank can make anywhere.
#pragma once

#include "common/crew.hpp"
#include "common/mapped_file.hpp"
#include "common/npy.hpp"
#include "share.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace fft {

using apps::Code;
using apps::Result;
using apps::Status;

class Field {
 public:
  // A .npy file of three dimensions in row-major order; its elements, of any type that common/npy.hpp knows, become complex
  // numbers of double precision. Refused: what is something else, is truncated, or has an extent of 0.
  static Result<Field> open(const std::string& path);
  // A file of nothing but complex128, exactly as many as the extents say.
  static Result<Field> open_raw(const std::string& path, const Extents& extents);
  // Real and imaginary parts between -1 and 1, drawn from the seed.
  static Field made_up(const Extents& extents, std::uint64_t seed);

  const Extents& extents() const { return extents_; }
  // Element (x, y, z) in row-major order.
  Complex at(std::uint64_t index) const;
  // What a rank has at first, into share.room_at_first() elements. invalid_argument: an element is infinite or not a number; it
  // is named.
  Status read(const Share& share, Complex* into) const;

 private:
  std::string path_;
  Extents extents_{};
  apps::Number number_ = apps::Number::complex128;
  std::uint64_t data_at_ = 0, seed_ = 0;
  std::optional<apps::MappedFile> file_;
};

// Elements of a field; nothing: more than there can be.
std::optional<std::uint64_t> elements_of(const Extents& extents);
// "64 x 64 x 32"
std::string text_of(const Extents& extents);

}  // namespace fft
