#include "device/ucx/hunch.hpp"

#include "device/wire/redirect.hpp"

#include <ucs/sys/sock.h>

#include <atomic>

namespace polder::device::ucx {
namespace {

std::atomic<std::uint64_t> changes{0};

thread_local Hunch* in_use = nullptr;

using Control = int(int, int, int, epoll_event*);

std::atomic<Control*> control{::epoll_ctl};
std::atomic<Hunch::Wait*> wait_onward{::epoll_wait};

int noticed_epoll_ctl(int set, int what, int socket, epoll_event* event) {
  if (what != EPOLL_CTL_ADD) Hunch::note_change();
  return (*control.load(std::memory_order_relaxed))(set, what, socket, event);
}

int guessed_epoll_wait(int set, epoll_event* events, int limit, int timeout) {
  Hunch::Wait& wait = *wait_onward.load(std::memory_order_relaxed);
  return in_use == nullptr || timeout != 0 ? wait(set, events, limit, timeout) : in_use->look(set, events, limit, wait);
}

template <class Function>
bool lead(const char* name, Function& through, std::atomic<Function*>& onward) {
  const auto before = wire::redirect(reinterpret_cast<const void*>(&ucs_socket_accept), name,
                                     reinterpret_cast<wire::AnyFunction>(&through));
  if (before != nullptr) onward.store(reinterpret_cast<Function*>(before));
  return before != nullptr;
}

}  // namespace

Hunch::Use::Use(Hunch& hunch) : outer_(in_use) {
  static const bool works = lead<Control>("epoll_ctl", noticed_epoll_ctl, control) &&
                            lead<Wait>("epoll_wait", guessed_epoll_wait, wait_onward);
  in_use = works ? &hunch : nullptr;
}

Hunch::Use::~Use() {
  in_use = outer_;
}

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
