// Ranks over a network, within one process; if POLDER_TEST_NETWORKS names network namespaces, separated by colons, each
// rank in one of those in turn. tests/hosts/test_contract.py runs the suite that way.
#pragma once

#include "device/plugin.hpp"
#include "on_host.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace polder::device::contract {

inline std::vector<std::string> networks() {
  std::vector<std::string> paths;
  const char* const named = std::getenv("POLDER_TEST_NETWORKS");
  std::istringstream list(named == nullptr ? "" : named);
  for (std::string path; std::getline(list, path, ':');) paths.push_back(path);
  return paths;
}

using MakeDevice = Result<std::unique_ptr<Device>> (*)(const Setup& setup);

// None at all, and a failed test, if one cannot be made.
inline std::vector<std::unique_ptr<Device>> over_network(Rank ranks, MakeDevice make) {
  const std::vector<std::string> hosts = networks();
  std::vector<std::unique_ptr<Device>> devices;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto create = [&] { return make({.rank = rank, .size = ranks, .secret = 0x5ec4e7, .host = "here"}); };
    auto device = hosts.empty() ? create() : OnHost::create(hosts[rank % hosts.size()], create);
    EXPECT_TRUE(device.ok()) << device.status().to_string();
    if (!device.ok()) return {};
    devices.push_back(*std::move(device));
  }
  return devices;
}

}  // namespace polder::device::contract
