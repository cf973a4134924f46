#include "api/gaspi/life/start_network.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sys/time.h>
#include <algorithm>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace polder::gaspi {
namespace {

constexpr auto kConnectNap = std::chrono::milliseconds(50);
// What comes in at rank 0 and does not say at once who it is, is a stranger.
constexpr auto kGreetingPatience = std::chrono::seconds(1);

// What rank 0 says when all have come.
constexpr std::array kBegin = {std::byte{'b'}};

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

Status no_port(const std::string& port, const std::string& why) {
  return {Code::system, "start-up network: port " + port + " of this host (sn_port, GASPI_SN_PORT): " + why};
}

// Listens at `place`; -1, and errno.
int listen_at(const sockaddr* place, socklen_t bytes) {
  const int listener = socket(place->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -1;
  const int on = 1;
  const int off = 0;
  (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (place->sa_family == AF_INET6) (void)setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (bind(listener, place, bytes) == 0 && listen(listener, SOMAXCONN) == 0) return listener;
  const int why = errno;
  close(listener);
  errno = why;
  return -1;
}

// Of all addresses of this host; of its IPv4 ones alone where the kernel has no other.
Result<int> listen_at(const std::string& port) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size() || number == 0)
    return no_port(port, "expected a number in 1 .. 65535");
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(number);
  any.sin6_addr = in6addr_any;
  int listener = listen_at(reinterpret_cast<const sockaddr*>(&any), sizeof any);
  if (listener < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)) {
    sockaddr_in old{};
    old.sin_family = AF_INET;
    old.sin_port = htons(number);
    old.sin_addr.s_addr = htonl(INADDR_ANY);
    listener = listen_at(reinterpret_cast<const sockaddr*>(&old), sizeof old);
  }
  if (listener >= 0) return listener;
  return no_port(port, std::strerror(errno));
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

Status StartNetwork::meet(const api::Deadline& deadline) {
  return start_.rank == 0 ? invite(deadline) : visit(deadline);
}

StartNetwork::~StartNetwork() {
  if (listener_ >= 0) close(listener_);
  for (const int socket : sockets_)
    if (socket >= 0) close(socket);
}

Status StartNetwork::invite(const api::Deadline& deadline) {
  if (listener_ < 0) {
    auto listener = listen_at(start_.port);
    if (!listener.ok()) return std::move(listener).status();
    listener_ = *listener;
    sockets_.assign(start_.size, -1);
  }
  while (std::ranges::count(sockets_, -1) > 1) {
    if (Status status = ready(listener_, POLLIN, deadline); !status.ok()) return status;
    admit();
    if (deadline.over() && std::ranges::count(sockets_, -1) > 1) return Code::timeout;
  }
  for (Rank rank = 1; rank < start_.size; ++rank)
    if (!send_all(sockets_[rank], kBegin, api::Deadline(kGreetingPatience)).ok()) return gone();
  close(std::exchange(listener_, -1));
  return {};
}

// One who has come. Where there is no descriptor for it, or it has gone again, there may be later.
void StartNetwork::admit() {
  const int guest = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (guest < 0) {
    std::this_thread::sleep_for(kConnectNap);
    return;
  }
  const Greeting own = greeting_of(start_);
  Greeting greeting{};
  const bool said = receive_all(guest, bytes_of(greeting), api::Deadline(kGreetingPatience)).ok();
  if (said && belongs(greeting, own) && sockets_[greeting.rank] < 0)
    sockets_[greeting.rank] = guest;
  else
    close(guest);
}

// Rank 0 hangs up on one that was slow to say who it is: that one comes again.
Status StartNetwork::visit(const api::Deadline& deadline) {
  while (true) {
    if (sockets_.empty()) {
      if (const int host = connect_to(start_.first_host, start_.port); host >= 0) {
        sockets_ = {host};
        Greeting greeting = greeting_of(start_);
        (void)send_all(host, bytes_of(greeting), api::Deadline(kGreetingPatience));  // it fits into any socket
      }
    }
    if (!sockets_.empty()) {
      std::byte said{};
      Status status = receive_all(sockets_[0], {&said, 1}, deadline);
      if (status.ok() || status.timed_out()) return status;
      close(sockets_[0]);
      sockets_.clear();
    }
    if (deadline.over()) return Code::timeout;
    std::this_thread::sleep_for(kConnectNap);
  }
}

Exchange StartNetwork::exchange(Timeout patience) {
  deadline_ = api::Deadline(patience);
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
