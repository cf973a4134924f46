#include "device/wire/wire_device.hpp"

#include <atomic>

namespace polder::device::wire {

void WireDevice::leave() {
  do {
    if (greeter_.has_noted()) greeter_.answer_all();
    if (state_.dirty.any()) pump_.pump_dirty();
    if (state_.endings.empty())
      state_.lock.unlock();
    else
      tell_ended();  // gives the lock back
    // Who marked a link while the lock was taken has left it to us.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  } while (state_.dirty.any() && try_enter());
}

void WireDevice::tell_ended() {
  Endings news = state_.endings.take();
  state_.lock.unlock();
  news.tell(state_.operations, [this](Rank peer, const Status& why) {
    if (on_failure_) on_failure_(peer, why);
  });
}

}  // namespace polder::device::wire
