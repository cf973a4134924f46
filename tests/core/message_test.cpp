// Messages: in order, once, whole, of every size; and that two who flood each other do not lock each other up.
#include "core/ranks.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>

namespace polder::test {
namespace {

class Messages : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Messages, testing::ValuesIn(worlds({1, 2, 4, 8})), name_of_param);

// Messages that carry their number, and noise of a size that depends on it.
class Letters {
 public:
  Letters(Rank ranks, std::size_t limit) : limit_(limit), next_(ranks) {}

  std::vector<std::byte> write(Rank source, std::uint32_t number) const {
    constexpr std::size_t kHead = sizeof number;
    const std::size_t sizes[] = {kHead, kHead + 1, 100, 1000, limit_ / 4 + 1, limit_};
    auto letter = noise(source * 100'003 + number, sizes[number % std::size(sizes)]);
    std::memcpy(letter.data(), &number, kHead);
    return letter;
  }

  void take(Rank source, std::span<const std::byte> letter) {
    const std::uint32_t number = next_[source].load();
    const auto expected = write(source, number);
    EXPECT_TRUE(std::ranges::equal(letter, expected)) << "message " << number << " of rank " << source;
    next_[source].store(number + 1);
  }

  bool complete(std::uint32_t count) const {
    return std::ranges::all_of(next_, [&](const auto& next) { return next.load() == count; });
  }

 private:
  std::size_t limit_;
  std::vector<std::atomic<std::uint32_t>> next_;
};

template <class Condition>
bool eventually(Runtime& rt, Condition&& condition) {
  const util::Deadline deadline(kPatience, clock_here());
  while (!condition()) {
    if (deadline.passed()) return false;
    rt.progress();
    rest(100us);
  }
  return true;
}

TEST_P(Messages, ArriveInOrderFromAllIncludingOneself) {
  run([](Runtime& rt) {
    constexpr std::uint32_t kCount = 120;
    Letters letters(rt.size(), rt.max_message());
    ASSERT_TRUE(ok(rt.register_handler(7, [&](Rank source, auto letter) { letters.take(source, letter); })));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (std::uint32_t number = 0; number < kCount; ++number)
      for (Rank peer = 0; peer < rt.size(); ++peer)
        ASSERT_TRUE(ok(rt.send(peer, 7, letters.write(rt.rank(), number), kPatience)));
    EXPECT_TRUE(eventually(rt, [&] { return letters.complete(kCount); }));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Messages, AnEmptyOneIsOne) {
  run([](Runtime& rt) {
    std::atomic<int> empty{0};
    ASSERT_TRUE(ok(rt.register_handler(kMessageIdLimit - 1, [&](Rank source, auto letter) {
      EXPECT_EQ(source, previous_of(rt));
      empty += letter.empty() ? 1 : 100;
    })));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.send(next_of(rt), kMessageIdLimit - 1, {}, kPatience)));
    EXPECT_TRUE(eventually(rt, [&] { return empty.load() == 1; }));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Messages, OneWithoutAHandlerIsDroppedAndTheNextIsNot) {
  run([](Runtime& rt) {
    std::atomic<int> known{0};
    ASSERT_TRUE(ok(rt.register_handler(1, [&](Rank, auto) { known += 1; })));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    const auto letter = noise(1, 50);
    ASSERT_TRUE(ok(rt.send(next_of(rt), 2, letter, kPatience)));
    ASSERT_TRUE(ok(rt.send(next_of(rt), 1, letter, kPatience)));
    EXPECT_TRUE(eventually(rt, [&] { return known.load() == 1; }));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Messages, FloodsInAllDirectionsPassEachOther) {
  run([](Runtime& rt) {
    constexpr std::size_t kThreads = 2;
    const std::size_t count = 2400 / rt.size();
    std::atomic<std::size_t> taken{0};
    ASSERT_TRUE(ok(rt.register_handler(3, [&](Rank source, std::span<const std::byte> letter) {
      EXPECT_EQ(letter.size(), 3000 + source);
      taken += 1;
    })));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    const auto letter = noise(5, 3000 + rt.rank());
    std::vector<Thread> threads;
    for (std::size_t number = 0; number < kThreads; ++number)
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < count / kThreads; ++i)
          for (Rank peer = 0; peer < rt.size(); ++peer) ASSERT_TRUE(ok(rt.send(peer, 3, letter, kPatience)));
      });
    for (Thread& thread : threads) thread.join();
    const std::size_t all = count / kThreads * kThreads * rt.size();
    EXPECT_TRUE(eventually(rt, [&] { return taken.load() >= all; })) << taken.load() << " of " << all;
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(taken.load(), all);
  });
}

// Nobody takes the answers that would make room for the rest of it while a handler runs.
TEST(HandlersOfLargeTransfers, GiveUpThoseForWhoseRestThereIsNoRoom) {
  run_ranks(2, {.device = SimulatedDevice::messages, .runtime = {.timeout = kPatience, .helper = Helper::none}},
            [](Runtime& rt) {
              const std::vector<std::uint64_t> sevens(std::size_t{1} << 17, 7);
              const std::size_t bytes = sevens.size() * sizeof(std::uint64_t);
              auto segment = rt.create_segment({.size = bytes, .id = 0}, rt.world(), kPatience);
              ASSERT_TRUE(ok(segment));
              ASSERT_TRUE(ok(rt.remote_segment(1 - rt.rank(), 0, kPatience)));
              const auto queue = *rt.create_queue(1);
              bool served = false;
              ASSERT_TRUE(ok(rt.register_handler(0, [&](Rank asker, auto) {
                const GlobalAddress there{asker, 0, 0};
                const Post now(*queue, Timeout::test());
                EXPECT_TRUE(fails(rt.put(sevens.data(), there, bytes, now), Code::queue_full));
                EXPECT_TRUE(fails(rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, sevens.data(), there,
                                                bytes, Timeout::test()),
                                  Code::invalid_size, "handler"));
                served = true;
              })));
              ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
              if (rt.rank() == 1) {
                ASSERT_TRUE(ok(rt.send(0, 0, {}, kPatience)));
              } else {
                ASSERT_TRUE(eventually(rt, [&] { return served; }));
                ASSERT_TRUE(ok(rt.put(sevens.data(), {1, 0, 0}, bytes, {*queue, kPatience})));
                ASSERT_TRUE(ok(queue->wait(Completion::remote, kPatience)));
              }
              ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
              EXPECT_TRUE(rt.rank() == 0 || std::ranges::equal(sevens, segment->as<std::uint64_t>()));
            });
}

TEST_P(Messages, HandlersPostOperationsAndAnswers) {
  run([](Runtime& rt) {
    constexpr std::uint32_t kCount = 40;
    auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    static const std::uint64_t kOne = 1;
    std::atomic<std::uint32_t> answered{0}, unposted{0};
    // Whoever gets a question raises a number beside the asker, and answers; both without waiting.
    ASSERT_TRUE(ok(rt.register_handler(0, [&](Rank source, auto) {
      Status posted =
          rt.accumulate({.op = Reduction::sum, .type = DataType::uint64}, &kOne, {source, 0, 0}, 8, Timeout::test());
      if (!posted.ok()) unposted += 1;
      if (!rt.send(source, 1, {}, Timeout::test()).ok()) unposted += 1;
    })));
    ASSERT_TRUE(ok(rt.register_handler(1, [&](Rank, auto) { answered += 1; })));
    ASSERT_TRUE(ok(rt.remote_segment(previous_of(rt), 0, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ASSERT_TRUE(ok(rt.send(next_of(rt), 0, {}, kPatience)));
      ASSERT_TRUE(eventually(rt, [&] { return answered.load() == i + 1; }));
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(segment->as<std::uint64_t>()[0], kCount);
    EXPECT_EQ(unposted.load(), 0u);
  });
}

TEST(MessageDeathTest, AHandlerThatThrowsEndsTheProcessWithItsName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto throwing = [] {
    run_ranks(1, {.device = SimulatedDevice::network}, [](Runtime& rt) {
      ASSERT_TRUE(
          ok(rt.register_handler(17, [](Rank, std::span<const std::byte>) { throw std::runtime_error("no"); })));
      ASSERT_TRUE(ok(rt.send(0, 17, {}, kPatience)));
      std::this_thread::sleep_for(60s);
    });
  };
  EXPECT_DEATH(throwing(), "the handler of message 17, of rank 0, threw an exception: no");
}

}  // namespace
}  // namespace polder::test
