// Ranks of many machines over TCP, without a library between: device/wire with the kernel's sockets as its transport.
#pragma once

#include "device/plugin.hpp"

namespace polder::device::tcp {

// system: this host has no such network (POLDER_TCP_DEVICES), or no port is free (POLDER_TCP_PORTS).
Result<std::unique_ptr<Device>> create_device(const Setup& setup);

}  // namespace polder::device::tcp
