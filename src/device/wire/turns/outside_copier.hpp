// Copies from and to memory whose pages may be missing, with no lock held: they were noted where one was (copy_queue.hpp).
#pragma once

#include "device/wire/state/wire_state.hpp"
#include "device/wire/turns/entrance.hpp"

namespace polder::device::wire {

// A thread that fills pages leaves them to others.
class OutsideCopier {
 public:
  OutsideCopier(WireState& state, Entrance& entrance) : state_(state), entrance_(entrance) {}

  // Returns how much it has done.
  int copy_all() POLDER_EXCLUDES(kWorker);

  // Something was posted: as Entrance::hand_on(). What that has made room for is copied.
  void hand_on(Link& link, bool must_send) POLDER_EXCLUDES(kWorker) {
    entrance_.hand_on(link, must_send);
    if (!state_.packings.empty()) pack_all();
  }

 private:
  int pack_all() POLDER_EXCLUDES(kWorker);
  void pack(const Packing& packing) POLDER_EXCLUDES(kWorker);
  bool take_packed(const Packing& packing, Frame& frame, bool end);

  WireState& state_;
  Entrance& entrance_;
};

}  // namespace polder::device::wire
