// The signs of life of a peer, and how long it may still carry out what was sent to it: its lease on what it was told.
// Gray and Cheriton, Leases, 1989.
#pragma once

#include "device/wire/format/protocol.hpp"

#include <cstdint>

namespace polder::device::wire {

// Under the device's lock. Times are of this rank's clock, but for clock().
class PeerSigns {
 public:
  // A new incarnation, of which nothing has been heard.
  void begin(std::int64_t now) { greeted_ns_ = heard_ns_ = sent_ns_ = now; }
  // The peer has answered: with its clock, and the milliseconds after which it refuses a frame (0: never).
  void meet(std::uint32_t clock, std::uint32_t lease_ms, std::int64_t now) {
    clock_ = clock;
    lease_ms_ = lease_ms;
    heard_ns_ = now;
  }
  // A frame that the peer sent at that time of its clock.
  void hear(std::uint32_t clock, std::int64_t now) {
    if (!after(clock, clock_)) return;
    clock_ = clock;
    heard_ns_ = now;
  }
  void note_sent(std::int64_t now) { sent_ns_ = now; }

  std::uint32_t clock() const { return clock_; }  // the latest that was heard; goes back with each frame
  std::int64_t greeted_ns() const { return greeted_ns_; }
  std::int64_t heard_ns() const { return heard_ns_; }
  std::int64_t sent_ns() const { return sent_ns_; }  // the latest frame to it
  // From when on the peer refuses all that was sent to it by now; 0: it has no lease, or it is over.
  std::int64_t refuses_from(std::int64_t margin_ns) const {
    return lease_ms_ == 0 ? 0 : heard_ns_ + std::int64_t{lease_ms_} * 1'000'000 + margin_ns;
  }

 private:
  std::uint32_t clock_ = 0;
  std::uint32_t lease_ms_ = 0;
  std::int64_t greeted_ns_ = 0;
  std::int64_t heard_ns_ = 0;
  std::int64_t sent_ns_ = 0;
};

}  // namespace polder::device::wire
