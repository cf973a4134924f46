// libfabric for the tests of networks.
#include "device/ofi/ofi_device.hpp"
#include "network_fixture.hpp"

#include <cstring>

namespace polder::device::network {
namespace {

// A connection request of its provider tcp (struct ofi_ctrl_hdr: version, type, length of what follows) with what the
// layer above says in it: version, kind, port and so on.
std::vector<std::uint8_t> first_words(const sockaddr_in& here) {
  std::vector<std::uint8_t> words = {3, 1, 0, 16, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  words.resize(words.size() + 16);
  std::memcpy(words.data() + 16, &here, sizeof here);
  return words;
}

}  // namespace

const Tested& tested() {
  static const Tested ofi{ofi::create_device, "ofi", "POLDER_OFI_", first_words};
  return ofi;
}

}  // namespace polder::device::network
