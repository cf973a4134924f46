#include "device/wire/state/sleeper.hpp"

#include "util/deadline.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace polder::device::wire {
namespace {

constexpr std::int64_t kLongestSleep_ns = 100'000'000;  // peers must be watched
constexpr std::int64_t kNextPart_ns = 200'000;          // within this the next part of a large transfer comes
constexpr std::int64_t kNextTransfer_ns = 30'000;       // and within this, mostly, the next transfer

constexpr int kNotArmed = -1;  // poll() passes over it

timespec timespec_of(std::int64_t nanoseconds) {
  return {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
}

}  // namespace

Status Sleeper::open() {
  wake_fd_ = util::Fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  return wake_fd_ ? Status() : Status(Code::system, std::string("eventfd: ") + std::strerror(errno));
}

void Sleeper::wait(Network& network, std::int64_t nanoseconds) {
  using Armed = Network::Armed;
  const std::int64_t end = util::now_ns() + nanoseconds;
  waiter_.store(::pthread_self(), std::memory_order_relaxed);
  while (!woken_.exchange(false) && !network.pending()) {
    bool others_poll = nap_.others_poll();
    if (!others_poll) {
      if (network.turn() != 0 || network.pending() || follow_stream(network, others_poll) != 0) break;
      others_poll = others_poll || nap_.others_poll();
    }
    network.look_after_peers();
    const std::int64_t left = std::min(end - util::now_ns(), kLongestSleep_ns);
    if (left <= 0) break;
    if (others_poll) {
      nap(nap_.longer(left));
      continue;
    }
    const Armed armed = network.arm();
    if (armed == Armed::occupied) {
      nap(nap_.longer(left));
      continue;
    }
    nap_.brief_again();
    if (armed == Armed::yes) sleep_until_event(network, left);
  }
}

// Until others poll. Returns what turn() did once that is not 0.
int Sleeper::follow_stream(Network& network, bool& others_poll) {
  std::int64_t end = 0;
  while (!woken_.load(std::memory_order_relaxed)) {
    const std::int64_t now = util::now_ns();
    if (parts_come_.moved())
      end = now + (more_parts_.load(std::memory_order_relaxed) ? kNextPart_ns : kNextTransfer_ns);
    if (now >= end || (others_poll = nap_.others_poll())) break;
    ::sched_yield();  // to the sender, if it has the same core
    if (const int events = network.turn(); events != 0) return events;
  }
  return 0;
}

void Sleeper::nap(std::int64_t nanoseconds) {
  if (nap_.begin()) sleep(nanoseconds, kNotArmed, [] { return false; });
  nap_.end();
}

void Sleeper::sleep_until_event(Network& network, std::int64_t nanoseconds) {
  sleep(nanoseconds, network.event_fd(), [&] { return network.unsent(); });
  network.disarm();
}

template <class Over>
void Sleeper::sleep(std::int64_t nanoseconds, int event_fd, Over&& over) {
  pollfd ready[] = {{wake_fd_.get(), POLLIN, 0}, {event_fd, POLLIN, 0}};
  const timespec limit = timespec_of(nanoseconds);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (!woken_.load(std::memory_order_seq_cst) && !over()) ::ppoll(ready, 2, &limit, nullptr);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  if ((ready[0].revents & POLLIN) == 0) return;
  std::uint64_t wakes = 0;
  [[maybe_unused]] const ssize_t taken = ::read(wake_fd_.get(), &wakes, sizeof wakes);
}

// The helper naps meanwhile, as it does beside a thread that polls: one thread is woken by what comes, and that is the one that wants it.
// Beside another one that polls it could sleep on while that one takes what it waits for.
SleptInWait Sleeper::sleep_in_wait(Network& network, std::int64_t nanoseconds) {
  if (!nap_.polls_alone()) return SleptInWait::not_alone;
  if (network.pending() || network.arm() != Network::Armed::yes) return SleptInWait::woken;
  pollfd ready{network.event_fd(), POLLIN, 0};
  const timespec limit = timespec_of(nanoseconds);
  sleepers_in_waits_.fetch_add(1, std::memory_order_seq_cst);
  const bool has_come = network.unsent() || ::ppoll(&ready, 1, &limit, nullptr) != 0;
  sleepers_in_waits_.fetch_sub(1, std::memory_order_relaxed);
  network.disarm();
  if (has_come) return SleptInWait::woken;
  if (nap_.polls_alone()) return SleptInWait::over;
  note_poll();  // of this sleep: if the thread stops now it says so, and the helper does not rely on one that has stopped before
  return SleptInWait::not_alone;
}

void Sleeper::note_poll() {
  if (!is_waiter()) nap_.polled();
}

void Sleeper::stop_polling() {
  if (!is_waiter() && nap_.stop_polling()) ring();
}

void Sleeper::wake() {
  woken_.store(true, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) ring();
}

void Sleeper::ring() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_fd_.get(), &one, sizeof one);
}

}  // namespace polder::device::wire
