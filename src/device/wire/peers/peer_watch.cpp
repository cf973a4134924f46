#include "device/wire/peers/peer_watch.hpp"

#include "util/deadline.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

constexpr std::int64_t kTick_ns = 100'000'000;

// Of a link on which nothing else travels, within the time after which it is lost: so much longer that may take.
constexpr std::int64_t kPings = 15;

constexpr std::int64_t nanoseconds(std::uint32_t milliseconds) {
  return std::int64_t{milliseconds} * 1'000'000;
}

}  // namespace

void PeerWatch::on_broken(Link& link, const Endpoint& endpoint, const char* why) {
  if (link.endpoint() != &endpoint) return;
  link.note_closed();
  state_.give_up(link,
                 {Code::peer_failed, "the way to rank " + std::to_string(link.peer) + " is broken: " + why, Died::peer},
                 false);
}

void PeerWatch::mend() {
  if (!std::exchange(state_.any_broken, false)) return;
  // The greetings of this turn: who has left may have greeted just before, and waits for a frame of its session.
  greeter_.answer_all();
  for (Link* link : state_.links.known()) {
    if (!link->broken() || link->endpoint() == nullptr) continue;
    // TCP reports a silent peer much later than this device does: it was the peer that closed the connection.
    const bool heard_lately =
        util::now_ns() - link->signs.heard_ns() < nanoseconds(state_.lease_ms == 0 ? 5000 : state_.lease_ms);
    const bool nothing_sent = link->state() == Link::State::greeting;
    // It came, and went before it had said anything: nobody here knows it.
    if (!link->order.any() && link->window.last() == 0 && !link->is_wanted()) link->be_quiet();
    if (link->peer_left()) sender_.acknowledge(*link);  // it waits for that
    undertaker_.lose(*link,
                     link->quiet() || nothing_sent || (link->trusts_closing() && heard_lately && link->peer_closed()));
  }
}

void PeerWatch::tick(std::int64_t now) {
  if (now < next_tick_ns_) return;
  next_tick_ns_ = now + kTick_ns;
  for (Link* link : state_.links.known()) {
    if (!link->graves.empty()) undertaker_.open_graves(*link, now);
    if (link->order.debt() != 0 && link->flows() && !link->broken()) sender_.acknowledge(*link);
    if (link->endpoint() != nullptr && !link->broken() && state_.lease_ms != 0) watch(*link, now);
  }
  mend();
}

// A peer is asked when nothing else is sent, and lost when it leaves something without an answer for too long.
void PeerWatch::watch(Link& link, std::int64_t now) {
  const std::int64_t patience = nanoseconds(state_.lease_ms);
  std::int64_t since = now;
  if (link.state() == Link::State::greeting) since = link.signs.greeted_ns();
  // A peer that stopped after its greeting, before the way to it was made: nothing can be sent that it would leave
  // without an answer.
  if (link.state() == Link::State::open && !link.endpoint()->made()) since = link.signs.heard_ns();
  if (!link.window.empty()) since = link.window.oldest_ns();
  if (link.accesses.under_way > 0) since = std::min(since, link.accesses.since_ns);
  if (now - since > patience)
    return state_.give_up(
        link,
        {Code::peer_failed,
         "rank " + std::to_string(link.peer) + " has not answered for " + std::to_string(state_.lease_ms) + " ms",
         Died::peer},
        false);
  if (link.state() == Link::State::open && now - link.signs.sent_ns() > patience / kPings && !link.has_waiting())
    responder_.respond(link, {.kind = RecordKind::ping}, {});
}

}  // namespace polder::device::wire
