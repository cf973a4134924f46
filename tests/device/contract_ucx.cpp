// Ranks over UCX, within one process; if POLDER_TEST_NETWORKS names network namespaces, separated by colons, each rank
// in one of those in turn. tests/hosts/test_contract.py runs the suite that way.
#include "contract_devices.hpp"
#include "device/ucx/ucx_device.hpp"
#include "on_host.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace polder::device::contract {
namespace {

std::vector<std::string> networks() {
  std::vector<std::string> paths;
  const char* const named = std::getenv("POLDER_TEST_NETWORKS");
  std::istringstream list(named == nullptr ? "" : named);
  for (std::string path; std::getline(list, path, ':');) paths.push_back(path);
  return paths;
}

std::vector<std::unique_ptr<Device>> over_ucx(Rank ranks) {
  const std::vector<std::string> hosts = networks();
  std::vector<std::unique_ptr<Device>> devices;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto make = [&] {
      return ucx::UcxDevice::create({.rank = rank, .size = ranks, .secret = 0x5ec4e7, .host = "here"});
    };
    auto device = hosts.empty() ? make() : OnHost::create(hosts[rank % hosts.size()], make);
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
