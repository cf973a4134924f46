#include "device/ucx/hunch.hpp"

#include <atomic>

namespace polder::device::ucx {
namespace {

std::atomic<std::uint64_t> changes{0};

}  // namespace

void Hunch::note_change() {
  changes.fetch_add(1, std::memory_order_acq_rel);
}

int Hunch::look(int set, epoll_event* events, int limit, Wait& wait) {
  const std::uint64_t now = changes.load(std::memory_order_acquire);
  if (set == set_ && now == changes_ && idle_ < kTrust && ++looks_ % kAsk != 0) {
    *events = likely_;
    return 1;
  }
  const int found = wait(set, events, limit, 0);
  if (found == 1 && events->events == EPOLLIN) {
    set_ = set;
    likely_ = *events;
    changes_ = now;
  } else if (found > 0) {
    set_ = -1;
  }
  return found;
}

}  // namespace polder::device::ucx
