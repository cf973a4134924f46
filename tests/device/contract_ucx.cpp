// Ranks over UCX, within one process.
#include "contract_devices.hpp"
#include "device/ucx/ucx_device.hpp"

#include <gtest/gtest.h>

namespace polder::device::contract {
namespace {

std::vector<std::unique_ptr<Device>> over_ucx(Rank ranks) {
  std::vector<std::unique_ptr<Device>> devices;
  for (Rank rank = 0; rank < ranks; ++rank) {
    auto device = ucx::UcxDevice::create({.rank = rank, .size = ranks, .secret = 0x5ec4e7, .host = "here"});
    EXPECT_TRUE(device.ok()) << device.status().to_string();
    if (!device.ok()) return {};
    devices.push_back(*std::move(device));
  }
  return devices;
}

}  // namespace

std::vector<DeviceKind> ucx_devices() {
  return {{"ucx", over_ucx}};
}

}  // namespace polder::device::contract
