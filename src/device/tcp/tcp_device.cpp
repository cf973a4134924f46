#include "device/tcp/tcp_device.hpp"

#include "device/tcp/options.hpp"
#include "device/tcp/tcp_transport.hpp"
#include "device/wire/wire_device.hpp"

namespace polder::device::tcp {

Result<std::unique_ptr<Device>> create_device(const Setup& setup) {
  return wire::WireDevice::create(
      setup, settings(), [&](wire::TransportEvents& events) { return TcpTransport::create(events, setup.secret); });
}

}  // namespace polder::device::tcp
