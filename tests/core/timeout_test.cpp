// A timeout is that of the whole call, whatever it waits for one after the other: what is under way before it, and then
// its own end. In virtual time, in which a way takes exactly as long as it shall.
#include "core/ranks.hpp"

namespace polder::test {
namespace {

constexpr std::int64_t kWay = 10'000'000;  // ns

class TimeoutOfACall : public testing::Test {
 protected:
  // Rank 0, to whom segment 0 of rank 1 is known.
  static void run_at_one(const std::function<void(Runtime&)>& body) {
    SimulationOptions options = World{SimulatedDevice::network, 2, kWay, 0, true}.options();
    options.min_delay_ns = options.max_delay_ns;
    options.runtime.ordering = Ordering::strict;
    run_ranks(2, options, [&](Runtime& rt) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 4096, .id = 0}, rt.world(), kPatience)));
      if (rt.rank() != 0) return;
      ASSERT_TRUE(ok(rt.remote_segment(1, 0, kPatience)));
      body(rt);
    });
  }

  // A bit more than it takes with nothing before it is not enough with a get before it, which it must not overtake.
  template <class Call>
  static void expect_kept(const Call& call) {
    run_at_one([&](Runtime& rt) {
      const std::int64_t begin = clock_here().now_ns();
      ASSERT_TRUE(ok(call(rt, Post(Until::remote, kPatience))));
      const Timeout long_enough_for_one = std::chrono::nanoseconds((clock_here().now_ns() - begin) * 5 / 4);
      std::byte there{};
      ASSERT_TRUE(ok(rt.get(&there, {1, 0, 8}, 1)));
      EXPECT_TRUE(fails(call(rt, Post(Until::remote, long_enough_for_one)), Code::timeout));
      EXPECT_TRUE(ok(rt.fence_all(kPatience)));
      // In which not even the get comes back: nothing is posted, and so nothing is under way.
      const std::uint64_t before = word_at_one(rt);
      ASSERT_TRUE(ok(rt.get(&there, {1, 0, 8}, 1)));
      EXPECT_TRUE(fails(call(rt, Post(Until::remote, std::chrono::nanoseconds(kWay / 10))), Code::queue_full));
      EXPECT_TRUE(ok(rt.fence_all(kPatience)));
      EXPECT_EQ(word_at_one(rt), before);
    });
  }

  static std::uint64_t word_at_one(Runtime& rt) {
    std::uint64_t word = ~std::uint64_t{0};
    EXPECT_TRUE(ok(rt.get(&word, {1, 0, 8}, sizeof word, Post(Until::remote, kPatience))));
    return word;
  }
};

TEST_F(TimeoutOfACall, IsKeptByPuts) {
  static std::uint64_t value = 0;
  expect_kept([](Runtime& rt, const Post& post) {
    ++value;
    return rt.put(&value, {1, 0, 8}, sizeof value, post);
  });
}

TEST_F(TimeoutOfACall, IsKeptByAccumulates) {
  static const std::int64_t value = 5;
  expect_kept([](Runtime& rt, const Post& post) {
    return rt.accumulate({.op = Reduction::sum, .type = DataType::int64}, &value, {1, 0, 8}, sizeof value, post);
  });
}

// Nor must a flag overtake what goes by message: one that would have to wait for that has not been posted.
TEST_F(TimeoutOfACall, IsKeptByFlagsBehindMessages) {
  run_at_one([](Runtime& rt) {
    const std::int64_t five = 5;
    const std::uint64_t data = 7;
    const Notification flag{.id = 3, .value = 1};
    ASSERT_TRUE(ok(rt.accumulate({.op = Reduction::sum, .type = DataType::int64}, &five, {1, 0, 64}, sizeof five,
                                 Post(kPatience))));
    EXPECT_TRUE(fails(rt.put_notify(&data, {1, 0, 8}, sizeof data, flag, Timeout::test()), Code::queue_full));
    EXPECT_TRUE(ok(rt.fence_all(kPatience)));
    EXPECT_EQ(word_at_one(rt), 0u);
    EXPECT_TRUE(ok(rt.put_notify(&data, {1, 0, 8}, sizeof data, flag, Post(Until::remote, kPatience))));
    EXPECT_EQ(word_at_one(rt), data);
  });
}

// A segment that is met for the first time is looked up, which takes two ways; what an aggregate handle keeps back for
// another one goes first, and finds no room: its queue is full with what a cut link holds.
TEST(TimeoutWithALookUp, IsThatOfBothForWhatAHandleKeepsBack) {
  SimulationOptions options = World{SimulatedDevice::network, 3, kWay, 0, true}.options();
  options.min_delay_ns = options.max_delay_ns;
  options.detection_ns = kPatience.nanoseconds();
  Simulation simulation(3, options);
  run_ranks(simulation, [&](Runtime& rt) {
    for (const SegmentId id : {0, 1}) ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = id}, rt.world(), kPatience)));
    if (rt.rank() == 0) {
      auto queue = rt.create_queue(1);
      ASSERT_TRUE(ok(queue));
      for (const Rank rank : {1, 2}) ASSERT_TRUE(ok(rt.remote_segment(rank, 0, kPatience)));
      const std::uint64_t value = 7;
      Handle handle(Handle::Kind::aggregate);
      Post post(handle, std::chrono::nanoseconds(3 * kWay));
      post.queue = queue->get();
      ASSERT_TRUE(ok(rt.put(&value, {1, 0, 8}, sizeof value, post)));
      simulation.cut(0, 2);
      ASSERT_TRUE(ok(rt.put(&value, {2, 0, 8}, sizeof value, Post(**queue, kPatience))));
      const std::int64_t begin = clock_here().now_ns();
      EXPECT_TRUE(fails(rt.put(&value, {1, 1, 8}, sizeof value, post), Code::queue_full));
      EXPECT_LT(clock_here().now_ns() - begin, 4 * kWay);
      simulation.heal(0, 2);
      EXPECT_TRUE(ok(rt.fence_all(kPatience)));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

// A member dies, so the segment is taken back; another one, which has met it, does not answer meanwhile.
TEST(TimeoutOfACreation, IsKeptWhereThatFails) {
  SimulationOptions options = World{SimulatedDevice::network, 3, kWay, 0, true}.options();
  options.runtime.helper = Helper::none;
  Simulation simulation(3, options);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    constexpr SegmentId kCreated = 5;
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) {
      const std::int64_t begin = clock_here().now_ns();
      EXPECT_TRUE(fails(rt.create_segment({.size = 64, .id = kCreated}, rt.world(), 1s), Code::peer_failed, "rank 2"));
      EXPECT_LT(clock_here().now_ns() - begin, std::int64_t{1'500'000'000});
      EXPECT_TRUE(rt.segments().empty());
    } else if (rt.rank() == 1) {
      while (!rt.remote_segment(0, kCreated, kPatience).ok()) rest(1ms);
      rest(10s);
    } else {
      rest(200ms);
      simulation.kill(2);
    }
  })));
}

}  // namespace
}  // namespace polder::test
