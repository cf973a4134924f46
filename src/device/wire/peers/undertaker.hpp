// The end of a link: its endpoint is closed, what waited is dropped, and its operations fail once the peer surely carries
// nothing of them out any more.
#pragma once

#include "device/wire/state/wire_state.hpp"

#include <polder/status.hpp>

#include <cstdint>

namespace polder::device::wire {

// The reason is the link's: why(), as it was given up.
class Undertaker {
 public:
  explicit Undertaker(WireState& state) : state_(state) {}

  // `settled`: the peer certainly carries nothing out any more of what was sent. Not from inside a call of the transport.
  void lose(Link& link, bool settled) POLDER_REQUIRES(kWorker);
  // Without its endpoint, by which nothing is sent any more. `settled`: as above.
  void bury(Link& link, bool settled) POLDER_REQUIRES(kWorker);
  // Reports as failed what no peer carries out any more at that time.
  void open_graves(Link& link, std::int64_t now) POLDER_REQUIRES(kWorker);

 private:
  void drop_waiting(Link& link) POLDER_REQUIRES(kWorker, link.lock);
  void drop(Waiting& waiting) POLDER_REQUIRES(kWorker);
  void fail_operations(Link& link, std::uint32_t incarnation, const Status& why) POLDER_REQUIRES(kWorker);

  WireState& state_;
};

}  // namespace polder::device::wire
