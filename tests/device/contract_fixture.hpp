// Three ranks of one device that know each other, and the steps that the tests of the contract are made of.
#pragma once

#include "contract_devices.hpp"
#include "observers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace polder::device::contract {

constexpr Rank kRanks = 3;

// For ranks that expect no message.
class NoMail final : public MessageSink {
 public:
  void deliver(Rank source, HandlerId, std::span<const std::byte>) override {
    ADD_FAILURE() << "an unexpected message of rank " << source;
  }
};

class World : public testing::Test {
 protected:
  // All at the same time: a device that ends may wait a while for others to hear of it.
  ~World() override {
    stop_helpers();
    std::vector<std::thread> ending;
    for (auto& device : devices_) ending.emplace_back([&device] { device.reset(); });
    for (std::thread& thread : ending) thread.join();
  }

  void build(const DeviceKind& kind) {
    devices_ = kind.make(kRanks);
    ASSERT_EQ(devices_.size(), kRanks);
    for (Rank rank = 0; rank < kRanks; ++rank)
      for (Rank peer = 0; peer < kRanks; ++peer) {
        const Status status = connect(rank, peer);
        ASSERT_TRUE(status.ok()) << status.to_string();
      }
    meet();
  }

  // Where progress is needed, connections come up with it: until everybody has heard of everybody, so that what is sent
  // later needs no more help than the test gives.
  void meet() {
    if (!device(0).capabilities().needs_progress) return;
    for (Rank rank = 0; rank < kRanks; ++rank)
      for (Rank peer = 0; peer < kRanks; ++peer) ASSERT_TRUE(device(rank).send(peer, 0, {}, {}).ok());
    Mailbox heard[kRanks];
    ASSERT_TRUE(eventually([&] {
      bool all = true;
      for (Rank rank = 0; rank < kRanks; ++rank) {
        device(rank).progress(heard[rank]);
        all = all && heard[rank].mail.size() >= kRanks;
      }
      return all;
    })) << "the ranks do not meet";
    // And the acknowledgements, should there be any.
    for (int i = 0; i < 20; ++i)
      for (Rank rank = 0; rank < kRanks; ++rank) device(rank).progress(heard[rank]);
  }

  Device& device(Rank rank) { return *devices_[rank]; }
  Status connect(Rank rank, Rank peer) { return device(rank).connect(peer, device(peer).address()); }

  Exposure expose(Rank owner, void* memory, std::size_t size) {
    auto exposure = device(owner).expose(memory, size);
    EXPECT_TRUE(exposure.ok()) << exposure.status().to_string();
    return exposure.value_or({});
  }
  Region import(Rank rank, Rank owner, const Exposure& exposure, const Region* replaces = nullptr) {
    auto region = device(rank).import(owner, exposure.key, replaces);
    EXPECT_TRUE(region.ok()) << region.status().to_string();
    return region.value_or({});
  }

  // Threads that call progress() for every rank but one, if the device asks for that; until stop_helpers(). They expect
  // no messages.
  void start_helpers(Rank without = kRanks) {
    for (Rank rank = 0; rank < kRanks; ++rank)
      if (rank != without && device(rank).capabilities().needs_progress)
        helpers_.emplace_back([this, rank] { help(device(rank)); });
  }
  void stop_helpers() {
    stopping_ = true;
    for (auto& device : devices_) device->wake();
    for (std::thread& helper : helpers_) helper.join();
    helpers_.clear();
  }

  // The status that an operation of `rank` ends with; timeout if it does not end within ten seconds.
  Status finish(Rank rank, Watch& watch) {
    NoMail none;
    const bool done = eventually([&] { return watch.is_done() || (device(rank).progress(none), watch.is_done()); });
    return done ? watch.status() : Status(Code::timeout);
  }

 private:
  void help(Device& device) {
    NoMail none;
    while (!stopping_) {
      device.progress(none);
      device.wait(1'000'000);
    }
  }

  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::thread> helpers_;
  std::atomic<bool> stopping_{false};
};

// For tests that run once for each device.
class OverDevices : public World, public testing::WithParamInterface<DeviceKind> {
 protected:
  void SetUp() override { build(GetParam()); }
};

// A byte that differs from its neighbours and with the seed; never zero, as fresh memory is.
inline std::byte pattern(std::size_t index, unsigned seed = 0) {
  return std::byte((index * 31 + index / 251 + seed * 17) % 255 + 1);
}

}  // namespace polder::device::contract
