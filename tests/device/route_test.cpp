// The route's own promises: who is reached how, one message at a time from two halves, and what a wake reaches.
#include "device/mixed/route.hpp"
#include "device/sim/fabric.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

namespace polder::device::mixed {
namespace {

constexpr Rank kRanks = 3, kPerNode = 2;  // ranks 0 and 1 share a node

class Sink final : public MessageSink {
 public:
  std::function<void(Rank, std::span<const std::byte>)> on_message = [](Rank, auto) {};
  std::function<void()> on_attend = [] {};
  void deliver(Rank source, HandlerId, std::span<const std::byte> message) override { on_message(source, message); }
  void attend() override { on_attend(); }
};

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

class Routes : public testing::Test {
 protected:
  void SetUp() override {
    auto near = sim::Fabric::create({.ranks = kRanks, .direct = true});
    auto far = sim::Fabric::create({.ranks = kRanks, .max_delay_ns = 20'000});
    ASSERT_TRUE(near.ok() && far.ok());
    for (Rank rank = 0; rank < kRanks; ++rank) {
      auto close = (*near)->device(rank), distant = (*far)->device(rank);
      ASSERT_TRUE(close.ok() && distant.ok());
      routes_.push_back(std::make_unique<Route>(
          Route::Parts{.near = *std::move(close),
                       .far = *std::move(distant),
                       .is_near = [rank](Rank peer) { return peer / kPerNode == rank / kPerNode; },
                       .ranks = kRanks}));
    }
    for (auto& from : routes_)
      for (Rank peer = 0; peer < kRanks; ++peer) ASSERT_TRUE(from->connect(peer, routes_[peer]->address()).ok());
  }
  void TearDown() override { stop(); }

  // Before the sinks go.
  void stop() {
    stopping_ = true;
    for (auto& route : routes_) route->wake();
    for (std::thread& helper : helpers_) helper.join();
    helpers_.clear();
    for (auto& route : routes_) route->stop_serving();
  }

  // A thread that waits, as core's helper does; `sink` stays until the end.
  void start_helper(Rank rank, Sink& sink) {
    helpers_.emplace_back([this, rank, &sink] {
      while (!stopping_.load()) {
        if (routes_[rank]->progress(sink) != 0) continue;
        sink.attend();
        routes_[rank]->wait(1'000'000'000'000);
        ++turns_;
      }
    });
  }
  Status send(Rank from, Rank to, std::uint64_t word) {
    return routes_[from]->send(to, 1, std::as_bytes(std::span(&word, 1)), {});
  }
  Route& route(Rank rank) { return *routes_[rank]; }
  int turns() const { return turns_.load(); }

 private:
  std::vector<std::unique_ptr<Route>> routes_;
  std::vector<std::thread> helpers_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> turns_{0};
};

TEST_F(Routes, OnlyNeighboursAreDirect) {
  EXPECT_TRUE(route(0).is_direct(0));
  EXPECT_TRUE(route(0).is_direct(1));
  EXPECT_FALSE(route(0).is_direct(2));
  EXPECT_FALSE(route(0).is_direct(kRanks)) << "nobody";
  auto exposed = route(1).expose(nullptr, 64);
  ASSERT_TRUE(exposed.ok());
  auto near = route(0).import(1, exposed->key, nullptr), far = route(2).import(1, exposed->key, nullptr);
  ASSERT_TRUE(near.ok() && far.ok());
  EXPECT_NE(near->direct, nullptr);
  EXPECT_EQ(far->direct, nullptr);
  EXPECT_TRUE(far->put_get);
}

TEST_F(Routes, MessagesOfBothHalvesComeOneAtATimeAndInOrder) {
  constexpr std::uint64_t kEach = 2000;
  Sink sink;
  std::atomic<int> inside{0};
  std::atomic<std::uint64_t> heard[kRanks]{};
  std::atomic<bool> good{true};
  sink.on_message = [&](Rank source, std::span<const std::byte> message) {
    if (inside.fetch_add(1) != 0) good = false;
    std::uint64_t word = 0;
    std::memcpy(&word, message.data(), sizeof word);
    if (word != heard[source].load() + 1) good = false;
    heard[source].store(word);
    inside.fetch_sub(1);
  };
  start_helper(1, sink);
  std::vector<std::thread> senders;
  for (const Rank from : {Rank{0}, Rank{2}})
    senders.emplace_back([&, from] {
      for (std::uint64_t word = 1; word <= kEach; ++word)
        while (send(from, 1, word).code() == Code::queue_full) std::this_thread::yield();
    });
  for (std::thread& sender : senders) sender.join();
  EXPECT_TRUE(eventually([&] { return heard[0].load() == kEach && heard[2].load() == kEach; }));
  EXPECT_TRUE(good.load());
  stop();
}

// A handler that makes progress, as posting does where a queue is full, must not meet itself.
TEST_F(Routes, AHandlerThatMakesProgressFindsNothing) {
  Sink sink, nested;
  std::atomic<int> heard{0}, inner{0};
  nested.on_message = [&](Rank, auto) { ++inner; };
  sink.on_message = [&](Rank source, auto) {
    if (source == 0) {
      EXPECT_TRUE(send(2, 1, 1).ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(route(1).progress(nested), 0);
    }
    ++heard;
  };
  ASSERT_TRUE(send(0, 1, 1).ok());
  EXPECT_TRUE(eventually([&] {
    route(1).progress(sink);
    return heard.load() == 2;
  }));
  EXPECT_EQ(inner.load(), 0);
}

// What a message left to be done, such as a reply for which there was no room, does not wait for the other half.
class RouteAttends : public Routes, public testing::WithParamInterface<Rank> {};
INSTANTIATE_TEST_SUITE_P(BothHalves, RouteAttends, testing::Values(Rank{0}, Rank{2}));

TEST_P(RouteAttends, AfterAMessageOfEitherHalf) {
  Sink sink;
  std::atomic<int> left{0}, attended{0};
  sink.on_message = [&](Rank, auto) { ++left; };
  sink.on_attend = [&] { attended.store(left.load()); };
  start_helper(1, sink);
  EXPECT_TRUE(send(GetParam(), 1, 1).ok());
  EXPECT_TRUE(eventually([&] { return attended.load() == 1; }));
  stop();
}

TEST_F(Routes, AWakeReachesWhoWaits) {
  Sink sink;
  start_helper(1, sink);
  for (int turn = 1; turn <= 5; ++turn) {
    route(1).wake();
    EXPECT_TRUE(eventually([&] { return turns() >= turn; }));
  }
  stop();
}

// A handler that calls exit() stops all, and does not return: the thread of the other half, which has found a message
// meanwhile, is not kept by it.
class RouteStops : public Routes, public testing::WithParamInterface<Rank> {};
INSTANTIATE_TEST_SUITE_P(BothHalves, RouteStops, testing::Values(Rank{0}, Rank{2}));

TEST_P(RouteStops, InAHandlerForWhoseEndNobodyWaits) {
  const Rank stops = GetParam(), other = 2 - stops;
  Sink sink;
  std::atomic<int> heard{0}, ended{0};
  sink.on_message = [&](Rank source, auto) {
    if (++heard != 1 || source != stops) return;
    EXPECT_TRUE(send(other, 1, 1).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // in which the other thread comes to wait
    route(1).stop_serving();
    const int before = turns();
    EXPECT_TRUE(stops == 0 || eventually([&] { return route(1).wake(), turns() > before; })) << "the helper is kept";
    ++ended;
  };
  start_helper(1, sink);
  EXPECT_TRUE(eventually([&] { return route(1).wake(), turns() > 0; }));  // and so the network has its thread
  std::this_thread::sleep_for(std::chrono::milliseconds(10));             // and the helper sleeps
  EXPECT_TRUE(send(stops, 1, 1).ok());
  EXPECT_TRUE(eventually([&] { return ended.load() == 1; }));
  stop();
}

}  // namespace
}  // namespace polder::device::mixed
