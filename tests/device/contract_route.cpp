// The route as one of the devices of the contract suite (tests/device), which moves data mostly between ranks 0 and 1:
// they share a node, or rank 1 shares one with rank 2.
#include "device/contract_devices.hpp"

#include "device/mixed/route.hpp"
#include "device/shm/shm_device.hpp"
#include "device/sim/fabric.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace polder::device::contract {
namespace {

using Devices = std::vector<std::unique_ptr<Device>>;
using Part = Result<std::unique_ptr<Device>>;

enum class Nodes : Rank { zero_and_one, one_and_two };

bool share_a_node(Nodes nodes, Rank one, Rank two) {
  const Rank shift = Rank(nodes);
  return (one + shift) / 2 == (two + shift) / 2;
}

// The suite hands a new sink to each progress(), and the thread that a route has for its far half would keep one of
// them. So that half does not ask for a thread here: messages wait for the tests' own progress().
class Unhurried final : public Device {
 public:
  explicit Unhurried(std::unique_ptr<Device> inner) : inner_(std::move(inner)), capabilities_(inner_->capabilities()) {
    capabilities_.needs_progress = false;
  }
  const Capabilities& capabilities() const override { return capabilities_; }
  std::vector<std::byte> address() const override { return inner_->address(); }
  Status connect(Rank peer, std::span<const std::byte> address) override { return inner_->connect(peer, address); }
  void disconnect(Rank peer) override { inner_->disconnect(peer); }
  Result<Exposure> expose(void* memory, std::size_t size) override { return inner_->expose(memory, size); }
  void conceal(const Exposure& exposure) override { inner_->conceal(exposure); }
  Result<Region> import(Rank owner, const Key& key, const Region* replaces) override {
    return inner_->import(owner, key, replaces);
  }
  Status put(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override {
    return inner_->put(peer, region, pieces, completion);
  }
  Status get(Rank peer, const Region& region, std::span<const Piece> pieces, CompletionSink* completion) override {
    return inner_->get(peer, region, pieces, completion);
  }
  Status put_notify(Rank peer, const Region& region, std::span<const Piece> pieces, const Region& control,
                    const Flag& flag, CompletionSink* completion) override {
    return inner_->put_notify(peer, region, pieces, control, flag, completion);
  }
  Status atomic(Rank peer, const Region& region, const AtomicRequest& request, CompletionSink* completion) override {
    return inner_->atomic(peer, region, request, completion);
  }
  Status send(Rank peer, HandlerId handler, std::span<const std::byte> head, std::span<const std::byte> body) override {
    return inner_->send(peer, handler, head, body);
  }
  int progress(MessageSink& sink) override { return inner_->progress(sink); }
  void wait(std::int64_t nanoseconds) override { inner_->wait(nanoseconds); }
  void wake() override { inner_->wake(); }
  void on_failure(std::function<void(Rank, const Status&)> listener) override {
    inner_->on_failure(std::move(listener));
  }

 private:
  const std::unique_ptr<Device> inner_;
  Capabilities capabilities_;
};

std::shared_ptr<sim::Fabric> woven(const sim::FabricOptions& options) {
  auto fabric = sim::Fabric::create(options);
  EXPECT_TRUE(fabric.ok()) << fabric.status().to_string();
  return fabric.ok() ? *std::move(fabric) : nullptr;
}

template <class MakeNear>
Devices routes(const sim::FabricOptions& network, Nodes nodes, MakeNear&& make_near) {
  const auto far_fabric = woven(network);
  Devices devices;
  for (Rank rank = 0; far_fabric != nullptr && rank < network.ranks; ++rank) {
    Part near = make_near(rank), far = far_fabric->device(rank);
    EXPECT_TRUE(near.ok() && far.ok());
    if (!near.ok() || !far.ok()) return {};
    devices.push_back(std::make_unique<mixed::Route>(
        mixed::Route::Parts{.near = *std::move(near),
                            .far = std::make_unique<Unhurried>(*std::move(far)),
                            .is_near = [=](Rank peer) { return share_a_node(nodes, rank, peer); },
                            .ranks = network.ranks}));
  }
  return devices;
}

Devices simulated_nodes(const sim::FabricOptions& network, Nodes nodes, bool direct = true) {
  const auto near_fabric = woven({.ranks = network.ranks, .direct = direct});
  return routes(network, nodes, [&](Rank rank) -> Part { return near_fabric->device(rank); });
}

Devices nodes_of_shared_memory(const sim::FabricOptions& network, Nodes nodes) {
  return routes(network, nodes, [&](Rank rank) -> Part { return shm::ShmDevice::create(rank, network.ranks); });
}

}  // namespace

std::vector<DeviceKind> all_devices() {
  using enum Nodes;
  return {
      {"route_sim_near", [](Rank ranks) { return simulated_nodes({.ranks = ranks}, zero_and_one); }},
      {"route_sim_far", [](Rank ranks) { return simulated_nodes({.ranks = ranks}, one_and_two); }},
      {"route_sim_delayed",
       [](Rank ranks) { return simulated_nodes({.ranks = ranks, .max_delay_ns = 50'000}, one_and_two); }},
      // Where nothing is direct, put and get go through both halves.
      {"route_two_networks",
       [](Rank ranks) { return simulated_nodes({.ranks = ranks, .max_delay_ns = 50'000}, one_and_two, false); }},
      {"route_shm_near", [](Rank ranks) { return nodes_of_shared_memory({.ranks = ranks}, zero_and_one); }},
      {"route_shm_delayed",
       [](Rank ranks) {
         return nodes_of_shared_memory({.ranks = ranks, .max_delay_ns = 50'000, .seed = 3}, one_and_two);
       }},
  };
}

}  // namespace polder::device::contract
