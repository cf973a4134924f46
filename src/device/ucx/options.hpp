// What can be set for the UCX device.
#pragma once

#include "device/wire/network/settings.hpp"
#include "util/options.hpp"

#include <span>
#include <string>

namespace polder::device::ucx {

std::span<const util::Option> options();

inline constexpr const char* kDevicesName = "POLDER_UCX_DEVICES";
inline constexpr const char* kUnguardedName = "POLDER_UCX_UNGUARDED";

// The network devices that UCX may use and listen on; empty: all.
std::string devices_option();

// Whether UCX may listen where its ports cannot be guarded.
bool unguarded_option();

// The rest: how the device over it is set.
wire::Settings settings();

}  // namespace polder::device::ucx
