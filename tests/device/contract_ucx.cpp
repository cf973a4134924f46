// Ranks over UCX.
#include "contract_devices.hpp"
#include "contract_network.hpp"
#include "device/ucx/ucx_device.hpp"
#include "ucx_card.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace polder::device::contract {
namespace {

// For the devices that are made next.
std::optional<ucx::Card>& card() {
  static std::optional<ucx::Card> the_card;
  return the_card;
}

std::vector<std::unique_ptr<Device>> make_reaching_memory(Rank ranks) {
  ::setenv("POLDER_UCX_RMA", "on", 1);
  ::setenv("POLDER_UCX_RMA_BYTES", "1", 1);
  auto devices = over_network(ranks, ucx::create_device);
  ::unsetenv("POLDER_UCX_RMA");
  ::unsetenv("POLDER_UCX_RMA_BYTES");
  return devices;
}

std::vector<std::unique_ptr<Device>> over_ucx(Rank ranks) {
  card().reset();
  return over_network(ranks, ucx::create_device);
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
