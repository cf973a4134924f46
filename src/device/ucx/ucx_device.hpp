// Ranks of many machines over UCX: device/wire with UCX as its transport.
#pragma once

#include "device/plugin.hpp"

namespace polder::device::ucx {

// system: UCX finds no network, or the one that was asked for does not exist.
Result<std::unique_ptr<Device>> create_device(const Setup& setup);

}  // namespace polder::device::ucx
