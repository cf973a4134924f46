// What this host has of networks, as far as the kernel says so.
#pragma once

#include <string>

namespace polder::device::ucx {

// Whether this host has a network device that writes to and reads from memory by itself, and `devices` (as
// POLDER_UCX_DEVICES) name it, or nothing. `folder`: where the kernel lists them.
bool may_reach_memory(const std::string& devices, const char* folder = "/sys/class/infiniband");

}  // namespace polder::device::ucx
