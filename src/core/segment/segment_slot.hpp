// The place of a segment id of a peer: the segment that has the id now, those that had it, and what is under way there.
#pragma once

#include "core/segment/hazards.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/mutex.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace polder::core {

class Question;

// The place of a segment id. What was there before stays allocated (a hundred bytes each): readers take no lock.
struct SegmentSlot {
  std::atomic<const PeerSegment*> current{nullptr};
  util::Mutex changing;
  std::vector<std::unique_ptr<PeerSegment>> versions;
  std::optional<device::Region>
      spare;                        // control memory of a segment whose data was not reached: the next one goes there
  std::uint64_t revoked = 0;        // the latest generation that the owner has revoked
  std::shared_ptr<Question> asked;  // to the owner, of a call that may have given up meanwhile
  Hazards hazards;                  // what this rank has under way there

  void publish(std::unique_ptr<PeerSegment> segment) {
    current.store(segment.get(), std::memory_order_release);
    versions.push_back(std::move(segment));
  }
};

}  // namespace polder::core
