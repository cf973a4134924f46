// Ranks over libfabric.
#include "contract_devices.hpp"
#include "contract_network.hpp"
#include "device/ofi/ofi_device.hpp"

namespace polder::device::contract {
namespace {

std::vector<std::unique_ptr<Device>> over_ofi(Rank ranks) {
  return over_network(ranks, ofi::create_device);
}

}  // namespace

std::vector<DeviceKind> ofi_devices() {
  return {{"ofi", over_ofi}};
}

}  // namespace polder::device::contract
