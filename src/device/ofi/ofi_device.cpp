#include "device/ofi/ofi_device.hpp"

#include "device/ofi/ofi_transport.hpp"
#include "device/ofi/options.hpp"
#include "device/wire/wire_device.hpp"

namespace polder::device::ofi {

Result<std::unique_ptr<Device>> create_device(const Setup& setup) {
  return wire::WireDevice::create(
      setup, settings(), [&](wire::TransportEvents& events) { return OfiTransport::create(events, setup.secret); });
}

}  // namespace polder::device::ofi
