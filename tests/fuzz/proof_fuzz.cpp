// Any first bytes of a connection: only the proof of this very connection is one. The input says whether it begins with that, and what
// is changed in it.
#include "device/wire/network/connection_proof.hpp"

#include "util/fd.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

using namespace polder;
using namespace polder::device::wire;

constexpr std::uint64_t kSecret = 0x1234'5678'9abc'def0;

void require(bool holds) {
  if (!holds) std::abort();
}

// Both ends of one connection of this process with itself.
struct Connection {
  Connection() {
    const util::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    require(::bind(listener.get(), name, size) == 0 && ::listen(listener.get(), 1) == 0);
    require(::getsockname(listener.get(), name, &size) == 0);
    caller = util::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    require(::connect(caller.get(), name, size) == 0);
    called = util::Fd(::accept(listener.get(), nullptr, nullptr));
    require(bool(called));
  }
  util::Fd caller, called;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Connection connection;
  if (size == 0) return 0;
  const auto right = prove(connection.caller.get(), kSecret, ConnectionEnd::caller);
  require(right.has_value());
  std::array<std::uint8_t, 64> said{};
  std::size_t bytes = std::min(size - 1, said.size());
  std::memcpy(said.data(), data + 1, bytes);
  // The first byte of the input: a proof lies under what the others are added to; bit 1: one that another secret made.
  if (data[0] & 1) {
    const auto proof = prove(connection.caller.get(), kSecret + (data[0] >> 1 & 1), ConnectionEnd::caller);
    std::array<std::uint8_t, sizeof *proof> under;
    std::memcpy(under.data(), &*proof, sizeof under);
    for (std::size_t i = 0; i < under.size(); ++i) said[i] ^= under[i];
    if (data[0] & 4) bytes = std::max(bytes, sizeof *proof);
  }
  const bool is_right = bytes >= sizeof *right && std::memcmp(said.data(), &*right, sizeof *right) == 0;
  require(bytes == 0 || ::send(connection.caller.get(), said.data(), bytes, MSG_NOSIGNAL) == ssize_t(bytes));
  const ProofFound found = find_proof(connection.called.get(), kSecret);
  require(found == (bytes == 0 ? ProofFound::none : is_right ? ProofFound::right : ProofFound::wrong));
  // What follows a proof is the library's, whole.
  std::array<std::uint8_t, 64> left;
  const ssize_t rest = ::recv(connection.called.get(), left.data(), left.size(), MSG_DONTWAIT);
  const std::size_t expected = bytes > sizeof *right ? bytes - sizeof *right : 0;
  require(expected == 0 ? rest <= 0 : rest == ssize_t(expected));
  require(expected == 0 || std::memcmp(left.data(), said.data() + sizeof *right, expected) == 0);
  return 0;
}
