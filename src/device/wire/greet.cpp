// Meeting a peer. Both ends may begin at the same time; whoever hears a greeting knows the other's session number and
// may send.
#include "device/wire/wire_device.hpp"
#include "util/deadline.hpp"
#include "util/log.hpp"

#include <algorithm>

namespace polder::device::wire {
namespace {

constexpr std::size_t kGreetingsAtOnce = 4096;

}  // namespace

// Endpoints must not be opened or closed while the transport is inside: kept until the end of the turn.
void WireDevice::on_greeting(std::span<const std::byte> bytes, Addressee* over) {
  state_.has_arrived = true;
  if (greetings_.size() >= kGreetingsAtOnce) return;
  const auto* const link = static_cast<Link*>(over);
  greetings_.push_back({{bytes.begin(), bytes.end()}, link, link == nullptr ? 0 : link->incarnation()});
}

void WireDevice::answer_greetings() {
  // More may come while these are answered: a rank that greets itself.
  for (std::size_t i = 0; i < greetings_.size(); ++i) {
    const NotedGreeting noted = std::move(greetings_[i]);
    auto heard = decode(noted.bytes, secret_);
    if (heard.ok())
      hear(*heard, noted);
    else
      stranger(std::string(heard.status().message()).c_str());
  }
  greetings_.clear();
}

void WireDevice::hear(const Heard& heard, const NotedGreeting& noted) {
  const Greeting& greeting = heard.greeting;
  if (greeting.target != state_.rank || greeting.source >= state_.size) return stranger("a greeting for another rank");
  Link& link = state_.links.of(greeting.source);
  const bool came_by_its_way = noted.over == &link && noted.incarnation == link.incarnation();
  if (greeting.kind == Greeting::Kind::hello) return on_hello(link, heard, came_by_its_way);
  // An answer to an older greeting means nothing any more.
  if (link.state() == Link::State::greeting && greeting.answer_to == link.session.own()) open(link, greeting);
}

void WireDevice::on_hello(Link& link, const Heard& heard, bool came_by_its_way) {
  const bool known = link.state() == Link::State::open && link.session.peer() == heard.greeting.session;
  if (known) return;
  const bool same = link.is_at(heard.address);
  // It has greeted, spoken and left since this rank looked last.
  if (link.peer_left() && link.state() == Link::State::greeting && same) return open(link, heard.greeting);
  // A peer that draws a new number carries out nothing more of what was sent under the old one.
  if (link.state() == Link::State::open || (link.state() == Link::State::greeting && !same)) {
    state_.give_up(link, {Code::peer_failed, "rank " + std::to_string(link.peer) + " has begun anew", Died::peer},
                   link.state() == Link::State::greeting);
    // To close the way by which the peer has just greeted would be a failure to the peer, which would greet again: and so on, for ever.
    const bool keeps_way =
        came_by_its_way && link.state() == Link::State::open && same && state_.transport->is_idle(*link.endpoint());
    if (keeps_way) {
      Endpoint& way = link.leave_endpoint();
      bury(link, true);
      link.begin(way, heard.address, util::now_ns());
    } else {
      lose(link, true);
    }
  }
  if (link.broken()) lose(link, true);
  if (link.state() != Link::State::greeting) {
    auto endpoint = state_.transport->open(heard.address, link);
    if (!endpoint.ok())
      return util::log(util::LogLevel::warning, "rank %u cannot answer rank %u: %s", state_.rank, link.peer,
                       endpoint.status().to_string().c_str());
    link.begin(**endpoint, heard.address, util::now_ns());
  }
  open(link, heard.greeting);
  greet(link, Greeting::Kind::welcome, heard.greeting.session);
}

void WireDevice::open(Link& link, const Greeting& greeting) {
  link.open(greeting.session);
  const std::int64_t now = util::now_ns();
  link.signs.meet(greeting.clock, greeting.lease, now);
  link.trust_closing(link.endpoint()->made() && state_.transport->tells_closing(*link.endpoint()));
  // It has begun anew as well, so what was sent under older numbers is refused there.
  for (Grave& grave : link.graves) grave.open_ns = 0;
  open_graves(link, now);
  flow(link);
}

// Once both the greeting has been heard and the endpoint is made, in whichever order.
void WireDevice::on_made(Addressee& owner, Endpoint& endpoint) {
  auto& link = static_cast<Link&>(owner);
  if (link.endpoint() != &endpoint) return;
  link.trust_closing(state_.transport->tells_closing(endpoint));
  flow(link);
}

void WireDevice::flow(Link& link) {
  if (!link.flows()) return;
  link.accesses.possible = state_.rma && (rma_wanted_ == Rma::on || state_.transport->reaches_memory(*link.endpoint()));
  // Frames may have come before, and could not be acknowledged.
  if (link.order.debt() != 0) acknowledger_.note_debt(link, Acknowledgement::now, Acknowledger::kDebtLimit);
  state_.dirty.add(link);
}

void WireDevice::greet(Link& link, Greeting::Kind kind, std::uint64_t answer_to) {
  const Greeting greeting{.kind = kind,
                          .source = state_.rank,
                          .target = link.peer,
                          .session = link.session.own(),
                          .answer_to = answer_to,
                          .clock = clock_ms(util::now_ns()),
                          .lease = state_.lease_ms};
  const auto bytes = encode(greeting, state_.transport->address(), secret_);
  Frame* frame = state_.frames.take();
  std::copy(bytes.begin(), bytes.end(), frame->bytes.begin());
  sender_.hand_over(link, Packet::greeting, *frame, {}, {frame->bytes.data(), bytes.size()});
}

void WireDevice::stranger(const char* what) {
  // The first, and then ever fewer: nobody shall fill a disk with lines.
  ++strangers_;
  if ((strangers_ & (strangers_ - 1)) == 0)
    util::log(util::LogLevel::warning, "rank %u dropped what a stranger or an earlier job sent: %s (%llu times so far)",
              state_.rank, what, static_cast<unsigned long long>(strangers_));
}

}  // namespace polder::device::wire
