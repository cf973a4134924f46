// For builds without libfabric.
#include "contract_devices.hpp"

namespace polder::device::contract {

std::vector<DeviceKind> ofi_devices() {
  return {};
}

}  // namespace polder::device::contract
