// Goes through the contiguous pieces of a shape, and says how large the space is that it spans.
#pragma once

#include <polder/shape.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::core {

// The bytes of the remote side that a shape touches, relative to the address: [lowest, highest).
struct Span {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::size_t bytes = 0;  // of payload
};

// invalid_argument: too many levels, spans of different lengths, or numbers so large that they overflow.
Result<Span> remote_span(const Shape& shape);

// Calls `visit(local, remote, bytes)` for each piece, offsets relative to the local pointer and to the address, until
// it returns an error. Empty pieces are left out. REQUIRES: remote_span(shape) is ok.
template <class Visit>
Status for_each_piece(const Shape& shape, Visit&& visit) {
  switch (shape.kind()) {
    case Shape::Kind::contiguous:
      return shape.bytes() == 0 ? Status() : visit(std::ptrdiff_t{0}, std::ptrdiff_t{0}, shape.bytes());
    case Shape::Kind::list:
      for (const ListItem& item : shape.items()) {
        if (item.bytes == 0) continue;
        if (Status status = visit(item.local, item.remote, item.bytes); !status.ok()) return status;
      }
      return {};
    case Shape::Kind::strided: break;
  }
  const Strided& s = shape.strided();
  const std::size_t levels = s.counts.size();
  for (const std::size_t count : s.counts)
    if (count == 0) return {};
  if (s.bytes == 0) return {};
  std::size_t index[Strided::kMaxLevels] = {};
  // Unsigned, because strides of levels that do not repeat may be anything, and one step beyond the last piece may
  // overflow.
  std::size_t local = 0, remote = 0;
  while (true) {
    if (Status status = visit(std::ptrdiff_t(local), std::ptrdiff_t(remote), s.bytes); !status.ok()) return status;
    // An odometer: the innermost level turns first.
    std::size_t level = 0;
    for (; level < levels; ++level) {
      local += std::size_t(s.local_stride[level]);
      remote += std::size_t(s.remote_stride[level]);
      if (++index[level] < s.counts[level]) break;
      local -= std::size_t(s.local_stride[level]) * s.counts[level];
      remote -= std::size_t(s.remote_stride[level]) * s.counts[level];
      index[level] = 0;
    }
    if (level == levels) return {};
  }
}

}  // namespace polder::core
