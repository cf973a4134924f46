// What goes next of all that waits for a link: in order, as far as anybody can tell.
#pragma once

#include "device/wire/state/wire_state.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace polder::device::wire {

class LinkSchedule {
 public:
  // One of these, or nothing.
  struct Step {
    Frame* frame = nullptr;
    std::span<const std::byte> part = {};  // behind the frame
    RemoteAccess* access = nullptr;
    std::uint64_t ask = 0;  // for the key of this region
  };

  // Large pieces leave in parts of `part_bytes` from where they lie.
  LinkSchedule(WireState& state, std::size_t part_bytes) : state_(state), part_bytes_(part_bytes) {}

  // It no longer waits.
  Step next(Link& link) POLDER_REQUIRES(kWorker);

 private:
  Step choose(Link& link) POLDER_REQUIRES(kWorker, link.lock);
  Step next_access(Link& link, Waiting& waiting) POLDER_REQUIRES(kWorker, link.lock);
  bool may_leave(Link& link, Waiting& waiting) POLDER_REQUIRES(kWorker);
  bool goes_by_access(Link& link, const Bulk& bulk) POLDER_REQUIRES(kWorker);
  Step next_frame(Link& link, bool urgent) POLDER_REQUIRES(kWorker, link.lock);
  Step next_copied(Link& link, Waiting& waiting) POLDER_REQUIRES(kWorker, link.lock);
  Step next_copied_access(Link& link, Frame& frame, Bulk& bulk) POLDER_REQUIRES(kWorker, link.lock);
  void claim(Link& link, Bulk& bulk) POLDER_REQUIRES(kWorker, link.lock);
  Frame* next_question(const Bulk& bulk) POLDER_REQUIRES(kWorker);
  bool goes_with_next(Link& link) POLDER_REQUIRES(kWorker, link.lock);
  Frame* next_part(Bulk& bulk, std::span<const std::byte>& part, Frame* company = nullptr) POLDER_REQUIRES(kWorker);

  WireState& state_;
  const std::size_t part_bytes_;
};

}  // namespace polder::device::wire
