#include "common/interrupt.hpp"

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>

#include <unistd.h>

namespace apps {
namespace {

// Read by a signal handler, so it is neither a std::string nor ever freed.
char watched[PATH_MAX];
std::atomic<bool> watching{false};
std::mutex changing;  // of those who are no signal handler
static_assert(std::atomic<bool>::is_always_lock_free);

// The handler is gone after its first call, so the signal raised again ends the process with the right cause.
extern "C" void remove_and_end(int signal) {
  if (watching.exchange(false)) ::unlink(watched);
  ::raise(signal);
}

void handle(int signal) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = remove_and_end;
  action.sa_flags = SA_RESETHAND;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void remove_on_interrupt(const std::string& path) {
  const std::lock_guard lock(changing);
  watching = false;
  if (path.size() >= sizeof watched) return;
  std::memcpy(watched, path.c_str(), path.size() + 1);
  watching = true;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal);
}

void keep_on_interrupt() {
  watching = false;
}

}  // namespace apps
