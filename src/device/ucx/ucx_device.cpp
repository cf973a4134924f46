#include "device/ucx/ucx_device.hpp"

#include "device/ucx/options.hpp"
#include "device/ucx/ucx_transport.hpp"
#include "device/wire/wire_device.hpp"

namespace polder::device::ucx {

Result<std::unique_ptr<Device>> create_device(const Setup& setup) {
  const wire::Settings chosen = settings();
  return wire::WireDevice::create(setup, chosen, [&](TransportEvents& events) {
    return UcxTransport::create(events, setup.secret, chosen.rma != wire::Rma::off);
  });
}

}  // namespace polder::device::ucx
