// A fabric with some ranks that know each other and offer a piece of memory each.
#pragma once

#include "device/sim/fabric.hpp"
#include "observers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace polder::device::sim {

class Network {
 public:
  explicit Network(FabricOptions options) : options_(options) {
    auto fabric = Fabric::create(options);
    EXPECT_TRUE(fabric.ok()) << fabric.status().to_string();
    fabric_ = *fabric;
    lost_ = std::vector<std::atomic<int>>(std::size_t(options.ranks) * options.ranks);
    for (Rank rank = 0; rank < options.ranks; ++rank) add_rank(rank);
    for (Rank rank = 0; rank < options.ranks; ++rank)
      for (Rank peer = 0; peer < options.ranks; ++peer) EXPECT_TRUE(connect(rank, peer).ok());
  }

  Fabric& fabric() { return *fabric_; }
  Device& device(Rank rank) { return *devices_[rank]; }
  Memory& memory(Rank rank) { return *reinterpret_cast<Memory*>(exposures_[rank].data); }
  const Exposure& exposure(Rank rank) const { return exposures_[rank]; }
  void close(Rank rank) { devices_[rank].reset(); }
  // How often `rank` was told that it has lost `peer`.
  int lost(Rank rank, Rank peer) const { return lost_[std::size_t(rank) * options_.ranks + peer].load(); }

  // The memory of `owner` as `rank` reaches it.
  Region region(Rank rank, Rank owner) {
    auto region = device(rank).import(owner, exposures_[owner].key, nullptr);
    EXPECT_TRUE(region.ok()) << region.status().to_string();
    return region.value_or({});
  }

  // One word from `value` to word `index` of `target`. `value` must outlive the operation.
  Status put(Rank source, Rank target, std::uint64_t* value, std::uint64_t index, Watch* watch) {
    const Piece piece{reinterpret_cast<std::byte*>(value), Memory::word_offset(index), 8};
    return device(source).put(target, regions_[source * options_.ranks + target], {&piece, 1}, watch);
  }
  Status get(Rank source, Rank target, std::uint64_t* value, std::uint64_t index, Watch* watch) {
    const Piece piece{reinterpret_cast<std::byte*>(value), Memory::word_offset(index), 8};
    return device(source).get(target, regions_[source * options_.ranks + target], {&piece, 1}, watch);
  }
  Status put_notify(Rank source, Rank target, std::uint64_t* value, std::uint64_t index, const Flag& flag,
                    Watch* watch) {
    const Piece piece{reinterpret_cast<std::byte*>(value), Memory::word_offset(index), 8};
    const Region& region = regions_[source * options_.ranks + target];
    return device(source).put_notify(target, region, {&piece, 1}, region, flag, watch);
  }
  Status notify(Rank source, Rank target, const Flag& flag, Watch* watch) {
    const Region& region = regions_[source * options_.ranks + target];
    return device(source).put_notify(target, region, {}, region, flag, watch);
  }
  Status atomic(Rank source, Rank target, const AtomicRequest& request, Watch* watch) {
    return device(source).atomic(target, regions_[source * options_.ranks + target], request, watch);
  }
  Status connect(Rank rank, Rank peer) {
    const Status status = device(rank).connect(peer, device(peer).address());
    if (status.ok() && regions_[rank * options_.ranks + peer].handle == 0)
      regions_[rank * options_.ranks + peer] = region(rank, peer);
    return status;
  }

 private:
  void add_rank(Rank rank) {
    regions_.resize(std::size_t(options_.ranks) * options_.ranks);
    auto device = fabric_->device(rank);
    ASSERT_TRUE(device.ok()) << device.status().to_string();
    devices_.push_back(*std::move(device));
    devices_.back()->on_failure([this, rank](Rank peer, const Status& why) {
      EXPECT_EQ(why.code(), Code::peer_failed);
      ++lost_[std::size_t(rank) * options_.ranks + peer];
    });
    auto exposure = devices_.back()->expose(nullptr, sizeof(Memory));
    ASSERT_TRUE(exposure.ok()) << exposure.status().to_string();
    exposures_.push_back(*exposure);
  }

  FabricOptions options_;
  std::vector<std::atomic<int>> lost_;
  std::shared_ptr<Fabric> fabric_;
  std::vector<Region> regions_;  // [rank * ranks + owner]
  std::vector<Exposure> exposures_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace polder::device::sim
