// For builds without UCX.
#include "contract_devices.hpp"

namespace polder::device::contract {

std::vector<DeviceKind> ucx_devices() {
  return {};
}

}  // namespace polder::device::contract
