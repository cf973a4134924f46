// Messages that have come, handed to their handlers; and word of the peers that have left.
#pragma once

#include "device/device.hpp"
#include "device/wire/state/wire_state.hpp"
#include "device/wire/turns/outside_copier.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <functional>

namespace polder::device::wire {

class MessageDelivery {
 public:
  MessageDelivery(WireState& state, OutsideCopier& copier) : state_(state), copier_(copier) {}

  // Returns how many. A thread that fills pages leaves handlers to others.
  int deliver(MessageSink& sink);

  // Called in line with the messages of the peer. Before any other thread is here.
  void on_leave(const std::function<void(Rank)>& listener) { on_leave_ = listener; }

 private:
  void note_drained(const Label& label, std::size_t bytes);

  WireState& state_;
  OutsideCopier& copier_;
  std::function<void(Rank)> on_leave_;
};

}  // namespace polder::device::wire
