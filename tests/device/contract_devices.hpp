// The devices that the contract suite runs over: what each is called, and how its ranks are made as threads of one
// process.
#pragma once

#include "device/device.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace polder::device::contract {

struct DeviceKind {
  const char* name;  // letters, digits and underscores: it becomes part of the names of the tests
  // The devices of ranks 0 .. ranks-1, none connected yet; none at all, and a failed test, if one cannot be made.
  std::vector<std::unique_ptr<Device>> (*make)(Rank ranks);
};

inline void PrintTo(const DeviceKind& kind, std::ostream* out) {
  *out << kind.name;
}

// Every device of this build, with the options that make a difference to the contract.
std::vector<DeviceKind> all_devices();

// Those of them that come with a library which this build has found; each is made in a file of its own.
std::vector<DeviceKind> ucx_devices();
std::vector<DeviceKind> ofi_devices();
std::vector<DeviceKind> tcp_devices();
std::vector<DeviceKind> plugin_devices();

// The name of a test over all_devices().
template <class Info>
std::string device_name(const Info& info) {
  return info.param.name;
}

}  // namespace polder::device::contract
