#include "launch/event_loop.hpp"

#include "util/shared_memory.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace polder::cli {
namespace {

int to_milliseconds(std::int64_t nanoseconds) {
  if (nanoseconds < 0) return -1;
  constexpr std::int64_t kDay = 86'400'000;
  return int(std::min((nanoseconds + 999'999) / 1'000'000, kDay));  // up: to wake a little late is better than to spin
}

}  // namespace

Result<EventLoop> EventLoop::create() {
  util::Fd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return util::system_error("epoll_create1");
  return EventLoop(std::move(epoll));
}

Status EventLoop::watch(int file, std::uint32_t events, Handler handler) {
  epoll_event event{};
  event.events = events;
  event.data.fd = file;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, file, &event) != 0)
    return errno == EPERM ? Status(Code::unsupported) : util::system_error("epoll_ctl");
  handlers_[file] = std::move(handler);
  return {};
}

void EventLoop::forget(int file) {
  if (handlers_.erase(file) != 0) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, file, nullptr);
}

Status EventLoop::run_once(std::int64_t nanoseconds) {
  std::array<epoll_event, 64> ready;
  const int count = epoll_wait(epoll_.get(), ready.data(), int(ready.size()), to_milliseconds(nanoseconds));
  if (count < 0) return errno == EINTR ? Status() : util::system_error("epoll_wait");
  for (int i = 0; i < count; ++i) {
    const auto found = handlers_.find(ready[std::size_t(i)].data.fd);
    if (found == handlers_.end()) continue;  // an earlier handler of this round forgot it
    const Handler handler = found->second;   // a copy: it may forget itself
    handler();
  }
  return {};
}

}  // namespace polder::cli
