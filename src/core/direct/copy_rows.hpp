// Copying the rows of a patch. What a row costs beyond its bytes decides here: patches of arrays have many short rows.
#pragma once

#include "util/copy.hpp"
#include "util/platform.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace polder::core {

struct Rows {
  std::byte* to = nullptr;
  std::ptrdiff_t to_step = 0;
  const std::byte* from = nullptr;
  std::ptrdiff_t from_step = 0;
  std::size_t bytes = 0;  // of each
  std::size_t count = 0;
};

// Row by row with `copy(to, from)`. Steps are added as numbers: one step beyond the last row may lie anywhere.
template <class Copy>
POLDER_ALWAYS_INLINE void copy_each(const Rows& rows, Copy&& copy) {
  std::uintptr_t to = reinterpret_cast<std::uintptr_t>(rows.to), from = reinterpret_cast<std::uintptr_t>(rows.from);
  for (std::size_t row = 0; row < rows.count; ++row) {
    copy(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(from));
    to += std::uintptr_t(rows.to_step);
    from += std::uintptr_t(rows.from_step);
  }
}

template <std::size_t kBytes>
void copy_rows_of(const Rows& rows) {
  copy_each(rows, [](std::byte* to, const std::byte* from) {
    std::byte row[kBytes];  // all of it before any of it, like memmove
    std::memcpy(row, from, kBytes);
    std::memcpy(to, row, kBytes);
  });
}

// Rows of 8 bytes are stored as words, each at once; of the others as util::copy says.
inline void copy_rows(const Rows& rows) {
  if constexpr (!util::kThreadSanitizer) {
    switch (rows.bytes) {
      case 8: return copy_rows_of<8>(rows);
      case 16: return copy_rows_of<16>(rows);
      case 32: return copy_rows_of<32>(rows);
      case 64: return copy_rows_of<64>(rows);
      default: break;
    }
  }
  copy_each(rows, [&](std::byte* to, const std::byte* from) { util::copy(to, from, rows.bytes); });
}

}  // namespace polder::core
