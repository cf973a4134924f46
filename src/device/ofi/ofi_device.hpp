// Ranks of many machines over libfabric: device/wire with an endpoint of libfabric as its transport.
#pragma once

#include "device/plugin.hpp"

namespace polder::device::ofi {

// system: libfabric finds no such provider or network (POLDER_OFI_PROVIDER, POLDER_OFI_DEVICES), or its ports cannot be
// guarded.
Result<std::unique_ptr<Device>> create_device(const Setup& setup);

}  // namespace polder::device::ofi
