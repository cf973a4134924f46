// progress, wait and wake.
#include "device/ucx/ucx_device.hpp"
#include "util/deadline.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace polder::device::ucx {
namespace {

constexpr int kRounds = 8;  // of UCX in one turn, while nothing has come that matters
constexpr std::uint32_t kBusyTurns = 16;
constexpr std::uint32_t kTurnsPerTick = 64;             // of those in which nothing came
constexpr std::int64_t kNap_ns = 200'000;               // between two looks at whether another thread still polls
constexpr std::int64_t kLongestSleep_ns = 100'000'000;  // peers must be watched

}  // namespace

int UcxDevice::progress(MessageSink& sink) {
  polls_.fetch_add(1, std::memory_order_relaxed);
  const int events = turn();
  const int delivered = inbox_.take([&](const Label& label, std::span<const std::byte> message) {
    sink.deliver(label.source, label.handler, message);
    note_drained(label, sizeof(Record) + message.size());
  });
  return events + delivered;
}

// A sender with no more room for messages waits for this.
void UcxDevice::note_drained(const Label& label, std::size_t bytes) {
  Link& link = *find_link(label.source);
  const auto cost = std::uint32_t(bytes);
  std::uint32_t drained = 0;
  {
    std::lock_guard lock(link.lock);
    if (link.incarnation != label.incarnation) return;
    drained = link.drained.fetch_add(cost, std::memory_order_acq_rel) + cost;
  }
  if (drained % (Link::kMailRoom / 8) < cost) kick(link);
}

// One thread's share of the network's work. Returns how many operations ended or were carried out for others.
int UcxDevice::turn() {
  if (!try_enter()) return 0;
  work();
  const int events = std::exchange(events_, 0);
  leave();
  return events;
}

void UcxDevice::work() {
  arrived_ = false;
  for (int round = 0; round < kRounds && events_ == 0 && !inbox_.pending(); ++round)
    if (!transport_->progress()) break;
  if (any_broken_) mend();
  // Not while more is coming, but not much later either: other peers wait for their acknowledgements.
  if (arrived_ && ++turns_ % kBusyTurns != 0) return;
  if (!owing_.empty()) acknowledge_all();
  // Reading the clock is a good part of what an idle turn costs.
  if (++turns_ % kTurnsPerTick == 0 || arrived_) tick(util::now_ns());
}

void UcxDevice::wait(std::int64_t nanoseconds) {
  const std::int64_t end = util::now_ns() + nanoseconds;
  std::uint32_t polls = polls_.load(std::memory_order_relaxed);
  bool others_poll = polls - polls_seen_.load(std::memory_order_relaxed) > 1;
  while (!woken_.exchange(false) && !inbox_.pending() && turn() == 0 && !inbox_.pending()) {
    look_after_peers();
    const std::int64_t left = std::min(end - util::now_ns(), kLongestSleep_ns);
    if (left <= 0) break;
    // Where another thread polls anyway, this one would only be in its way.
    if (others_poll)
      sleep(std::min(left, kNap_ns), false);
    else if (arm())
      sleep(left, true);
    others_poll = polls_.load(std::memory_order_relaxed) != polls;
    polls = polls_.load(std::memory_order_relaxed);
  }
  polls_seen_.store(polls_.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void UcxDevice::look_after_peers() {
  if (!try_enter()) return;
  tick(util::now_ns());
  leave();
}

bool UcxDevice::arm() {
  if (!try_enter()) return false;
  const bool armed = transport_->arm();
  leave();
  return armed;
}

void UcxDevice::sleep(std::int64_t nanoseconds, bool armed) {
  pollfd ready[] = {{wake_fd_.get(), POLLIN, 0}, {transport_->event_fd(), POLLIN, 0}};
  const timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (!woken_.load(std::memory_order_seq_cst)) ::ppoll(ready, armed ? 2 : 1, &limit, nullptr);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  if ((ready[0].revents & POLLIN) == 0) return;
  std::uint64_t wakes = 0;
  [[maybe_unused]] const ssize_t taken = ::read(wake_fd_.get(), &wakes, sizeof wakes);
}

void UcxDevice::wake() {
  woken_.store(true, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_fd_.get(), &one, sizeof one);
}

}  // namespace polder::device::ucx
