// A fabric with some ranks that know each other and offer a piece of memory each, and ways to look at what comes of
// operations.
#pragma once

#include "device/sim/fabric.hpp"
#include "util/bell.hpp"
#include "util/deadline.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace polder::device::sim {

using namespace std::chrono_literals;

// Waits for `condition` for at most ten seconds.
template <class Condition>
bool eventually(Condition&& condition) {
  for (int i = 0; i < 100'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(100us);
  }
  return false;
}

// Notes what becomes of an operation, and that the rules of completions are kept.
class Watch final : public Completion {
 public:
  void local() override {
    std::lock_guard lock(mutex_);
    EXPECT_FALSE(local_) << "local twice";
    EXPECT_FALSE(remote_) << "local after remote";
    local_ = true;
    changed_.notify_all();
  }
  void remote(const Status& status) override {
    std::lock_guard lock(mutex_);
    EXPECT_TRUE(local_) << "remote before local";
    EXPECT_FALSE(remote_) << "remote twice";
    remote_ = true;
    remote_ns_ = util::now_ns();
    status_ = status;
    changed_.notify_all();
  }

  bool is_local() const { return locked(local_); }
  bool is_done() const { return locked(remote_); }
  std::int64_t done_ns() const { return locked(remote_ns_); }
  Status status() const { return locked(status_); }

  // The status that the operation ends with; timeout if it does not end within ten seconds.
  Status wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return remote_; }) ? status_ : Status(Code::timeout);
  }
  bool wait_local() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return local_; });
  }

 private:
  template <class T>
  T locked(const T& value) const {
    std::lock_guard lock(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool local_ = false, remote_ = false;
  std::int64_t remote_ns_ = 0;
  Status status_;
};

// Keeps the messages that progress() delivers.
class Mailbox final : public MessageSink {
 public:
  struct Mail {
    Rank source;
    HandlerId handler;
    std::string text;
  };
  void deliver(Rank source, HandlerId handler, std::span<const std::byte> message) override {
    mail.push_back({source, handler, std::string(reinterpret_cast<const char*>(message.data()), message.size())});
  }
  std::vector<Mail> mail;
};

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// What a rank offers: flags with their bell, and words of data.
struct Memory {
  std::array<std::atomic<std::uint32_t>, 64> flags;
  util::Bell bell;
  std::array<std::atomic<std::uint64_t>, 4096> words;

  static std::uint64_t flag_offset(std::uint32_t id) { return offsetof(Memory, flags) + id * std::uint64_t{4}; }
  static std::uint64_t word_offset(std::uint64_t index) { return offsetof(Memory, words) + index * std::uint64_t{8}; }
  static Flag flag(std::uint32_t id, std::uint32_t value = 1) {
    return {.offset = flag_offset(id), .bell_offset = offsetof(Memory, bell), .value = value};
  }
};

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
