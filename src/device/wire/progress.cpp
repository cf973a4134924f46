// progress, wait and wake.
#include "device/wire/wire_device.hpp"
#include "util/deadline.hpp"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace polder::device::wire {
namespace {

constexpr int kRounds = 8;      // of the transport in one turn, while nothing has come that matters
constexpr int kIdleRounds = 3;  // likewise, while nothing comes at all: a round costs less than what is around it
constexpr std::uint32_t kBusyTurns = 16;
constexpr std::uint32_t kTurnsPerTick = 64;             // of those in which nothing came
constexpr std::int64_t kLongestSleep_ns = 100'000'000;  // peers must be watched
constexpr std::int64_t kNextPart_ns = 200'000;          // within this the next part of a large transfer comes
constexpr std::int64_t kNextTransfer_ns = 30'000;       // and within this, mostly, the next transfer

}  // namespace

int WireDevice::progress(MessageSink& sink) {
  if (waiter_.load(std::memory_order_relaxed) != ::pthread_self()) nap_.polled();
  const int events = turn();
  const int delivered = inbox_.take([&](const Label& label, std::span<const std::byte> message) {
    if (label.farewell) return tell_leaving(label.source);
    sink.deliver(label.source, label.handler, message);
    note_drained(label, sizeof(Record) + message.size());
  });
  return events + delivered;
}

void WireDevice::tell_leaving(Rank peer) {
  if (on_leave_) on_leave_(peer);
}

// A sender with no more room for messages waits for this.
void WireDevice::note_drained(const Label& label, std::size_t bytes) {
  Link& link = *find_link(label.source);
  const auto cost = std::uint32_t(bytes);
  std::uint32_t drained = 0;
  {
    std::lock_guard lock(link.lock);
    if (link.incarnation != label.incarnation) return;
    drained = link.drained.fetch_add(cost, std::memory_order_acq_rel) + cost;
  }
  if (drained % (Link::kMailRoom / 8) < cost) kick(link, true);
}

// One thread's share of the network's work. Returns how many operations ended or were carried out for others.
int WireDevice::turn() {
  if (!try_enter()) return 0;
  work();
  const int events = std::exchange(events_, 0);
  leave();
  return events;
}

void WireDevice::work() {
  arrived_ = false;
  for (int round = 0; round < kRounds && events_ == 0 && !inbox_.pending(); ++round)
    if (!transport_->progress(kIdleRounds)) break;
  if (any_broken_) mend();
  // Not while more is coming, but not much later either: other peers wait for their acknowledgements.
  busy_turns_ = arrived_ ? busy_turns_ + 1 : 0;
  if (busy_turns_ % kBusyTurns != 0) return;
  if (!owing_.empty()) acknowledge_all();
  // Reading the clock is a good part of what an idle turn costs.
  if (++turns_ % kTurnsPerTick == 0 || arrived_) tick(util::now_ns());
}

// Where another thread polls anyway, this one would only be in its way. It looks again after a nap, or when that thread
// says that it has stopped.
void WireDevice::wait(std::int64_t nanoseconds) {
  const std::int64_t end = util::now_ns() + nanoseconds;
  waiter_.store(::pthread_self(), std::memory_order_relaxed);
  while (!woken_.exchange(false) && !inbox_.pending() && turn() == 0 && !inbox_.pending()) {
    if (follow_stream() != 0) break;
    look_after_peers();
    const std::int64_t left = std::min(end - util::now_ns(), kLongestSleep_ns);
    if (left <= 0) break;
    if (nap_.others_poll()) {
      nap(nap_.longer(left));
      continue;
    }
    const Armed armed = arm();
    if (armed == Armed::occupied && parts_sent_.moved()) {
      nap(nap_.longer(left));
      continue;
    }
    nap_.brief_again();
    if (armed == Armed::occupied) nap(std::min(left, Nap::kBrief_ns));
    if (armed == Armed::yes) sleep(left, true);
  }
}

// In the middle of a large transfer the next part is near, and to sleep and be woken for each takes longer than the
// part. Returns what turn() did once that is not 0.
int WireDevice::follow_stream() {
  std::int64_t end = 0;
  while (!woken_.load(std::memory_order_relaxed)) {
    const std::int64_t now = util::now_ns();
    if (parts_.moved()) end = now + (more_parts_.load(std::memory_order_relaxed) ? kNextPart_ns : kNextTransfer_ns);
    if (now >= end) break;
    sched_yield();  // to the sender, if it has the same core
    if (const int events = turn(); events != 0) return events;
  }
  return 0;
}

void WireDevice::nap(std::int64_t nanoseconds) {
  if (nap_.begin()) sleep(nanoseconds, false);
  nap_.end();
}

void WireDevice::stop_polling() {
  if (waiter_.load(std::memory_order_relaxed) == ::pthread_self()) return;
  if (nap_.stop_polling()) ring();
}

void WireDevice::look_after_peers() {
  if (!try_enter()) return;
  tick(util::now_ns());
  leave();
}

WireDevice::Armed WireDevice::arm() {
  if (!try_enter()) return Armed::occupied;
  const bool armed = transport_->arm();
  leave();
  return armed ? Armed::yes : Armed::no;
}

void WireDevice::sleep(std::int64_t nanoseconds, bool armed) {
  pollfd ready[] = {{wake_fd_.get(), POLLIN, 0}, {transport_->event_fd(), POLLIN, 0}};
  const timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (!woken_.load(std::memory_order_seq_cst)) ::ppoll(ready, armed ? 2 : 1, &limit, nullptr);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  if ((ready[0].revents & POLLIN) == 0) return;
  std::uint64_t wakes = 0;
  [[maybe_unused]] const ssize_t taken = ::read(wake_fd_.get(), &wakes, sizeof wakes);
}

void WireDevice::wake() {
  woken_.store(true, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) ring();
}

void WireDevice::ring() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_fd_.get(), &one, sizeof one);
}

}  // namespace polder::device::wire
