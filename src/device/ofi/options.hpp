// What can be set for the OFI device.
#pragma once

#include "device/wire/network/settings.hpp"
#include "util/options.hpp"

#include <span>
#include <string>

namespace polder::device::ofi {

inline constexpr const char* kProviderName = "POLDER_OFI_PROVIDER";
inline constexpr const char* kDevicesName = "POLDER_OFI_DEVICES";
inline constexpr const char* kUnguardedName = "POLDER_OFI_UNGUARDED";

std::span<const util::Option> options();

// As libfabric calls it: "tcp;ofi_rxm", "verbs;ofi_rxm", "cxi", ...
std::string provider_option();

// The networks that may be used, by the names of their domains; empty: the first that leads out of this host.
std::string devices_option();

// Whether libfabric may listen where its TCP ports cannot be guarded.
bool unguarded_option();

// The rest: how the device over it is set.
wire::Settings settings();

}  // namespace polder::device::ofi
