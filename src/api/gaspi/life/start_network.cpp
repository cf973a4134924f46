#include "api/gaspi/life/start_network.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sys/time.h>
#include <algorithm>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

namespace polder::gaspi {
namespace {

constexpr auto kConnectNap = std::chrono::milliseconds(50);
// What comes in at rank 0 and does not say at once who it is, is a stranger.
constexpr auto kGreetingPatience = std::chrono::seconds(1);

struct Greeting {
  char magic[8] = {'p', 'o', 'l', 'd', 'e', 'r', 's', 'n'};
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  char key[64] = {};
};

Greeting greeting_of(const StartFile& start) {
  Greeting greeting;
  greeting.rank = start.rank;
  greeting.size = start.size;
  std::memcpy(greeting.key, start.key.data(), std::min(start.key.size(), sizeof greeting.key));
  return greeting;
}

bool belongs(const Greeting& guest, const Greeting& own) {
  return std::memcmp(guest.magic, own.magic, sizeof own.magic) == 0 && guest.size == own.size && guest.rank > 0 &&
         guest.rank < own.size && std::memcmp(guest.key, own.key, sizeof own.key) == 0;
}

// Waits until the socket is ready for `events`.
Status ready(int socket, short events, const api::Deadline& deadline) {
  while (true) {
    pollfd entry{socket, events, 0};
    const int found = poll(&entry, 1, int(std::chrono::milliseconds(kConnectNap).count()));
    if (found > 0) return {};
    if (found < 0 && errno != EINTR) return {Code::system, std::string("start-up network: ") + std::strerror(errno)};
    if (deadline.over()) return Code::timeout;
  }
}

Status gone() {
  return {Code::peer_failed, "start-up network: a rank has gone before all had met"};
}

Status send_all(int socket, std::span<const std::byte> bytes, const api::Deadline& deadline) {
  while (!bytes.empty()) {
    if (Status status = ready(socket, POLLOUT, deadline); !status.ok()) return status;
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return gone();
    if (sent > 0) bytes = bytes.subspan(std::size_t(sent));
  }
  return {};
}

Status receive_all(int socket, std::span<std::byte> bytes, const api::Deadline& deadline) {
  while (!bytes.empty()) {
    if (Status status = ready(socket, POLLIN, deadline); !status.ok()) return status;
    const ssize_t got = recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return gone();
    if (got > 0) bytes = bytes.subspan(std::size_t(got));
  }
  return {};
}

// Of all addresses of this host.
Result<int> listen_at(const std::string& port) {
  const int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  const int off = 0;
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(std::uint16_t(std::atoi(port.c_str())));
  address.sin6_addr = in6addr_any;
  (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  (void)setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  const auto* const place = reinterpret_cast<const sockaddr*>(&address);
  if (listener >= 0 && bind(listener, place, sizeof address) == 0 && listen(listener, SOMAXCONN) == 0) return listener;
  const Status status(Code::system, "start-up network: port " + port +
                                        " of this host (sn_port, GASPI_SN_PORT): " + std::strerror(errno));
  if (listener >= 0) close(listener);
  return status;
}

// -1: not yet there, or no such host.
int connect_to(const std::string& host, const std::string& port) {
  addrinfo wanted{};
  addrinfo* found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) != 0) return -1;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  for (; found != nullptr; found = found->ai_next) {
    const int guest = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 1, .tv_usec = 0};  // of connect(), too
    if (guest >= 0) (void)setsockopt(guest, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (guest >= 0 && connect(guest, found->ai_addr, found->ai_addrlen) == 0) return guest;
    if (guest >= 0) close(guest);
  }
  return -1;
}

template <class Object>
std::span<std::byte> bytes_of(Object& object) {
  return std::as_writable_bytes(std::span(&object, 1));
}

}  // namespace

Result<std::unique_ptr<StartNetwork>> StartNetwork::meet(const StartFile& start, const api::Deadline& deadline) {
  std::unique_ptr<StartNetwork> network(new StartNetwork(start, deadline));
  Status status = start.rank == 0 ? network->invite() : network->visit();
  if (!status.ok()) return status;
  return network;
}

StartNetwork::~StartNetwork() {
  for (const int socket : sockets_)
    if (socket >= 0) close(socket);
}

Status StartNetwork::invite() {
  auto listener = listen_at(start_.port);
  if (!listener.ok()) return std::move(listener).status();
  const Greeting own = greeting_of(start_);
  sockets_.assign(start_.size, -1);
  Status status;
  for (Rank missing = start_.size - 1; missing > 0 && status.ok();) {
    status = ready(*listener, POLLIN, deadline_);
    const int guest = status.ok() ? accept4(*listener, nullptr, nullptr, SOCK_CLOEXEC) : -1;
    if (guest < 0) continue;
    Greeting greeting{};
    const bool said = receive_all(guest, bytes_of(greeting), api::Deadline(kGreetingPatience)).ok();
    if (said && belongs(greeting, own) && sockets_[greeting.rank] < 0) {
      sockets_[greeting.rank] = guest;
      --missing;
    } else {
      close(guest);
    }
  }
  close(*listener);
  return status;
}

Status StartNetwork::visit() {
  int host = -1;
  while ((host = connect_to(start_.first_host, start_.port)) < 0) {
    if (deadline_.over()) return Code::timeout;
    std::this_thread::sleep_for(kConnectNap);
  }
  sockets_ = {host};
  Greeting greeting = greeting_of(start_);
  return send_all(host, bytes_of(greeting), deadline_);
}

Exchange StartNetwork::exchange() {
  return {.rank = start_.rank, .size = start_.size, .allgather = [this](auto mine, auto all) {
            return allgather(mine, all);
          }};
}

Status StartNetwork::allgather(std::span<const std::byte> mine, std::span<std::byte> all) {
  if (start_.rank == 0) return gather_here(mine, all);
  if (Status status = send_all(sockets_[0], mine, deadline_); !status.ok()) return status;
  return receive_all(sockets_[0], all, deadline_);
}

Status StartNetwork::gather_here(std::span<const std::byte> mine, std::span<std::byte> all) {
  std::ranges::copy(mine, all.begin());
  for (Rank rank = 1; rank < start_.size; ++rank) {
    Status status = receive_all(sockets_[rank], all.subspan(rank * mine.size(), mine.size()), deadline_);
    if (!status.ok()) return status;
  }
  for (Rank rank = 1; rank < start_.size; ++rank) {
    if (Status status = send_all(sockets_[rank], all, deadline_); !status.ok()) return status;
  }
  return {};
}

}  // namespace polder::gaspi
