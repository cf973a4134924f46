#include "device/wire/peers/greeter.hpp"

#include "util/deadline.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <string>

namespace polder::device::wire {
namespace {

constexpr std::size_t kGreetingsAtOnce = 4096;

}  // namespace

Status Greeter::reach(Link& link, std::span<const std::byte> address) {
  const bool same = link.is_at(address);
  const bool alive = link.lives() && !link.broken();
  if (alive && same) {
    link.want(true);
    return {};
  }
  if (alive)
    state_.give_up(link, {Code::peer_failed, "rank " + std::to_string(link.peer) + " has begun anew", Died::peer},
                   true);
  if (link.broken()) parts_.undertaker.lose(link, alive);
  auto endpoint = state_.transport->open(address, link);
  if (!endpoint.ok())
    return {endpoint.status().code(),
            state_.name + ": connect of rank " + std::to_string(state_.rank) + " to rank " + std::to_string(link.peer) +
                ": " + std::string(endpoint.status().message()),
            Died::peer};
  link.begin(**endpoint, address, util::now_ns());
  link.want(true);
  greet(link, Greeting::Kind::hello, 0);
  return {};
}

void Greeter::note(std::span<const std::byte> greeting, const Link* over) {
  state_.has_arrived = true;
  if (noted_.size() >= kGreetingsAtOnce) return;
  noted_.push_back({{greeting.begin(), greeting.end()}, over, over == nullptr ? 0 : over->incarnation()});
}

void Greeter::answer_all() {
  // More may come while these are answered: a rank that greets itself.
  for (std::size_t i = 0; i < noted_.size(); ++i) {
    const Noted noted = std::move(noted_[i]);
    auto heard = decode(noted.bytes, secret_);
    if (heard.ok())
      hear(*heard, noted);
    else
      parts_.strangers.drop(std::string(heard.status().message()).c_str());
  }
  noted_.clear();
}

void Greeter::hear(const Heard& heard, const Noted& noted) {
  const Greeting& greeting = heard.greeting;
  if (greeting.target != state_.rank || greeting.source >= state_.size)
    return parts_.strangers.drop("a greeting for another rank");
  Link& link = state_.links.of(greeting.source);
  const bool came_by_its_way = noted.over == &link && noted.incarnation == link.incarnation();
  if (greeting.kind == Greeting::Kind::hello) return on_hello(link, heard, came_by_its_way);
  // An answer to an older greeting means nothing any more.
  if (link.state() == Link::State::greeting && greeting.answer_to == link.session.own()) open(link, greeting);
}

void Greeter::on_hello(Link& link, const Heard& heard, bool came_by_its_way) {
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
      parts_.undertaker.bury(link, true);
      link.begin(way, heard.address, util::now_ns());
    } else {
      parts_.undertaker.lose(link, true);
    }
  }
  if (link.broken()) parts_.undertaker.lose(link, true);
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

void Greeter::open(Link& link, const Greeting& greeting) {
  link.open(greeting.session);
  const std::int64_t now = util::now_ns();
  link.signs.meet(greeting.clock, greeting.lease, now);
  link.trust_closing(link.endpoint()->made() && state_.transport->tells_closing(*link.endpoint()));
  // It has begun anew as well, so what was sent under older numbers is refused there.
  for (Grave& grave : link.graves) grave.open_ns = 0;
  parts_.undertaker.open_graves(link, now);
  flow(link);
}

// Once both the greeting has been heard and the endpoint is made, in whichever order.
void Greeter::on_made(Link& link, const Endpoint& endpoint) {
  if (link.endpoint() != &endpoint) return;
  link.trust_closing(state_.transport->tells_closing(endpoint));
  flow(link);
}

void Greeter::flow(Link& link) {
  if (!link.flows()) return;
  link.accesses.possible = state_.rma && (rma_ == Rma::on || state_.transport->reaches_memory(*link.endpoint()));
  // Frames may have come before, and could not be acknowledged.
  if (link.order.debt() != 0) parts_.acknowledger.note_debt(link, Acknowledgement::now, Acknowledger::kDebtLimit);
  state_.dirty.add(link);
}

void Greeter::greet(Link& link, Greeting::Kind kind, std::uint64_t answer_to) {
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
  parts_.sender.hand_over(link, Packet::greeting, *frame, {}, {frame->bytes.data(), bytes.size()});
}

}  // namespace polder::device::wire
