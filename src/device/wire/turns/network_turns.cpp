#include "device/wire/turns/network_turns.hpp"

#include "util/deadline.hpp"

#include <utility>

namespace polder::device::wire {
namespace {

constexpr int kRounds = 8;      // of the transport in one turn, while nothing has come that matters
constexpr int kIdleRounds = 3;  // likewise, while nothing comes at all: a round costs less than what is around it
constexpr std::uint32_t kBusyTurns = 16;
constexpr std::uint32_t kIdleTurns = 64;     // one after the other in which nothing came: now there is time
constexpr std::uint32_t kTurnsPerTick = 64;  // of those in which nothing came, whatever came between them

}  // namespace

int NetworkTurns::turn() {
  if (!entrance_.try_enter()) return copier_.copy_all();
  work();
  const int events = std::exchange(state_.events, 0);
  entrance_.leave();
  return events + copier_.copy_all();
}

void NetworkTurns::work() {
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

void NetworkTurns::look_after_peers() {
  if (!entrance_.try_enter()) return;
  watch_.tick(util::now_ns());
  entrance_.leave();
}

Sleeper::Network::Armed NetworkTurns::arm() {
  if (!entrance_.try_enter()) return Armed::occupied;
  if (acknowledger_.owes_any()) acknowledger_.acknowledge_all();  // what was to wait for the next frame
  const bool armed = state_.transport->arm();
  entrance_.leave();
  return armed ? Armed::yes : Armed::no;
}

}  // namespace polder::device::wire
