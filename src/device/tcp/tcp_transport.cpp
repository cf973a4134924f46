#include "device/tcp/tcp_transport.hpp"

#include "util/deadline.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace polder::device::tcp {
namespace {

using Stage = Connection::Stage;

constexpr std::size_t kSpareBytes = std::size_t{64} << 10;
constexpr int kEventsAtOnce = 16;
constexpr std::size_t kFew = 2;            // connections that are read from without asking
constexpr std::uint32_t kLooksToAsk = 32;  // then: after so many the set is asked for the rest
constexpr std::uint32_t kLooksToLookAfter = 4096;

}  // namespace

TcpTransport::TcpTransport(TransportEvents& events, std::uint64_t secret)
    : events_(events), secret_(secret), spare_(std::make_unique_for_overwrite<std::byte[]>(kSpareBytes)) {}

TcpTransport::~TcpTransport() = default;

Result<std::unique_ptr<wire::Transport>> TcpTransport::create(TransportEvents& events, std::uint64_t secret) {
  std::unique_ptr<TcpTransport> transport(new TcpTransport(events, secret));
  transport->set_ = util::Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!transport->set_) return Status(Code::system, std::string("tcp: epoll: ") + std::strerror(errno));
  if (Status status = transport->listen(); !status.ok()) return status;
  return std::unique_ptr<wire::Transport>(std::move(transport));
}

// ---- endpoints ----

Result<wire::Endpoint*> TcpTransport::open(std::span<const std::byte> address, Addressee& owner) {
  const auto peer = read_addresses(address);
  if (!peer) return Status(Code::peer_failed, "no way to its address", Died::peer);
  auto made = std::make_unique<TcpEndpoint>(*peer, owner);
  if (Connection* arrival = find_arrival(*peer)) {
    made->way = arrival;
    made->is_called = true;
    arrival->endpoint = made.get();
  } else {
    made->untried = in_order_of_calls(*peer, own_);
    if (!call_next(*made))
      return Status(Code::peer_failed, std::string("no way to its address: ") + std::strerror(errno), Died::peer);
  }
  endpoints_.push_back(std::move(made));
  return static_cast<wire::Endpoint*>(endpoints_.back().get());
}

void TcpTransport::close(wire::Endpoint& closed) {
  auto& endpoint = static_cast<TcpEndpoint&>(closed);
  for (const auto& connection : connections_)
    if (connection->endpoint == &endpoint) {
      connection->endpoint = nullptr;
      connection->end("closed");
    }
  any_ended_ = true;
  remove_ended();
  std::erase_if(endpoints_, [&](const auto& one) { return one.get() == &endpoint; });
}

bool TcpTransport::is_idle(const wire::Endpoint& asked) const {
  Connection* const way = static_cast<const TcpEndpoint&>(asked).way;
  return way != nullptr && way->stage() == Stage::open && !way->has_waiting();
}

wire::Transport::Sent TcpTransport::send(wire::Endpoint& to, Packet kind, std::span<const std::byte> header,
                                         std::span<const std::byte> data, Addressee& buffer) {
  auto& endpoint = static_cast<TcpEndpoint&>(to);
  if (endpoint.way == nullptr) return Sent::refused;
  const Sent sent = endpoint.way->send(kind, header, data, buffer);
  // One that the set has forgotten is tried again by the thread that polls, and watched before one sleeps.
  if (sent == Sent::later && endpoint.way->is_watched && !endpoint.way->is_blocked) watch(*endpoint.way);
  if (sent == Sent::refused) {
    endpoint.way = nullptr;  // it has ended, and goes with the next that are removed
    any_ended_ = true;
  }
  return sent;
}

// ---- what has come ----

// One look, however many are asked for: each is a system call, which costs more than what is around it.
bool TcpTransport::progress(int) {
  const bool some = look();
  if (any_ended_) remove_ended();
  return some;
}

bool TcpTransport::look() {
  if (++looks_ % kLooksToLookAfter == 0) look_after_calls();
  if (connections_.size() > kFew || connections_.empty()) {
    if (std::exchange(any_forgotten_, false)) watch_all();
    return look_at_all();
  }
  const bool some = look_at_few();
  return looks_ % kLooksToAsk == 0 ? look_at_all() || some : some;
}

bool TcpTransport::look_at_few() {
  bool some = false;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = *connections_[i];
    if (connection.stage() != Stage::open && connection.stage() != Stage::ended) return look_at_all();
    if (connection.has_waiting()) some = connection.flush() || some;
    some = read(connection) || some;
    if (connection.is_watched && connection.stage() == Stage::open && sleepers_.load(std::memory_order_relaxed) == 0)
      forget(connection);
  }
  return some;
}

bool TcpTransport::look_at_all() {
  epoll_event ready[kEventsAtOnce];
  const int count = ::epoll_wait(set_.get(), ready, kEventsAtOnce, 0);
  bool some = false;
  for (int i = 0; i < count; ++i) {
    if (ready[i].data.ptr == nullptr)
      answer_calls();
    else
      some = serve(*static_cast<Connection*>(ready[i].data.ptr), ready[i].events) || some;
  }
  return some;
}

bool TcpTransport::serve(Connection& connection, std::uint32_t events) {
  if (connection.stage() != Stage::open && connection.stage() != Stage::ended) {
    shake_hands(connection);
    return true;
  }
  const bool has_left = (events & EPOLLOUT) != 0 && connection.flush();
  const bool has_come = read(connection);
  if (connection.is_blocked && !connection.has_waiting()) watch(connection);
  return has_left || has_come;
}

// One that has ended on the way, perhaps while something was sent, is noted here.
bool TcpTransport::read(Connection& connection) {
  read_ = &connection;
  const bool some = connection.stage() == Stage::open && connection.receive(*this, {spare_.get(), kSpareBytes});
  if (connection.stage() == Stage::ended) note_ended(connection);
  return some;
}

std::byte* TcpTransport::place_of(const PacketHead& head, std::span<const std::byte> header) {
  return head.kind == std::uint8_t(Packet::frame) ? events_.place_of(header, head.data_bytes()) : nullptr;
}

void TcpTransport::on_packet(const PacketHead& head, std::span<const std::byte> header,
                             std::span<const std::byte> data) {
  if (head.kind == std::uint8_t(Packet::frame))
    events_.on_frame(header, data);
  else
    events_.on_greeting(data, read_->endpoint == nullptr ? nullptr : read_->endpoint->owner);
}

// It works no more: what it was to the transport, and to an endpoint.
void TcpTransport::note_ended(Connection& connection) {
  any_ended_ = true;
  TcpEndpoint* const endpoint = connection.endpoint;
  if (endpoint == nullptr) return;
  const bool was_way = endpoint->way == &connection;
  if (was_way) endpoint->way = nullptr;
  if (!connection.has_been_open()) call_next(*endpoint);
  if (!was_way) return;
  if (endpoint->way == nullptr) endpoint->way = find_call(*endpoint);
  if (endpoint->way != nullptr)
    connection.hand_waiting_to(*endpoint->way);
  else
    endpoint->owner->events->on_broken(*endpoint->owner, *endpoint, connection.why().c_str());
}

// Not while one of them may be in use further up the stack.
void TcpTransport::remove_ended() {
  any_ended_ = false;
  const auto has_ended = [](const auto& connection) { return connection->stage() == Stage::ended; };
  for (const auto& connection : connections_)
    if (has_ended(connection)) hang_up(*connection);
  std::erase_if(connections_, has_ended);
  rest_listeners(false);
}

// To close it is not enough where a child of this process has its file as well: the set would go on telling of it, and the peer not
// hear that it is over.
void TcpTransport::hang_up(Connection& connection) {
  if (connection.is_watched) ::epoll_ctl(set_.get(), EPOLL_CTL_DEL, connection.socket(), nullptr);
  ::shutdown(connection.socket(), SHUT_RDWR);
}

Connection& TcpTransport::add(util::Fd socket, Stage stage, const RankAddresses& peer) {
  connections_.push_back(std::make_unique<Connection>(std::move(socket), stage, peer));
  connections_.back()->since_ns = util::coarse_now_ns();
  watch(*connections_.back());
  return *connections_.back();
}

// For what comes, and for room where something waits.
void TcpTransport::watch(Connection& connection) {
  const bool wants_room =
      connection.stage() == Stage::connecting || (connection.stage() == Stage::open && connection.has_waiting());
  connection.note_only_polled(false);
  epoll_event event{};
  event.events = EPOLLIN | (wants_room ? EPOLLOUT : 0u);
  event.data.ptr = &connection;
  ::epoll_ctl(set_.get(), connection.is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, connection.socket(), &event);
  connection.is_watched = true;
  connection.is_blocked = wants_room;
}

// Until somebody wants to sleep: telling the set of each packet takes the kernel longer than some of the rest.
void TcpTransport::forget(Connection& connection) {
  ::epoll_ctl(set_.get(), EPOLL_CTL_DEL, connection.socket(), nullptr);
  connection.note_only_polled(true);
  connection.is_watched = connection.is_blocked = false;
  any_forgotten_ = true;
}

void TcpTransport::watch_all() {
  for (const auto& connection : connections_)
    if (connection->stage() != Stage::ended &&
        (!connection->is_watched || (connection->has_waiting() && !connection->is_blocked)))
      watch(*connection);
}

bool TcpTransport::arm() {
  watch_all();
  look_after_calls();
  if (any_ended_) return false;
  sleepers_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace polder::device::tcp
