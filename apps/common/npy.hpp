// NumPy's .npy files, versions 1 to 3: a head that says what the elements are, then the elements.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace apps {

using polder::Code;
using polder::Result;
using polder::Status;

// What an element is; little-endian in files.
enum class Number : std::uint8_t { float32, float64, complex64, complex128, int32 };

std::size_t bytes_of(Number number);
// As NumPy writes it: "<f8".
std::string name_of(Number number);

using Shape = std::vector<std::uint64_t>;

// Elements of a tensor of this shape; nothing: more than there can be.
std::optional<std::uint64_t> elements_of(const Shape& shape);
// "(3, 4)", "(3,)", "()".
std::string text_of(const Shape& shape);

struct NpyHead {
  Number number = Number::float64;
  bool column_major = false;  // the first index is the one that changes fastest
  Shape shape;
  std::uint64_t data_at = 0;  // byte of the first element
};

// What the file `path` begins with, of which these are all bytes. A file that is something else, ends too early, or holds
// elements that are no Number is refused with a sentence that names it.
Result<NpyHead> read_npy_head(const std::string& path, std::span<const std::byte> bytes);

// The head of version 1, padded to 64 bytes: the elements follow in row-major order.
std::string npy_head(Number number, const Shape& shape);

}  // namespace apps
