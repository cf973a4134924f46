// Ranks over UCX, within one process; if POLDER_TEST_NETWORKS names network namespaces, separated by colons, each rank
// in one of those in turn. tests/hosts/test_contract.py runs the suite that way.
#include "contract_devices.hpp"
#include "device/ucx/ucx_device.hpp"
#include "on_host.hpp"
#include "ucx_card.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
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

// For the devices that are made next.
std::optional<ucx::Card>& card() {
  static std::optional<ucx::Card> the_card;
  return the_card;
}

std::vector<std::unique_ptr<Device>> make(Rank ranks) {
  const std::vector<std::string> hosts = networks();
  std::vector<std::unique_ptr<Device>> devices;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto create = [&] {
      return ucx::create_device({.rank = rank, .size = ranks, .secret = 0x5ec4e7, .host = "here"});
    };
    auto device = hosts.empty() ? create() : OnHost::create(hosts[rank % hosts.size()], create);
    EXPECT_TRUE(device.ok()) << device.status().to_string();
    if (!device.ok()) return {};
    devices.push_back(*std::move(device));
  }
  return devices;
}

std::vector<std::unique_ptr<Device>> make_reaching_memory(Rank ranks) {
  ::setenv("POLDER_UCX_RMA", "on", 1);
  ::setenv("POLDER_UCX_RMA_BYTES", "1", 1);
  auto devices = make(ranks);
  ::unsetenv("POLDER_UCX_RMA");
  ::unsetenv("POLDER_UCX_RMA_BYTES");
  return devices;
}

std::vector<std::unique_ptr<Device>> over_ucx(Rank ranks) {
  card().reset();
  return make(ranks);
}

// As many puts and gets as possible reach into the memory of the target, here through what UCX does instead over TCP.
std::vector<std::unique_ptr<Device>> over_ucx_reaching_memory(Rank ranks) {
  card().reset();
  return make_reaching_memory(ranks);
}

// And what hardware would do is done late and out of order.
std::vector<std::unique_ptr<Device>> over_ucx_with_a_card(Rank ranks) {
  card().emplace();
  return make_reaching_memory(ranks);
}

}  // namespace

std::vector<DeviceKind> ucx_devices() {
  return {{"ucx", over_ucx}, {"ucx_rma", over_ucx_reaching_memory}, {"ucx_card", over_ucx_with_a_card}};
}

}  // namespace polder::device::contract
