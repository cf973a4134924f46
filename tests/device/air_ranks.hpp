// Two ranks of one thread over a transport of the tests' own, which counts what is sent; nothing arrives before its target polls.
#pragma once

#include "device/wire/wire_device.hpp"
#include "observers.hpp"
#include "util/fd.hpp"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace polder::device::wire {

constexpr Rank kAirRanks = 2;
constexpr std::size_t kControl = 256;               // bytes that rank 1 offers in front of
constexpr std::size_t kMostData = 10 * kPartBytes;  // data, and behind it
constexpr std::size_t kAirBytes = kControl + kMostData + 8;

// What is under way between ranks of this thread; nothing arrives before its target polls.
struct Air {
  struct Message {
    Packet kind;
    std::vector<std::byte> header, data;
  };
  std::array<std::deque<Message>, kAirRanks> to;
  std::array<std::atomic<std::size_t>, kAirRanks> frames{};  // sent to each rank
  std::array<std::size_t, kAirRanks> opened{};               // ways, by each rank
  bool cut = false;
  bool tells_ways = false;  // by which greetings come; and they are idle
  bool lands = false;       // parts come in two halves, and go where they belong at once
  int landed = 0;           // parts
  int held = -1;            // of the part behind so many only the first half comes for now
  bool half_come = false;   // of a part
};

class AirTransport final : public Transport {
 public:
  AirTransport(TransportEvents& events, Air& air, Rank rank)
      : events_(events), air_(air), rank_(rank), address_{std::byte(rank)}, event_fd_(::eventfd(0, EFD_NONBLOCK)) {}

  const std::vector<std::byte>& address() const override { return address_; }
  Result<Endpoint*> open(std::span<const std::byte> address, Addressee& owner) override {
    owner_ = &owner;
    ++air_.opened[rank_];
    ways_.push_back(std::make_unique<Way>(Rank(address[0])));
    return static_cast<Endpoint*>(ways_.back().get());
  }
  void close(Endpoint&) override { owner_ = nullptr; }
  bool is_idle(const Endpoint&) const override { return air_.tells_ways; }
  int closing() const override { return 0; }
  void abandon_if_needed(bool) override {}
  bool tells_closing(const Endpoint&) const override { return false; }

  Sent send(Endpoint& endpoint, Packet kind, std::span<const std::byte> header, std::span<const std::byte> data,
            Addressee&) override {
    if (air_.cut) return Sent::refused;
    const Rank peer = static_cast<Way&>(endpoint).peer;
    air_.frames[peer] += kind == Packet::frame;
    air_.to[peer].push_back({kind, {header.begin(), header.end()}, {data.begin(), data.end()}});
    return Sent::at_once;
  }

  bool progress(int) override {
    if (half_come_) return air_.landed != air_.held && end_landing();
    std::deque<Air::Message> come;
    come.swap(air_.to[rank_]);
    for (auto at = come.begin(); at != come.end(); ++at) {
      const Air::Message& message = *at;
      if (air_.lands && begin_landing(message)) {
        air_.to[rank_].insert(air_.to[rank_].begin(), at + 1, come.end());
        return true;
      }
      if (message.kind == Packet::frame)
        events_.on_frame(message.header, message.data);
      else
        events_.on_greeting(message.data, air_.tells_ways ? owner_ : nullptr);
    }
    return !come.empty();
  }
  bool arm() override { return air_.to[rank_].empty(); }
  int event_fd() const override { return event_fd_.get(); }

 private:
  bool begin_landing(const Air::Message& message) {
    if (message.header.empty()) return false;
    place_ = events_.place_of(message.header, message.data.size());
    if (place_ == nullptr) return false;
    std::copy_n(message.data.begin(), message.data.size() / 2, place_);
    half_come_ = message;
    air_.half_come = true;
    return true;
  }
  bool end_landing() {
    const Air::Message message = *std::exchange(half_come_, std::nullopt);
    const std::size_t half = message.data.size() / 2;
    const bool stays = events_.place_of(message.header, message.data.size()) == place_;
    if (stays) std::copy(message.data.begin() + std::ptrdiff_t(half), message.data.end(), place_ + half);
    air_.half_come = false;
    ++air_.landed;
    events_.on_frame(message.header, {place_, stays ? message.data.size() : 0});
    return true;
  }

  struct Way final : Endpoint {
    explicit Way(Rank rank) : peer(rank) { made_ = true; }
    const Rank peer;
  };

  TransportEvents& events_;
  Air& air_;
  const Rank rank_;
  const std::vector<std::byte> address_;
  const util::Fd event_fd_;
  std::vector<std::unique_ptr<Way>> ways_;
  Addressee* owner_ = nullptr;  // of the last of them, by which whatever comes does
  std::optional<Air::Message> half_come_;
  std::byte* place_ = nullptr;  // of which half has come
};

class AirRanks : public testing::Test {
 protected:
  explicit AirRanks(const Settings& settings = {}) : settings_(settings) {
    for (Rank rank = 0; rank < kAirRanks; ++rank) devices_[rank] = make(rank);
    for (Rank rank = 0; rank < kAirRanks; ++rank)
      EXPECT_TRUE(devices_[rank]->connect(1 - rank, devices_[1 - rank]->address()).ok());
    auto exposure = devices_[1]->expose(nullptr, kAirBytes);
    EXPECT_TRUE(exposure.ok());
    region_ = devices_[0]->import(1, exposure.value_or({}).key, nullptr).value_or({});
    word_ = exposure.value_or({}).data;
  }

  // From now on pages of memory that is not known to be there may be missing.
  void announce_a_filler() { const PageFiller announced(*devices_[0]); }

  ~AirRanks() override { air_.cut = true; }  // so nobody waits for goodbyes

  std::unique_ptr<Device> make(Rank rank) {
    auto made = WireDevice::create({.rank = rank, .size = kAirRanks, .secret = 1, .host = "here"}, settings_,
                                   [&](TransportEvents& events) -> Result<std::unique_ptr<Transport>> {
                                     return std::unique_ptr<Transport>(new AirTransport(events, air_, rank));
                                   });
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return made.ok() ? *std::move(made) : nullptr;
  }

  void poll() {
    for (auto& device : devices_) device->progress(mail_);
  }

  const Settings settings_;
  Air air_;
  std::array<std::unique_ptr<Device>, kAirRanks> devices_;
  Mailbox mail_;
  Region region_;
  std::byte* word_ = nullptr;
};

}  // namespace polder::device::wire
