// One thread's share of the network's work.
#include "device/wire/wire_device.hpp"
#include "util/deadline.hpp"

namespace polder::device::wire {
namespace {

constexpr int kRounds = 8;      // of the transport in one turn, while nothing has come that matters
constexpr int kIdleRounds = 3;  // likewise, while nothing comes at all: a round costs less than what is around it
constexpr std::uint32_t kBusyTurns = 16;
constexpr std::uint32_t kIdleTurns = 64;     // one after the other in which nothing came: now there is time
constexpr std::uint32_t kTurnsPerTick = 64;  // of those in which nothing came, whatever came between them

}  // namespace

int WireDevice::progress(MessageSink& sink) {
  state_.sleeper.note_poll();
  const int events = turn();
  if (FillingThread::here()) {
    if (state_.inbox.pending()) state_.sleeper.wake();  // handlers are left to others, who may be asleep
    return events;
  }
  const int delivered = state_.inbox.take([&](const Label& label, std::span<const std::byte> message) {
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
  Link& link = *state_.links.find(label.source);
  bool awaited = false;
  {
    util::SpinGuard lock(link.lock);
    if (link.incarnation() != label.incarnation) return;
    awaited = link.messages.take(std::uint32_t(bytes));
  }
  if (awaited) kick(link, true);
}

// One thread's share of the network's work. Returns how many operations ended or were carried out for others.
int WireDevice::turn() {
  if (!try_enter()) return copy_outside();
  work();
  const int events = std::exchange(state_.events, 0);
  leave();
  return events + copy_outside();
}

void WireDevice::work() {
  state_.has_arrived = false;
  // Once in any case: a handler may have been waiting for long, for what comes now.
  for (int round = 0; round < kRounds && state_.events == 0 && (round == 0 || !state_.inbox.pending()); ++round)
    if (!state_.transport->progress(kIdleRounds)) break;
  if (state_.any_broken) watch_.mend();
  // Not while more is coming, but not much later either: other peers wait for their acknowledgements.
  busy_turns_ = state_.has_arrived ? busy_turns_ + 1 : 0;
  idle_turns_ = state_.has_arrived ? 0 : idle_turns_ + 1;
  if (busy_turns_ % kBusyTurns != 0) return;
  if (acknowledger_.owes_any() && (acknowledger_.is_awaited() || idle_turns_ >= kIdleTurns))
    acknowledger_.acknowledge_all();
  // Reading the clock is a good part of what an idle turn costs.
  if (++turns_ % kTurnsPerTick == 0 || state_.has_arrived) watch_.tick(util::now_ns());
}

void WireDevice::look_after_peers() {
  if (!try_enter()) return;
  watch_.tick(util::now_ns());
  leave();
}

Sleeper::Network::Armed WireDevice::arm() {
  if (!try_enter()) return Armed::occupied;
  if (acknowledger_.owes_any()) acknowledger_.acknowledge_all();  // what was to wait for the next frame
  const bool armed = state_.transport->arm();
  leave();
  return armed ? Armed::yes : Armed::no;
}

}  // namespace polder::device::wire
