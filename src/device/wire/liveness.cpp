// Peers that are silent, and those that are lost; under the device's lock.
#include "device/wire/wire_device.hpp"
#include "util/deadline.hpp"

#include <algorithm>

namespace polder::device::wire {
namespace {

constexpr std::int64_t kTick_ns = 100'000'000;
// Clocks of two machines do not run equally fast; a clock that was told is cut to milliseconds, and that of each frame
// is the kernel's last tick.
constexpr std::int64_t kMargin_ns = 200'000'000;

// Of a link on which nothing else travels, within the time after which it is lost: so much longer that may take.
constexpr std::int64_t kPings = 15;

constexpr std::int64_t nanoseconds(std::uint32_t milliseconds) {
  return std::int64_t{milliseconds} * 1'000'000;
}

}  // namespace

void WireDevice::on_broken(Addressee& owner, Endpoint& endpoint, const char* why) {
  auto& link = static_cast<Link&>(owner);
  if (link.endpoint() != &endpoint) return;
  link.note_closed();
  state_.give_up(link,
                 {Code::peer_failed, "the way to rank " + std::to_string(link.peer) + " is broken: " + why, Died::peer},
                 false);
}

void WireDevice::mend() {
  if (!std::exchange(state_.any_broken, false)) return;
  answer_greetings();  // of this turn: who has left may have greeted just before, and waits for a frame of its session
  for (Link* link : state_.links.known()) {
    if (!link->broken() || link->endpoint() == nullptr) continue;
    // TCP reports a silent peer much later than this device does: it was the peer that closed the connection.
    const bool heard_lately =
        util::now_ns() - link->signs.heard_ns() < nanoseconds(state_.lease_ms == 0 ? 5000 : state_.lease_ms);
    const bool nothing_sent = link->state() == Link::State::greeting;
    // It came, and went before it had said anything: nobody here knows it.
    if (!link->order.any() && link->window.last() == 0 && !link->is_wanted()) link->be_quiet();
    if (link->peer_left()) sender_.acknowledge(*link);  // it waits for that
    lose(*link, link->quiet() || nothing_sent || (link->trusts_closing() && heard_lately && link->peer_closed()));
  }
}

// `settled`: the peer certainly carries nothing out any more of what was sent.
void WireDevice::lose(Link& link, bool settled) {
  if (link.endpoint() == nullptr) return;
  state_.transport->close(link.leave_endpoint());
  bury(link, settled);
}

// Without its endpoint, by which nothing is sent any more. `settled`: as above.
void WireDevice::bury(Link& link, bool settled) {
  state_.exposed.forget(&link);
  {
    util::SpinGuard lock(link.lock);
    drop_waiting(link);
    link.end();
  }
  link.graves.push_back({link.incarnation(), settled ? 0 : link.signs.refuses_from(kMargin_ns)});
  if (!link.quiet()) state_.endings.note_lost(link.peer, link.why());
  open_graves(link, util::now_ns());
}

void WireDevice::drop_waiting(Link& link) {
  link.queues.clear(state_.frames, [this](Waiting& waiting) {
    state_.lock.assert_held();
    drop(waiting);
  });
}

void WireDevice::drop(Waiting& waiting) {
  const Bulk& bulk = waiting.bulk;
  if (waiting.frame != nullptr) return state_.frames.give_back(waiting.frame);
  const bool gone = waiting.gone || bulk.operation == nullptr || bulk.bytes == 0;  // what copies the rest has its share
  if (!gone) state_.endings.end_part(*bulk.operation);
}

void WireDevice::open_graves(Link& link, std::int64_t now) {
  std::erase_if(link.graves, [&](const Grave& grave) {
    state_.lock.assert_held();
    if (grave.open_ns > now) return false;
    fail_operations(link, grave.incarnation, link.why());
    return true;
  });
}

void WireDevice::fail_operations(Link& link, std::uint32_t incarnation, const Status& why) {
  state_.operations.for_each([&](WireOperation& operation) {
    state_.lock.assert_held();
    if (operation.link != &link || operation.incarnation.load(std::memory_order_relaxed) != incarnation ||
        operation.is_decided())
      return;
    operation.status =
        Status(why.code(), state_.name + ": rank " + std::to_string(state_.rank) + ": " + std::string(why.message()),
               why.died());
    state_.resolve(operation);
  });
}

void WireDevice::tick(std::int64_t now) {
  if (now < next_tick_ns_) return;
  next_tick_ns_ = now + kTick_ns;
  for (Link* link : state_.links.known()) {
    if (!link->graves.empty()) open_graves(*link, now);
    if (link->order.debt() != 0 && link->flows() && !link->broken()) sender_.acknowledge(*link);
    if (link->endpoint() != nullptr && !link->broken() && state_.lease_ms != 0) watch(*link, now);
  }
  mend();
}

// A peer is asked when nothing else is sent, and lost when it leaves something without an answer for too long.
void WireDevice::watch(Link& link, std::int64_t now) {
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
