// UCX for the tests of networks.
#include "device/ucx/ucx_device.hpp"
#include "network_fixture.hpp"

#include <cstring>

namespace polder::device::network {
namespace {

// Its magic number and a connection request.
std::vector<std::uint8_t> first_words(const sockaddr_in& here) {
  std::vector<std::uint8_t> words = {0x78, 0x56, 0x34, 0x12, 0xbe, 0xba, 0xfe, 0xca, 32, 29, 0, 0, 0, 1, 0, 0, 0, 0};
  words.resize(words.size() + 8 + 16);
  std::memcpy(words.data() + 26, &here, sizeof here);
  return words;
}

}  // namespace

const Tested& tested() {
  static const Tested ucx{ucx::create_device, "ucx", "POLDER_UCX_", first_words};
  return ucx;
}

}  // namespace polder::device::network
