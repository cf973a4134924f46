#include "device/wire/turns/entrance.hpp"

#include <atomic>

namespace polder::device::wire {

void Entrance::leave() {
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

void Entrance::tell_ended() {
  Endings news = state_.endings.take();
  state_.lock.unlock();
  news.tell(state_.operations, [this](Rank peer, const Status& why) {
    if (on_failure_) on_failure_(peer, why);
  });
}

// Where much is under way to the peer, small operations are gathered too, as Nagle (RFC 896) has it, but only
// behind several frames: until the next acknowledgement, or until anybody polls, which whoever waits does at once.
void Entrance::hand_on(Link& link, bool must_send) {
  if (!must_send && link.window.crowded(std::memory_order_relaxed)) {
    state_.dirty.add(link);
    // Looked at once more: whoever clears it takes what is marked by then along.
    if (link.window.crowded(std::memory_order_seq_cst)) return;
  } else if (try_enter()) {
    pump_.pump(link);
    return leave();
  } else {
    state_.dirty.add(link);
  }
  if (try_enter()) leave();
}

}  // namespace polder::device::wire
