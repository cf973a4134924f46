// Flags: who sees one sees the data before it, and each is taken once.
#include "core/ranks.hpp"

#include <atomic>
#include <map>
#include <thread>

namespace polder::test {
namespace {

class Notifications : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Notifications, testing::ValuesIn(worlds({1, 2, 4, 8})), name_of_param);

TEST_P(Notifications, WaitSomeFindsTheLowestFromWhereItIsAsked) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 0, .id = 3}, rt.world(), kPatience)));
    for (const NotificationId id :
         {NotificationId{40'000}, NotificationId{5}, NotificationId{3}, NotificationId{65'535}})
      ASSERT_TRUE(ok(rt.notify(next_of(rt), 3, {.id = id, .value = id + 1})));
    for (const NotificationId id :
         {NotificationId{40'000}, NotificationId{5}, NotificationId{3}, NotificationId{65'535}})
      ASSERT_TRUE(ok(rt.wait_some(3, id, 1, kPatience)));
    EXPECT_EQ(rt.wait_some(3, 0, 65'536, kPatience).value_or(0), 3u);
    EXPECT_EQ(rt.wait_some(3, 4, 65'532, Timeout::test()).value_or(0), 5u);
    EXPECT_EQ(rt.wait_some(3, 6, 65'530, Timeout::test()).value_or(0), 40'000u);
    EXPECT_EQ(rt.wait_some(3, 40'001, 25'535, Timeout::test()).value_or(0), 65'535u);
    EXPECT_TRUE(fails(rt.wait_some(3, 6, 39'994, Timeout::test()), Code::timeout));
    EXPECT_TRUE(fails(rt.wait_some(3, 0, 3, 2ms), Code::timeout));
    EXPECT_EQ(rt.reset(3, 40'000).value_or(0), 40'001u);
    EXPECT_EQ(rt.reset(3, 40'000).value_or(9), 0u);
    EXPECT_EQ(rt.wait_some(3, 6, 65'530, Timeout::test()).value_or(0), 65'535u);
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
}

void take(Runtime& rt, std::uint32_t value) {
  EXPECT_TRUE(ok(rt.wait_some(0, 17, 1, kPatience)));
  EXPECT_EQ(rt.reset(0, 17).value_or(0), value);
}

TEST_P(Notifications, WaitingFindsAFlagThatComesLater) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 0, .id = 0}, rt.world(), kPatience)));
    for (std::uint32_t round = 1; round <= 50; ++round) {  // a ring, so that everyone waits for most of the time
      if (rt.rank() != 0) take(rt, round);
      ASSERT_TRUE(ok(rt.notify(next_of(rt), 0, {.id = 17, .value = round})));
      if (rt.rank() == 0) take(rt, round);
    }
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
}

// One of several streams from a rank to the next, each with a place, a flag and a thread of its own.
class Stream {
 public:
  Stream(Runtime& rt, Segment segment, std::size_t number, std::size_t bytes)
      : rt_(rt), segment_(segment), id_(NotificationId(number)), bytes_(bytes), offset_(number * bytes) {}

  void send_and_receive(std::uint32_t rounds) {
    auto queue = rt_.create_queue();
    ASSERT_TRUE(ok(queue));
    std::vector<std::byte> source(bytes_);
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      std::fill(source.begin(), source.end(), std::byte(round));
      ASSERT_TRUE(ok(send(source, round, **queue)));
      ASSERT_TRUE(ok(rt_.wait_some(0, id_, 1, kPatience)));
      ASSERT_EQ(rt_.reset(0, id_).value_or(0), round);
      for (std::size_t i = 0; i < bytes_; ++i) ASSERT_EQ(segment_.data[offset_ + i], std::byte(round)) << "byte " << i;
      // The sender may write again once it knows that this round has been read.
      ASSERT_TRUE(ok(rt_.notify(previous_of(rt_), 0, {.id = kReadFlags + id_, .value = round}, **queue)));
      ASSERT_TRUE(ok(rt_.wait_some(0, kReadFlags + id_, 1, kPatience)));
      ASSERT_EQ(rt_.reset(0, kReadFlags + id_).value_or(0), round);
      ASSERT_TRUE(ok((*queue)->wait(Completion::local, kPatience)));
    }
    ASSERT_TRUE(ok((*queue)->wait(Completion::remote, kPatience)));
  }

 private:
  static constexpr NotificationId kReadFlags = 1000;

  // In turn: one call; puts and then a flag; a list.
  Status send(const std::vector<std::byte>& source, std::uint32_t round, Queue& queue) {
    const GlobalAddress place{next_of(rt_), 0, offset_};
    const Notification flag{.id = id_, .value = round};
    if (round % 3 == 0) return rt_.put_notify(source.data(), place, bytes_, flag, queue);
    const std::size_t half = bytes_ / 2;
    const auto signed_half = std::ptrdiff_t(half);
    const ListItem items[] = {{signed_half, signed_half, bytes_ - half}, {0, 0, half}};
    if (round % 3 == 1) return rt_.put_notify(source.data(), place, std::span<const ListItem>(items), flag, queue);
    if (Status status = rt_.put(source.data() + half, place + half, bytes_ - half, queue); !status.ok()) return status;
    if (Status status = rt_.put(source.data(), place, half, queue); !status.ok()) return status;
    return rt_.notify(place.rank, 0, flag, queue);
  }

  Runtime& rt_;
  Segment segment_;
  NotificationId id_;
  std::size_t bytes_;
  std::size_t offset_;
};

void race(Runtime& rt, std::size_t bytes, std::uint32_t rounds) {
  constexpr std::size_t kThreads = 2;
  auto segment = rt.create_segment({.size = kThreads * bytes, .id = 0}, rt.world(), kPatience);
  ASSERT_TRUE(ok(segment));
  std::vector<Thread> threads;
  for (std::size_t number = 0; number < kThreads; ++number)
    threads.emplace_back([&, number] { Stream(rt, *segment, number, bytes).send_and_receive(rounds); });
  for (Thread& thread : threads) thread.join();
}

TEST_P(Notifications, AFlagNeverOvertakesItsWord) {
  run([](Runtime& rt) { race(rt, 8, 100); });
}

TEST_P(Notifications, AFlagNeverOvertakesItsBlock) {
  run([](Runtime& rt) { race(rt, 1000, 60); });
}

TEST_P(Notifications, AFlagNeverOvertakesDataOfManyMessages) {
  run([](Runtime& rt) { race(rt, 50'000, 15); });
}

TEST_P(Notifications, AccumulatedDataIsThereWhenALaterFlagIs) {
  run([](Runtime& rt) {
    constexpr std::size_t kCount = 200;
    auto segment = rt.create_segment({.size = kCount * sizeof(std::int64_t), .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const std::vector<std::int64_t> ones(kCount, 1);
    for (std::int64_t round = 1; round <= 20; ++round) {
      ASSERT_TRUE(ok(rt.accumulate({.op = Reduction::sum, .type = DataType::int64}, ones.data(), {next_of(rt), 0, 0},
                                   kCount * sizeof(std::int64_t))));
      ASSERT_TRUE(ok(rt.notify(next_of(rt), 0, {.id = 1})));
      ASSERT_TRUE(ok(rt.wait_some(0, 1, 1, kPatience)));
      ASSERT_EQ(rt.reset(0, 1).value_or(0), 1u);
      for (const std::int64_t value : segment->as<std::int64_t>()) ASSERT_EQ(value, round);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
}

TEST_P(Notifications, FlagBesideAnotherSegment) {
  run([](Runtime& rt) {
    auto data = rt.create_segment({.size = 64, .id = 0, .notifications = 1});
    ASSERT_TRUE(ok(data));
    ASSERT_TRUE(ok(rt.create_segment({.size = 0, .id = 1, .notifications = 8}, rt.world(), kPatience)));
    const std::uint64_t value = 4711 + rt.rank();
    ASSERT_TRUE(ok(rt.put_notify(&value, {next_of(rt), 0, 8}, sizeof value, {.id = 6, .value = 2, .segment = 1})));
    ASSERT_TRUE(ok(rt.wait_some(1, 0, 8, kPatience)));
    EXPECT_EQ(rt.reset(1, 6).value_or(0), 2u);
    EXPECT_EQ(data->as<std::uint64_t>()[1], 4711 + previous_of(rt));
    EXPECT_EQ(rt.reset(0, 0).value_or(9), 0u);
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
}

TEST_P(Notifications, GetNotifyTellsThatTheDataIsHere) {
  run([](Runtime& rt) {
    constexpr std::size_t kBytes = 70'000;
    auto segment = rt.create_segment({.size = kBytes, .id = 0});
    ASSERT_TRUE(ok(segment));
    const auto mine = noise(rt.rank(), kBytes);
    std::copy(mine.begin(), mine.end(), segment->data);
    ASSERT_TRUE(ok(rt.create_segment({.size = 0, .id = 1}, rt.world(), kPatience)));
    for (int round = 0; round < 10; ++round) {
      std::vector<std::byte> back(kBytes);
      ASSERT_TRUE(ok(rt.get_notify(back.data(), {next_of(rt), 0, 0}, kBytes, {.id = 11, .value = 3, .segment = 1})));
      ASSERT_TRUE(ok(rt.wait_some(1, 0, 100, kPatience)));
      EXPECT_EQ(rt.reset(1, 11).value_or(0), 3u);
      EXPECT_TRUE(back == noise(next_of(rt), kBytes));
      ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    }
  });
}

TEST_P(Notifications, ResetGivesTheValueToExactlyOneThread) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 0, .id = 0}, rt.world(), kPatience)));
    constexpr std::uint32_t kRounds = 100;
    std::atomic<std::uint64_t> taken{0};
    std::atomic<std::uint32_t> takers{0};
    const auto take = [&] {
      while (takers.load() < kRounds) {
        auto found = rt.wait_some(0, 5, 1, 1ms);
        if (!found.ok()) continue;
        const std::uint32_t value = rt.reset(0, 5).value_or(0);
        if (value == 0) continue;
        taken += value;
        takers += 1;
        EXPECT_TRUE(ok(rt.notify(rt.rank(), 0, {.id = 6})));
      }
    };
    std::vector<Thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(take);
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      EXPECT_TRUE(ok(rt.notify(rt.rank(), 0, {.id = 5, .value = round})));
      EXPECT_TRUE(ok(rt.wait_some(0, 6, 1, kPatience)));
      EXPECT_EQ(rt.reset(0, 6).value_or(0), 1u);
    }
    for (Thread& thread : threads) thread.join();
    EXPECT_EQ(takers.load(), kRounds);
    EXPECT_EQ(taken.load(), std::uint64_t{kRounds} * (kRounds + 1) / 2);
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
}

class ManyNotifications : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, ManyNotifications, testing::ValuesIn(worlds({2})), name_of_param);

TEST_P(ManyNotifications, AllOf65536ArriveOnce) {
  if (is_delayed(GetParam())) GTEST_SKIP() << "each of them would take its time";
  run([](Runtime& rt) {
    constexpr NotificationId kAll = 65'536;
    ASSERT_TRUE(ok(rt.create_segment({.size = 0, .id = 0, .notifications = kAll}, rt.world(), kPatience)));
    for (NotificationId id = 0; rt.rank() == 0 && id < kAll; ++id)
      ASSERT_TRUE(ok(rt.notify(1, 0, {.id = id, .value = 3 * id + 1})));
    std::vector<bool> seen(kAll);
    NotificationId from = 0;  // goes round, so that a test of all flags is not a search of all flags each time
    for (NotificationId count = 0; rt.rank() == 1 && count < kAll; ++count) {
      auto id = rt.wait_some(0, from, kAll - from, Timeout::test());
      if (!id.ok()) id = rt.wait_some(0, 0, kAll, kPatience);
      ASSERT_TRUE(ok(id));
      ASSERT_EQ(rt.reset(0, *id).value_or(0), 3 * *id + 1);
      ASSERT_FALSE(seen[*id]);
      seen[*id] = true;
      from = (*id + 1) % kAll;
    }
    EXPECT_TRUE(fails(rt.wait_some(0, 0, kAll, Timeout::test()), Code::timeout));
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
