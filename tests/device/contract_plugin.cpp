// A device of somebody else's, built outside of this tree: POLDER_CONTRACT_PLUGIN names its libpolder-NAME.so.
#include "contract_devices.hpp"

#include "device/plugin.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include <dlfcn.h>

namespace polder::device::contract {
namespace {

std::vector<std::unique_ptr<Device>> of_plugin(Rank ranks) {
  std::vector<std::unique_ptr<Device>> devices;
  void* const object = dlopen(std::getenv("POLDER_CONTRACT_PLUGIN"), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const create = object == nullptr ? nullptr : dlsym(object, kCreateDevice);
  if (create == nullptr) {
    ADD_FAILURE() << dlerror();
    return devices;
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    Result<std::unique_ptr<Device>> device = Status(Code::system, "the plug-in made nothing");
    reinterpret_cast<CreateDevice>(create)({.rank = rank, .size = ranks, .secret = 4711, .host = "here"}, device);
    EXPECT_TRUE(device.ok()) << device.status().to_string();
    if (!device.ok()) return {};
    devices.push_back(*std::move(device));
  }
  return devices;
}

}  // namespace

std::vector<DeviceKind> plugin_devices() {
  if (std::getenv("POLDER_CONTRACT_PLUGIN") == nullptr) return {};
  return {{"plugin", of_plugin}};
}

}  // namespace polder::device::contract
