// Segments: the memory that a rank offers to all others.
#pragma once

#include <polder/types.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace polder {

// What to create. Nothing here is collective: each rank chooses its own sizes, and peers may use a segment as soon as
// the call that creates it has returned at its owner.
struct SegmentSpec {
  std::size_t size = 0;        // bytes; 0 is allowed (a segment of notifications only)
  SegmentId id = kAnySegment;  // below kFirstAutomaticSegment, or kAnySegment for the lowest free automatic one
  std::uint32_t notifications = 65536;  // flags beside the data
  void* memory = nullptr;  // null: allocate zeroed, page-aligned memory. Else the user's, of any alignment, mapped and
                           // writable (invalid_argument), which must outlive the segment
};

// A segment of this rank.
struct Segment {
  SegmentId id = 0;
  std::byte* data = nullptr;
  std::size_t size = 0;
  std::uint32_t notifications = 0;

  // REQUIRES: data is aligned for T.
  template <class T>
  std::span<T> as() const {
    assert(reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0);
    return {reinterpret_cast<T*>(data), size / sizeof(T)};
  }
};

// What a peer offers under an id.
struct RemoteSegment {
  std::size_t size = 0;
  std::uint32_t notifications = 0;
  std::byte* direct = nullptr;  // where this rank may load and store it, or null
};

}  // namespace polder
