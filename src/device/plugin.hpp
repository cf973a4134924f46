// How a device that comes as a shared object of its own is made: libpolder-NAME.so, opened by core/engine/plugin when
// it is needed.
//
// The object exports one function under the name kCreateDevice:
//
//   extern "C" POLDER_API void polder_create_device(const Setup& setup, Result<std::unique_ptr<Device>>& device);
//
// Both sides are built from the same sources by the same compiler; core compares their versions, and sums of these
// headers, before the call.
#pragma once

#include "device/device.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace polder::device {

inline constexpr const char* kCreateDevice = "polder_create_device";

// What a device must know of the job.
struct Setup {
  Rank rank = 0;
  Rank size = 1;
  std::uint64_t secret = 0;  // the same at all ranks of the job, unknown to strangers
  std::string host;          // name of this node
};

// Stores the device, or why there is none, in its second argument. Does not throw.
using CreateDevice = void (*)(const Setup&, Result<std::unique_ptr<Device>>&);

}  // namespace polder::device
