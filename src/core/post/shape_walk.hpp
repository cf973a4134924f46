// Goes through the contiguous pieces of a shape, and says how large the space is that it spans.
#pragma once

#include "util/assert.hpp"

#include <polder/shape.hpp>
#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::core {

// The bytes of the remote side that a shape touches, relative to the address: [lowest, highest).
struct Bounds {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::size_t bytes = 0;  // of payload
};

// invalid_argument: too many levels, spans of different lengths, or numbers so large that they overflow.
Result<Bounds> remote_span(const Shape& shape);

// Of all pieces together; 0 for a shape that cannot be.
std::size_t payload_bytes(const Shape& shape);

// Pieces of the same size at the same distance from each other: `count` times `bytes`, offsets relative to the local
// pointer and to the address. Never empty.
struct Plane {
  std::ptrdiff_t local = 0, remote = 0;
  std::size_t bytes = 0;
  std::size_t count = 1;
  std::ptrdiff_t local_stride = 0, remote_stride = 0;
};

// Calls `visit(plane)`, with an innermost repetition at a time, until it returns an error. Rows that follow each other
// without a gap on both sides are one. REQUIRES: remote_span(shape) is ok.
template <class Visit>
Status for_each_plane(const Strided& s, Visit&& visit) {
  POLDER_ASSERT(remote_span(Shape(s)).ok());
  const std::size_t levels = s.counts.size();
  for (const std::size_t count : s.counts)
    if (count == 0) return {};
  if (s.bytes == 0) return {};
  Plane plane{.bytes = s.bytes};
  if (levels != 0) {
    plane.count = s.counts[0];
    plane.local_stride = s.local_stride[0];
    plane.remote_stride = s.remote_stride[0];
    if (std::size_t(plane.local_stride) == s.bytes && std::size_t(plane.remote_stride) == s.bytes) {
      plane.bytes *= plane.count;
      plane.count = 1;
    }
  }
  std::size_t index[Strided::kMaxLevels] = {};
  // Unsigned, because strides of levels that do not repeat may be anything, and one step beyond the last piece may
  // overflow.
  std::size_t local = 0, remote = 0;
  while (true) {
    plane.local = std::ptrdiff_t(local);
    plane.remote = std::ptrdiff_t(remote);
    if (Status status = visit(plane); !status.ok()) return status;
    // An odometer: the innermost of the other levels turns first.
    std::size_t level = 1;
    for (; level < levels; ++level) {
      local += std::size_t(s.local_stride[level]);
      remote += std::size_t(s.remote_stride[level]);
      if (++index[level] < s.counts[level]) break;
      local -= std::size_t(s.local_stride[level]) * s.counts[level];
      remote -= std::size_t(s.remote_stride[level]) * s.counts[level];
      index[level] = 0;
    }
    if (level >= levels) return {};
  }
}

// The same for any shape.
template <class Visit>
Status for_each_plane(const Shape& shape, Visit&& visit) {
  switch (shape.kind()) {
    case Shape::Kind::contiguous: return shape.bytes() == 0 ? Status() : visit(Plane{.bytes = shape.bytes()});
    case Shape::Kind::strided: return for_each_plane(shape.strided(), visit);
    case Shape::Kind::list: break;
  }
  for (const ListItem& item : shape.items()) {
    if (item.bytes == 0) continue;
    if (Status status = visit(Plane{.local = item.local, .remote = item.remote, .bytes = item.bytes}); !status.ok())
      return status;
  }
  return {};
}

// Calls `visit(local, remote, bytes)` for each contiguous piece.
template <class Visit>
Status for_each_piece(const Shape& shape, Visit&& visit) {
  return for_each_plane(shape, [&](const Plane& plane) -> Status {
    std::size_t local = std::size_t(plane.local), remote = std::size_t(plane.remote);
    for (std::size_t i = 0; i < plane.count; ++i) {
      if (Status status = visit(std::ptrdiff_t(local), std::ptrdiff_t(remote), plane.bytes); !status.ok())
        return status;
      local += std::size_t(plane.local_stride);
      remote += std::size_t(plane.remote_stride);
    }
    return {};
  });
}

}  // namespace polder::core
