// Who is inside of a device, that is, holds its lock, and what that thread does before and after it gives the lock back.
//
// The one who finds the lock taken leaves at once: its holder looks for more after giving it back. So while one thread
// is in a system call, the others pack, and their operations travel together.
#pragma once

#include "device/wire/peers/greeter.hpp"
#include "device/wire/schedule/link_pump.hpp"
#include "device/wire/state/wire_state.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <functional>
#include <utility>

namespace polder::device::wire {

class Entrance {
 public:
  Entrance(WireState& state, Greeter& greeter, LinkPump& pump) : state_(state), greeter_(greeter), pump_(pump) {}

  // Not once it has retired: then nobody calls the transport any more.
  bool try_enter() POLDER_TRY_ACQUIRE(true, kWorker) {
    if (!state_.lock.try_lock()) return false;
    if (!is_retired_) [[likely]]
      return true;
    state_.lock.unlock();
    return false;
  }
  void enter() POLDER_ACQUIRE(kWorker) { state_.lock.lock(); }
  // Sends what waits, gives the lock back and tells callers what has ended.
  void leave() POLDER_RELEASE(kWorker);

  // Something was posted. It is sent now or by whoever is inside; unless it `must_send` it may wait for company.
  void hand_on(Link& link, bool must_send) POLDER_EXCLUDES(kWorker);

  void retire() POLDER_REQUIRES(kWorker) { is_retired_ = true; }
  bool is_retired() const POLDER_REQUIRES(kWorker) { return is_retired_; }

  // Called with no lock held, for each peer that is lost. Before any other thread is here.
  void on_failure(std::function<void(Rank, const Status&)> listener) { on_failure_ = std::move(listener); }

 private:
  void tell_ended() POLDER_RELEASE(kWorker);

  WireState& state_;
  Greeter& greeter_;
  LinkPump& pump_;
  bool is_retired_ POLDER_GUARDED_BY(kWorker) = false;
  std::function<void(Rank, const Status&)> on_failure_;
};

}  // namespace polder::device::wire
