// How connections come about: a rank listens, calls others and is called by them.
#include "device/tcp/options.hpp"
#include "device/tcp/tcp_transport.hpp"
#include "device/wire/network/pacing.hpp"
#include "util/deadline.hpp"
#include "util/log.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace polder::device::tcp {
namespace {

using Stage = Connection::Stage;

constexpr int kBacklog = 4096;  // ranks that call at the same time; the kernel makes less of it
constexpr int kCallsAtOnce = 64;
constexpr std::int64_t kPatience_ns = 10'000'000'000;  // with a caller that does not say its call
constexpr std::size_t kMostSilent = 256;
constexpr std::int64_t kListenersRest_ns = 100'000'000;
// With an address before the next one is called as well (RFC 8305 recommends this long).
constexpr std::int64_t kCallPatience_ns = 250'000'000;

constexpr int kFlags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

void set(int socket, int option, int value) {
  ::setsockopt(socket, IPPROTO_TCP, option, &value, sizeof value);
}

void pace(int socket) {
  static const std::string wish = congestion_option();
  static std::atomic<bool> told{false};
  if (!wire::pace(socket, wish) && !told.exchange(true))
    util::log(util::LogLevel::warning, "the kernel allows no congestion control '%s' (%s)", wish.c_str(),
              wire::kCongestion.name);
}

// At the same place in the names of both families.
std::uint16_t port_of(const sockaddr_storage& name) {
  sockaddr_in v4;
  std::memcpy(&v4, &name, sizeof v4);
  return v4.sin_port;
}

Status failed(const char* operation) {
  return {Code::system, std::string("tcp: ") + operation + ": " + std::strerror(errno)};
}

}  // namespace

// ---- listening ----

// Once for each of its addresses, so that nobody can call by another network.
Status TcpTransport::listen() {
  const auto networks = own_addresses(devices_option());
  if (!networks.ok()) return networks.status();
  const auto ports = ports_option();
  if (!ports.ok()) return ports.status();
  Status failure;
  for (NetworkAddress address : networks->used()) {
    Status status = listen_at(address, *ports);
    if (status.ok())
      own_.all[own_.count++] = address;
    else
      failure = std::move(status);
  }
  if (own_.count == 0) return failure;
  const auto all = own_.bytes();
  address_.assign(all.begin(), all.end());
  return {};
}

// Its port is that of the listener then.
Status TcpTransport::listen_at(NetworkAddress& address, const Ports& ports) {
  for (unsigned port = ports.first; port <= ports.last; ++port) {
    address.port = htons(std::uint16_t(port));
    sockaddr_storage name;
    socklen_t bytes = address.name(name);
    util::Fd listener(::socket(name.ss_family, kFlags, 0));
    if (!listener) return failed("making a socket");
    pace(listener.get());
    // The kernel keeps a connection to itself until its first bytes are there: silent ones never get further.
    set(listener.get(), TCP_DEFER_ACCEPT, int(kPatience_ns / 1'000'000'000));
    auto* const any = reinterpret_cast<sockaddr*>(&name);
    const bool listens = ::bind(listener.get(), any, bytes) == 0 && ::listen(listener.get(), kBacklog) == 0;
    if (!listens && errno == EADDRINUSE) continue;
    if (!listens || ::getsockname(listener.get(), any, &bytes) != 0) return failed("listening");
    address.port = port_of(name);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = nullptr;
    if (::epoll_ctl(set_.get(), EPOLL_CTL_ADD, listener.get(), &event) != 0) return failed("epoll");
    listeners_.push_back(std::move(listener));
    return {};
  }
  return {Code::system, "tcp: no port is free among those of " + std::string(kPortsName)};
}

void TcpTransport::answer_calls() {
  drop_silent();
  for (const util::Fd& listener : listeners_) answer_calls_at(listener.get());
}

void TcpTransport::answer_calls_at(int listener) {
  for (int i = 0; i < kCallsAtOnce; ++i) {
    util::Fd socket(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      const bool is_full = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      if (is_full) rest_listeners(true);
      return;
    }
    set(socket.get(), TCP_NODELAY, 1);
    Connection& connection = add(std::move(socket), Stage::called, {});
    shake_hands(connection);
  }
}

// While this process can have no more files, callers must not keep waking it. It looks again when a connection has ended, and every
// now and then: what was short may be had again by then without that.
void TcpTransport::rest_listeners(bool rest) {
  if (rest) rest_since_ns_ = util::coarse_now_ns();
  if (rest == listeners_rest_) return;
  if (rest && !std::exchange(has_told_of_rest_, true))
    util::log(util::LogLevel::warning,
              "tcp: this process can have no more files: ranks that call must wait (ulimit -n)");
  listeners_rest_ = rest;
  epoll_event event{};
  event.events = rest ? 0u : std::uint32_t{EPOLLIN};
  event.data.ptr = nullptr;
  for (const util::Fd& listener : listeners_) ::epoll_ctl(set_.get(), EPOLL_CTL_MOD, listener.get(), &event);
}

// What nobody tells of: that time has passed.
void TcpTransport::look_after_calls() {
  if (listeners_rest_ && util::coarse_now_ns() - rest_since_ns_ > kListenersRest_ns) rest_listeners(false);
  drop_silent();
  call_on();
}

// Callers that say nothing.
void TcpTransport::drop_silent() {
  const std::int64_t now = util::coarse_now_ns();
  const auto is_silent = [](const auto& connection) { return connection->stage() == Stage::called; };
  auto silent = std::size_t(std::ranges::count_if(connections_, is_silent));
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = *connections_[i];
    const std::int64_t age = now - connection.since_ns;
    if (is_silent(connections_[i]) && (silent > kMostSilent || age > kPatience_ns)) {
      --silent;
      connection.end("its caller says nothing");
      any_ended_ = true;
    }
  }
}

// ---- calling ----

// A peer that does not answer at one address is called at the next one, too, and not given up at the first: it may be busy, and the
// other address may be that of another network, which its host cannot be reached by.
void TcpTransport::call_on() {
  const std::int64_t now = util::coarse_now_ns();
  for (const auto& endpoint : endpoints_) {
    const bool is_unanswered = endpoint->way != nullptr && !endpoint->way->has_been_open();
    if (is_unanswered && now - endpoint->called_ns > kCallPatience_ns) call_next(*endpoint);
  }
}

// False: no address is left; errno says what the last one failed with.
bool TcpTransport::call_next(TcpEndpoint& endpoint) {
  while (!endpoint.untried.empty()) {
    const NetworkAddress address = endpoint.untried.front();
    endpoint.untried.erase(endpoint.untried.begin());
    sockaddr_storage name;
    const socklen_t bytes = address.name(name);
    util::Fd socket(::socket(name.ss_family, kFlags, 0));
    if (!socket) continue;
    set(socket.get(), TCP_NODELAY, 1);
    pace(socket.get());
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), bytes) != 0 && errno != EINPROGRESS) continue;
    Connection& call = add(std::move(socket), Stage::connecting, endpoint.peer);
    call.endpoint = &endpoint;
    endpoint.called_ns = call.since_ns;
    if (endpoint.way == nullptr) endpoint.way = &call;
    return true;
  }
  return false;
}

void TcpTransport::shake_hands(Connection& connection) {
  CallVerdict heard = CallVerdict::right;
  if (connection.stage() == Stage::connecting) {
    if (connection.say_call(secret_, own_)) watch(connection);
  } else if (connection.stage() == Stage::calling) {
    if (connection.hear_answer(secret_)) use(connection, *connection.endpoint);
  } else if (connection.stage() == Stage::called) {
    connection.hear_call(secret_, own_, heard);
  } else if (connection.hear_confirmation()) {
    meet(connection);
  }
  if (connection.stage() != Stage::ended) return;
  if (heard == CallVerdict::stranger) note_stranger();
  note_ended(connection);
}

// The first, and then ever fewer: nobody shall fill a disk with lines.
void TcpTransport::note_stranger() {
  ++strangers_;
  if ((strangers_ & (strangers_ - 1)) == 0)
    util::log(util::LogLevel::warning,
              "dropped a connection of a stranger or an earlier job: it has no proof of this job's secret (%llu times "
              "so far)",
              static_cast<unsigned long long>(strangers_));
}

// Both have called each other at the same time. A call that was not answered yet is dropped, for its peer does not send by it either. Of two
// that were, both keep the call of the one whose address is the lower; nothing but an answer has come over the other then.
void TcpTransport::meet(Connection& connection) {
  const bool is_higher = std::ranges::lexicographical_compare(connection.peer().bytes(), own_.bytes());
  const auto gives_way = [&](const auto& endpoint) {
    if (!(endpoint->peer == connection.peer()) || endpoint->way == nullptr || endpoint->is_called) return false;
    return !endpoint->way->has_been_open() || (is_higher && !endpoint->way->has_received());
  };
  const auto found = std::ranges::find_if(endpoints_, gives_way);
  if (found == endpoints_.end() || connection.has_hung_up()) return;
  (*found)->is_called = true;
  use(connection, **found);
}

// The endpoint sends by it from now on. Whatever else it called or sent by ends, and what has not begun to leave there goes by this one.
void TcpTransport::use(Connection& connection, TcpEndpoint& endpoint) {
  endpoint.way = &connection;
  endpoint.untried.clear();
  connection.endpoint = &endpoint;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& other = *connections_[i];
    if (other.endpoint != &endpoint || &other == &connection) continue;
    other.hand_waiting_to(connection);
    if (other.has_waiting()) continue;  // it ends with the endpoint
    other.endpoint = nullptr;
    other.end("another one is used");
    any_ended_ = true;
  }
  watch(connection);
}

// One of its addresses that has not answered yet.
Connection* TcpTransport::find_call(const TcpEndpoint& endpoint) {
  const auto calls = [&](const auto& one) {
    return one->endpoint == &endpoint && (one->stage() == Stage::connecting || one->stage() == Stage::calling);
  };
  const auto found = std::ranges::find_if(connections_, calls);
  return found == connections_.end() ? nullptr : found->get();
}

// One by which that peer has called, and which no endpoint uses: the latest that it has not closed again.
Connection* TcpTransport::find_arrival(const RankAddresses& peer) {
  for (auto at = connections_.rbegin(); at != connections_.rend(); ++at) {
    Connection& connection = **at;
    if (connection.stage() == Stage::open && connection.endpoint == nullptr && connection.peer() == peer &&
        !connection.has_hung_up())
      return &connection;
  }
  return nullptr;
}

}  // namespace polder::device::tcp
