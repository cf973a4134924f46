// Small operations travel together where much is under way already: over a transport of the test's own, which counts what is sent.
#include "device/wire/wire_device.hpp"
#include "observers.hpp"
#include "util/fd.hpp"

#include <sys/eventfd.h>

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace polder::device::wire {
namespace {

constexpr Rank kRanks = 2;
constexpr std::size_t kOperations = 256;
constexpr std::size_t kFew = 2 * SendWindow::kAtOnce;

// What is under way between ranks of this thread; nothing arrives before its target polls.
struct Air {
  struct Message {
    Packet kind;
    std::vector<std::byte> header, data;
  };
  std::array<std::deque<Message>, kRanks> to;
  std::array<std::size_t, kRanks> frames{};  // sent to each rank
  bool cut = false;
};

class AirTransport final : public Transport {
 public:
  AirTransport(TransportEvents& events, Air& air, Rank rank)
      : events_(events), air_(air), rank_(rank), address_{std::byte(rank)}, event_fd_(::eventfd(0, EFD_NONBLOCK)) {}

  const std::vector<std::byte>& address() const override { return address_; }
  Result<Endpoint*> open(std::span<const std::byte> address, Addressee&) override {
    ways_.push_back(std::make_unique<Way>(Rank(address[0])));
    return static_cast<Endpoint*>(ways_.back().get());
  }
  void close(Endpoint&) override {}
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
    std::deque<Air::Message> come;
    come.swap(air_.to[rank_]);
    for (const Air::Message& message : come) {
      if (message.kind == Packet::frame)
        events_.on_frame(message.header, message.data);
      else
        events_.on_greeting(message.data);
    }
    return !come.empty();
  }
  bool arm() override { return air_.to[rank_].empty(); }
  int event_fd() const override { return event_fd_.get(); }

 private:
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
};

class Gathering : public testing::Test {
 protected:
  Gathering() : old_(kOperations) {
    for (Rank rank = 0; rank < kRanks; ++rank) devices_[rank] = make(rank);
    for (Rank rank = 0; rank < kRanks; ++rank)
      EXPECT_TRUE(devices_[rank]->connect(1 - rank, devices_[1 - rank]->address()).ok());
    auto exposure = devices_[1]->expose(nullptr, 8);
    EXPECT_TRUE(exposure.ok());
    region_ = devices_[0]->import(1, exposure.value_or({}).key, nullptr).value_or({});
    word_ = exposure.value_or({}).data;
  }

  ~Gathering() override { air_.cut = true; }  // so nobody waits for goodbyes

  std::unique_ptr<Device> make(Rank rank) {
    auto made = WireDevice::create({.rank = rank, .size = kRanks, .secret = 1, .host = "here"}, Settings{},
                                   [&](TransportEvents& events) -> Result<std::unique_ptr<Transport>> {
                                     return std::unique_ptr<Transport>(new AirTransport(events, air_, rank));
                                   });
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return made.ok() ? *std::move(made) : nullptr;
  }

  void poll() {
    for (auto& device : devices_) device->progress(mail_);
  }

  // Nobody polls while they are posted: the first leave at once, the others together when somebody does.
  template <class Post>
  void expect_few_frames(const Post& post) {
    Watch first;
    ASSERT_TRUE(post(0, first).ok());
    for (int i = 0; i < 10; ++i) poll();
    ASSERT_TRUE(first.is_done()) << "the way is open";
    const std::size_t before = air_.frames[1];
    std::vector<Watch> watches(kOperations);
    for (std::size_t i = 0; i < kOperations; ++i) {
      ASSERT_TRUE(post(i, watches[i]).ok()) << i;
      if (i + 1 == SendWindow::kAtOnce) {
        EXPECT_EQ(air_.frames[1] - before, SendWindow::kAtOnce) << "while little is under way";
      }
    }
    for (int i = 0; i < 10; ++i) poll();
    for (const Watch& watch : watches) EXPECT_TRUE(watch.is_done() && watch.status().ok());
    EXPECT_LT(air_.frames[1] - before, kFew) << "for " << kOperations << " operations";
  }

  Air air_;
  std::array<std::unique_ptr<Device>, kRanks> devices_;
  Mailbox mail_;
  Region region_;
  std::byte* word_ = nullptr;
  std::vector<std::uint64_t> old_;
};

TEST_F(Gathering, Atomics) {
  expect_few_frames([&](std::size_t i, Watch& watch) {
    return devices_[0]->atomic(1, region_, {.operand = 1, .old = &old_[i]}, &watch);
  });
  // The first was posted twice.
  for (std::size_t i = 0; i < kOperations; ++i) ASSERT_EQ(old_[i], i + 1) << "in the order of posting";
}

TEST_F(Gathering, Gets) {
  *reinterpret_cast<std::uint64_t*>(word_) = 5;
  expect_few_frames([&](std::size_t i, Watch& watch) {
    const Piece piece{reinterpret_cast<std::byte*>(&old_[i]), 0, 8};
    return devices_[0]->get(1, region_, {&piece, 1}, &watch);
  });
  EXPECT_EQ(old_, std::vector<std::uint64_t>(kOperations, 5));
}

TEST_F(Gathering, Puts) {
  for (std::size_t i = 0; i < kOperations; ++i) old_[i] = i;
  expect_few_frames([&](std::size_t i, Watch& watch) {
    const Piece piece{reinterpret_cast<std::byte*>(&old_[i]), 0, 8};
    return devices_[0]->put(1, region_, {&piece, 1}, &watch);
  });
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(word_), kOperations - 1);
}

}  // namespace
}  // namespace polder::device::wire
