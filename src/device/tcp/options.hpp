// What can be set for the TCP device.
#pragma once

#include "device/wire/network/settings.hpp"
#include "util/options.hpp"

#include <polder/status.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace polder::device::tcp {

inline constexpr const char* kDevicesName = "POLDER_TCP_DEVICES";
inline constexpr const char* kPortsName = "POLDER_TCP_PORTS";

std::span<const util::Option> options();

// The networks that may be used, by the names of their interfaces; empty: all that lead out of this host.
std::string devices_option();

// Where ranks listen: any of first .. last; both 0: wherever the kernel likes.
struct Ports {
  std::uint16_t first = 0, last = 0;
};
// invalid_argument: it is no such range.
Result<Ports> ports_option();

// As POLDER_TCP_CONGESTION says.
std::string congestion_option();

// The rest: how the device over it is set.
wire::Settings settings();

}  // namespace polder::device::tcp
