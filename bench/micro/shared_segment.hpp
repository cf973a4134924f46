// A segment at every rank, for as long as one measurement lasts.
#pragma once

#include "micro/polder_world.hpp"

#include <cstddef>
#include <cstring>

namespace bench {

// Collective to make and to destroy. Every page is touched at its owner before anyone measures.
class SharedSegment {
 public:
  SharedSegment(PolderWorld& world, std::size_t bytes) : world_(world) {
    segment_ = world.must("create_segment", world.runtime().create_segment({.size = bytes, .id = kId},
                                                                           world.runtime().world(), kPatience));
    std::memset(segment_.data, 0, segment_.size);
    world.barrier();
  }
  ~SharedSegment() {
    world_.barrier();  // nobody still uses it
    world_.must("delete_segment", world_.runtime().delete_segment(kId));
  }
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  static constexpr polder::SegmentId kId = 1;

  std::byte* mine() const { return segment_.data; }
  polder::GlobalAddress at(int rank, std::size_t offset = 0) const { return {polder::Rank(rank), kId, offset}; }

 private:
  PolderWorld& world_;
  polder::Segment segment_;
};

}  // namespace bench
