// Ranks over the kernel's TCP.
#include "contract_devices.hpp"
#include "contract_network.hpp"
#include "device/tcp/tcp_device.hpp"

namespace polder::device::contract {
namespace {

std::vector<std::unique_ptr<Device>> over_tcp(Rank ranks) {
  return over_network(ranks, tcp::create_device);
}

}  // namespace

std::vector<DeviceKind> tcp_devices() {
  return {{"tcp", over_tcp}};
}

}  // namespace polder::device::contract
