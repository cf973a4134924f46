#include "wire/tcp_world.hpp"

#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {
namespace {

constexpr int kAttempts = 600;
constexpr useconds_t kPause_us = 50'000;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "bench-wire: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

addrinfo* resolve(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  const addrinfo hints{.ai_flags = 0,
                       .ai_family = AF_INET,
                       .ai_socktype = SOCK_STREAM,
                       .ai_protocol = 0,
                       .ai_addrlen = 0,
                       .ai_addr = nullptr,
                       .ai_canonname = nullptr,
                       .ai_next = nullptr};
  addrinfo* found = nullptr;
  if (colon == std::string::npos ||
      getaddrinfo(place.substr(0, colon).c_str(), place.substr(colon + 1).c_str(), &hints, &found) != 0) {
    std::fprintf(stderr, "bench-wire: '%s' is no host:port of this network\n", place.c_str());
    std::exit(1);
  }
  return found;
}

int new_socket() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) fail("socket");
  return made;
}

int wait_for_other(const addrinfo& at) {
  const int listener = new_socket();
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const timeval limit{kAttempts * kPause_us / 1'000'000, 0};
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (bind(listener, at.ai_addr, at.ai_addrlen) != 0 || listen(listener, 1) != 0) fail("listen");
  const int met = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (met < 0) fail("nobody connected");
  close(listener);
  return met;
}

int go_to_other(const addrinfo& at) {
  for (int i = 0; i < kAttempts; ++i) {
    const int made = new_socket();
    if (connect(made, at.ai_addr, at.ai_addrlen) == 0) return made;
    close(made);
    usleep(kPause_us);
  }
  fail("connect");
}

}  // namespace

TcpWorld::TcpWorld(int rank, const std::string& place) : rank_(rank) {
  addrinfo* at = resolve(place);
  socket_ = rank == 0 ? wait_for_other(*at) : go_to_other(*at);
  freeaddrinfo(at);
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

TcpWorld::~TcpWorld() {
  close(socket_);
}

void TcpWorld::barrier() {
  largest(0);
}

std::uint64_t TcpWorld::from_zero(std::uint64_t value) {
  auto* bytes = reinterpret_cast<std::byte*>(&value);
  rank_ == 0 ? send(bytes, sizeof value) : receive(bytes, sizeof value);
  return value;
}

std::uint64_t TcpWorld::largest(std::uint64_t value) {
  std::uint64_t other = 0;
  send(reinterpret_cast<std::byte*>(&value), sizeof value);
  receive(reinterpret_cast<std::byte*>(&other), sizeof other);
  return std::max(value, other);
}

void TcpWorld::send(const std::byte* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = ::send(socket_, data, bytes, MSG_NOSIGNAL);
    if (sent <= 0 && errno != EINTR) fail("send");
    if (sent <= 0) continue;
    data += sent;
    bytes -= std::size_t(sent);
  }
}

void TcpWorld::receive(std::byte* data, std::size_t bytes) {
  receive_with(0, data, bytes);
}

void TcpWorld::receive_polling(std::byte* data, std::size_t bytes) {
  receive_with(MSG_DONTWAIT, data, bytes);
}

void TcpWorld::receive_with(int flags, std::byte* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = recv(socket_, data, bytes, flags);
    if (got == 0) errno = ECONNRESET;
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) fail("receive");
    if (got < 0) continue;
    data += got;
    bytes -= std::size_t(got);
  }
}

}  // namespace bench
