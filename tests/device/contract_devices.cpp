#include "contract_devices.hpp"

#include "device/shm/shm_device.hpp"
#include "device/sim/fabric.hpp"

#include <gtest/gtest.h>

namespace polder::device::contract {
namespace {

using Devices = std::vector<std::unique_ptr<Device>>;

Devices simulated(const sim::FabricOptions& options) {
  Devices devices;
  auto fabric = sim::Fabric::create(options);
  EXPECT_TRUE(fabric.ok()) << fabric.status().to_string();
  for (Rank rank = 0; fabric.ok() && rank < options.ranks; ++rank) {
    auto device = (*fabric)->device(rank);
    EXPECT_TRUE(device.ok()) << device.status().to_string();
    if (!device.ok()) return {};
    devices.push_back(*std::move(device));
  }
  return devices;
}

Devices shared_memory(Rank ranks) {
  Devices devices;
  for (Rank rank = 0; rank < ranks; ++rank) {
    auto device = shm::ShmDevice::create(rank, ranks);
    EXPECT_TRUE(device.ok()) << device.status().to_string();
    if (!device.ok()) return {};
    devices.push_back(*std::move(device));
  }
  return devices;
}

}  // namespace

std::vector<DeviceKind> all_devices() {
  std::vector<DeviceKind> kinds = {
      {"sim_direct", [](Rank ranks) { return simulated({.ranks = ranks, .direct = true}); }},
      {"sim_at_once", [](Rank ranks) { return simulated({.ranks = ranks}); }},
      {"sim_delayed",
       [](Rank ranks) {
         return simulated({.ranks = ranks, .max_delay_ns = 50'000, .seed = 3, .copied_at_once = 256});
       }},
      {"sim_messages",
       [](Rank ranks) {
         return simulated({.ranks = ranks, .max_delay_ns = 50'000, .put_get = false, .atomics = false});
       }},
      {"shm", shared_memory},
  };
  for (const DeviceKind& kind : ucx_devices()) kinds.push_back(kind);
  for (const DeviceKind& kind : ofi_devices()) kinds.push_back(kind);
  for (const DeviceKind& kind : tcp_devices()) kinds.push_back(kind);
  for (const DeviceKind& kind : plugin_devices()) kinds.push_back(kind);
  return kinds;
}

}  // namespace polder::device::contract
