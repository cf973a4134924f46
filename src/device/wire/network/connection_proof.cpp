#include "device/wire/network/connection_proof.hpp"

#include "device/wire/format/siphash.hpp"
#include "util/random.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace polder::device::wire {
namespace {

struct End {
  std::array<std::byte, 16> address{};
  std::uint16_t port = 0;
  std::uint16_t family = 0;
};
static_assert(sizeof(End) == 20);  // no padding: its bytes are hashed

using AskForName = int (*)(int, sockaddr*, socklen_t*);

// An IPv4 address is the same to both sides even where one of them sees it as an IPv6 one.
std::optional<End> end_of(int socket, AskForName ask) {
  sockaddr_storage name{};
  socklen_t bytes = sizeof name;
  if (ask(socket, reinterpret_cast<sockaddr*>(&name), &bytes) != 0) return {};
  End end;
  if (name.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &name, sizeof v4);
    end.address[10] = end.address[11] = std::byte{0xff};
    std::memcpy(end.address.data() + 12, &v4.sin_addr, 4);
    end.port = v4.sin_port;
  } else if (name.ss_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &name, sizeof v6);
    std::memcpy(end.address.data(), &v6.sin6_addr, 16);
    end.port = v6.sin6_port;
  } else {
    return {};
  }
  return end;
}

}  // namespace

std::optional<ConnectionProof> prove(int socket, std::uint64_t secret, ConnectionEnd end) {
  const bool calls = end == ConnectionEnd::caller;
  const auto caller = end_of(socket, calls ? ::getsockname : ::getpeername);
  const auto called = end_of(socket, calls ? ::getpeername : ::getsockname);
  if (!caller || !called) return {};
  const End ends[] = {*caller, *called};
  const std::uint64_t kind = util::mix(ConnectionProof::kMagic);
  return ConnectionProof{
      .seal = siphash({util::mix(secret ^ kind), util::mix(~secret ^ kind)}, std::as_bytes(std::span(ends)))};
}

ProofFound find_proof(int socket, std::uint64_t secret) {
  ConnectionProof said;
  const ssize_t bytes = ::recv(socket, &said, sizeof said, MSG_DONTWAIT);
  if (bytes <= 0) return ProofFound::none;  // a rank that has changed its mind, for example
  const auto right = prove(socket, secret, ConnectionEnd::called);
  const bool is_right =
      bytes == ssize_t(sizeof said) && right && said.magic == right->magic && said.seal == right->seal;
  return is_right ? ProofFound::right : ProofFound::wrong;
}

}  // namespace polder::device::wire
