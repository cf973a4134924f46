// Collectives that nobody waits for: they go on while the program does something else, on every device.
#include "core/ranks.hpp"
#include "words.hpp"

#include <polder/collective.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

namespace polder::test {
namespace {

constexpr std::size_t kShort = 1, kMiddle = 10'000, kLong = 550'000;  // words; what is long is begun at once

class AttendantTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, AttendantTest, testing::ValuesIn(worlds({2, 5})), name_of_param);

// Asks nobody for progress.
void rest_until_ended(const Collective& collective) {
  while (collective.under_way()) rest(200us);
}

TEST_P(AttendantTest, GoesOnWhileNobodyWaits) {
  run([](Runtime& rt) {
    for (const std::size_t count : {kShort, kMiddle, kLong, kShort}) {
      const Words mine = words(rt.rank(), count);
      Words all(count);
      auto sums = Collective::allreduce(rt.world(), sum(count), mine.data(), all.data());
      ASSERT_TRUE(ok(sums));
      ASSERT_TRUE(ok(sums->start()));
      rest_until_ended(*sums);
      ASSERT_TRUE(ok(sums->wait(Timeout::test())));
      ASSERT_EQ(all, sum_of(rt.size(), count));
    }
  });
}

TEST_P(AttendantTest, RunsWhatFollowsThoughNobodyWaits) {
  run([](Runtime& rt) {
    Words data = rt.rank() == 0 ? words(0, kMiddle) : Words(kMiddle);
    std::atomic<bool> has_followed{false};
    auto copy = Collective::broadcast(rt.world(), 0, data.data(), 8 * kMiddle);
    ASSERT_TRUE(ok(copy));
    ASSERT_TRUE(ok(copy->start([&] { has_followed = true; })));
    while (!has_followed) rest(200us);
    ASSERT_TRUE(ok(copy->wait(Timeout::test())));
    ASSERT_EQ(data, words(0, kMiddle));
  });
}

// Of a group that has had no collective before: whoever ended the first one sets up all that it needs.
TEST_P(AttendantTest, BeginsTheFirstOneOfAnotherGroup) {
  run([](Runtime& rt) {
    std::vector<Rank> everybody(rt.size());
    for (Rank rank = 0; rank < rt.size(); ++rank) everybody[rank] = rank;
    auto other = rt.create_group(everybody);
    ASSERT_TRUE(ok(other) && ok((*other)->commit(kPatience)));
    Words data = rt.rank() == 0 ? words(0, kMiddle) : Words(kMiddle), all(kShort);
    const Words mine = words(rt.rank(), kShort);
    auto copy = Collective::broadcast(rt.world(), 0, data.data(), 8 * kMiddle);
    auto sums = Collective::allreduce(**other, sum(kShort), mine.data(), all.data());
    ASSERT_TRUE(ok(copy) && ok(sums));
    std::atomic<bool> has_begun{false};
    ASSERT_TRUE(ok(copy->start([&] {
      EXPECT_TRUE(ok(sums->start()));
      has_begun = true;
    })));
    while (!has_begun) rest(200us);
    ASSERT_TRUE(ok(sums->wait(kPatience)));
    ASSERT_EQ(all, sum_of(rt.size(), kShort));
    ASSERT_TRUE(ok(copy->wait(kPatience)));
  });
}

TEST_P(AttendantTest, TakesOverFromOneThatWaitedInVain) {
  run([](Runtime& rt) {
    const Rank late = rt.size() - 1;
    for (int round = 0; round < 4; ++round) {
      const Words mine = words(rt.rank(), kLong);
      Words all(kLong);
      auto sums = Collective::allreduce(rt.world(), sum(kLong), mine.data(), all.data());
      ASSERT_TRUE(ok(sums));
      if (rt.rank() == late) rest(3ms);
      ASSERT_TRUE(ok(sums->start()));
      if (rt.rank() != late) {
        const Status status = sums->wait(round % 2 == 0 ? 100us : 2ms);
        ASSERT_TRUE(status.ok() || status.timed_out()) << status.to_string();
      }
      rest_until_ended(*sums);
      ASSERT_TRUE(ok(sums->wait(Timeout::test())));
      ASSERT_EQ(all, sum_of(rt.size(), kLong));
    }
  });
}

// Short ones follow each other with no time to attend to them, while a long one is under way.
TEST_P(AttendantTest, LeavesWhatIsWaitedForToThoseWhoWait) {
  run([](Runtime& rt) {
    const Words mine = words(rt.rank(), kLong);
    Words all(kLong), one(1);
    auto sums = Collective::allreduce(rt.world(), sum(kLong), mine.data(), all.data());
    auto short_sums = Collective::allreduce(rt.world(), sum(1), mine.data(), one.data());
    ASSERT_TRUE(ok(sums) && ok(short_sums));
    ASSERT_TRUE(ok(sums->start()));
    for (int round = 0; round < 50; ++round) {
      one[0] = 0;
      ASSERT_TRUE(ok(short_sums->start()));
      ASSERT_TRUE(ok(short_sums->wait(kPatience)));
      ASSERT_EQ(one, sum_of(rt.size(), 1));
    }
    ASSERT_TRUE(ok(sums->wait(kPatience)));
    ASSERT_EQ(all, sum_of(rt.size(), kLong));
  });
}

// A group goes while its attendant sleeps, or has just done its work.
TEST_P(AttendantTest, EndsWithItsGroup) {
  run([](Runtime& rt) {
    std::vector<Rank> everybody(rt.size());
    for (Rank rank = 0; rank < rt.size(); ++rank) everybody[rank] = rank;
    for (int round = 0; round < 5; ++round) {
      auto group = rt.create_group(everybody);
      ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
      Words data(round % 2 == 0 ? kShort : kMiddle, rt.rank());
      auto copy = Collective::broadcast(**group, 0, data.data(), 8 * data.size());
      ASSERT_TRUE(ok(copy));
      ASSERT_TRUE(ok(copy->start(round % 3 == 0 ? std::function<void()>([] {}) : nullptr)));
      rest_until_ended(*copy);
      ASSERT_EQ(data, Words(data.size(), 0));
    }
  });
}

class AttendantDevices : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, AttendantDevices, testing::Values(SimulatedDevice::direct, SimulatedDevice::shm),
                         [](const auto& made) { return made.param == SimulatedDevice::direct ? "direct" : "shm"; });

TEST_P(AttendantDevices, WithoutHelpersOnlyCallersMakeProgress) {
  SimulationOptions options = World{GetParam(), 2}.options();
  options.runtime.helper = Helper::none;
  run_ranks(2, options, [](Runtime& rt) {
    Words data(kLong, rt.rank());
    auto copy = Collective::broadcast(rt.world(), 0, data.data(), 8 * kLong);
    ASSERT_TRUE(ok(copy));
    ASSERT_TRUE(ok(copy->start()));
    rest(5ms);
    ASSERT_TRUE(copy->under_way());
    ASSERT_TRUE(ok(copy->wait(kPatience)));
    ASSERT_EQ(data, Words(kLong, 0));
  });
}

TEST_P(AttendantDevices, HearsThatSomebodyIsDead) {
  SimulationOptions options = World{GetParam(), 3}.options();
  options.detection_ns = 5'000'000;
  Simulation simulation(3, options);
  ASSERT_TRUE(ok(simulation.run([&](Runtime& rt) {
    if (rt.rank() == 1) return simulation.kill(1);
    const Words mine(kMiddle);
    Words all(kMiddle);
    auto sums = Collective::allreduce(rt.world(), sum(kMiddle), mine.data(), all.data());
    ASSERT_TRUE(ok(sums));
    ASSERT_TRUE(ok(sums->start()));
    rest_until_ended(*sums);
    EXPECT_TRUE(fails(sums->wait(Timeout::test()), Code::peer_failed, "rank 1"));
  })));
}

}  // namespace
}  // namespace polder::test
