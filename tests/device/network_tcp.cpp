// TCP for the tests of networks.
#include "device/tcp/handshake.hpp"
#include "device/tcp/tcp_device.hpp"
#include "network_fixture.hpp"

#include <cstring>

namespace polder::device::network {
namespace {

// A call that is right but for its proof, which only somebody who knows the secret can make.
std::vector<std::uint8_t> first_words(const sockaddr_in& here) {
  tcp::ConnectionCall call;
  call.proof.seal = 0x123456789abcdef0;
  tcp::NetworkAddress address{.family = 4, .prefix = 24, .port = here.sin_port};
  std::memcpy(address.bytes.data(), &here.sin_addr, sizeof here.sin_addr);
  call.caller.count = call.called.count = 1;
  call.caller.all[0] = call.called.all[0] = address;
  std::vector<std::uint8_t> words(sizeof call);
  std::memcpy(words.data(), &call, sizeof call);
  return words;
}

}  // namespace

const Tested& tested() {
  static const Tested tcp{tcp::create_device, "tcp", "POLDER_TCP_", first_words};
  return tcp;
}

}  // namespace polder::device::network
