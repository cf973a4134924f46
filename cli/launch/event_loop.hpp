// Sleeps until one of many descriptors is ready, then calls its handler. One thread.
#pragma once

#include "util/fd.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <functional>
#include <unordered_map>

namespace polder::cli {

class EventLoop {
 public:
  using Handler = std::function<void()>;

  static Result<EventLoop> create();

  // Calls `handler` in run_once() as long as `file` is ready for `events` (EPOLLIN, EPOLLOUT). `file` stays the
  // caller's, who forgets it before closing it. unsupported: an ordinary file, which is always ready.
  Status watch(int file, std::uint32_t events, Handler handler);
  void forget(int file);

  // Waits for at most `nanoseconds` (negative: for ever) and calls the handlers of what is ready. A handler may watch
  // and forget.
  Status run_once(std::int64_t nanoseconds);

 private:
  explicit EventLoop(util::Fd epoll) : epoll_(std::move(epoll)) {}

  util::Fd epoll_;
  std::unordered_map<int, Handler> handlers_;
};

}  // namespace polder::cli
