#include "sim_fixture.hpp"

namespace polder::device::sim {
namespace {

class SimOrder : public testing::TestWithParam<std::uint64_t> {
 protected:
  Network network_{{.ranks = 2, .max_delay_ns = 2'000'000, .seed = GetParam(), .detection_ns = 5'000'000'000}};
};

INSTANTIATE_TEST_SUITE_P(Seeds, SimOrder, testing::Range<std::uint64_t>(1, 9));

TEST_P(SimOrder, FlagOvertakesNeitherItsDataNorEarlierPuts) {
  constexpr std::uint64_t kRounds = 20, kPuts = 10;
  std::vector<std::uint64_t> values(kRounds * kPuts);
  std::vector<Watch> watches(kRounds * kPuts);
  for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = i + 1;
  Memory& memory = network_.memory(1);
  std::thread consumer([&] {
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      ASSERT_TRUE(eventually([&] { return memory.flags[round].load(std::memory_order_acquire) != 0; }));
      for (std::uint64_t i = 0; i < (round + 1) * kPuts; ++i)
        ASSERT_EQ(memory.words[i].load(std::memory_order_relaxed), i + 1) << "flag " << round << " overtook put " << i;
    }
  });
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const bool last = i % kPuts == kPuts - 1;
    ASSERT_TRUE((last ? network_.put_notify(0, 1, &values[i], i, Memory::flag(std::uint32_t(i / kPuts)), &watches[i])
                      : network_.put(0, 1, &values[i], i, &watches[i]))
                    .ok());
  }
  consumer.join();
  for (Watch& watch : watches) EXPECT_TRUE(watch.wait().ok());
}

TEST_P(SimOrder, FlagAloneWaitsForEarlierPuts) {
  std::vector<std::uint64_t> values(50, 1);
  std::vector<Watch> watches(51);
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(network_.put(0, 1, &values[i], i, &watches[i]).ok());
  ASSERT_TRUE(network_.notify(0, 1, Memory::flag(0), &watches[50]).ok());
  Memory& memory = network_.memory(1);
  ASSERT_TRUE(eventually([&] { return memory.flags[0].load(std::memory_order_acquire) != 0; }));
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_EQ(memory.words[i].load(std::memory_order_relaxed), 1u) << i;
  for (Watch& watch : watches) EXPECT_TRUE(watch.wait().ok());
}

TEST_P(SimOrder, LastValueOfAFlagIsTheLastOnePosted) {
  std::vector<Watch> watches(30);
  for (std::uint32_t i = 0; i < 30; ++i) ASSERT_TRUE(network_.notify(0, 1, Memory::flag(0, i + 1), &watches[i]).ok());
  for (Watch& watch : watches) ASSERT_TRUE(watch.wait().ok());
  EXPECT_EQ(network_.memory(1).flags[0], 30u);
}

TEST_P(SimOrder, MessagesArriveInOrderAndOnce) {
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(network_.device(0).send(1, HandlerId(i), bytes_of(std::to_string(i)), {}).ok());
  Mailbox box;
  ASSERT_TRUE(eventually([&] {
    network_.device(1).progress(box);
    return box.mail.size() >= 100;
  }));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(box.mail[std::size_t(i)].handler, i);
    EXPECT_EQ(box.mail[std::size_t(i)].text, std::to_string(i));
  }
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(network_.device(1).progress(box), 0);
}

// The delays are drawn, but the rules hold also for what waited behind a cut and is carried after the heal.
TEST_P(SimOrder, HoldsAcrossACut) {
  std::vector<std::uint64_t> values(40, 1);
  std::vector<Watch> watches(41);
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(network_.put(0, 1, &values[i], i, &watches[i]).ok());
  network_.fabric().cut(0, 1);
  for (std::uint64_t i = 20; i < 40; ++i) ASSERT_TRUE(network_.put(0, 1, &values[i], i, &watches[i]).ok());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(network_.device(0).send(1, HandlerId(i), {}, {}).ok());
  std::this_thread::sleep_for(3ms);
  network_.fabric().heal(0, 1);
  ASSERT_TRUE(network_.notify(0, 1, Memory::flag(0), &watches[40]).ok());
  Memory& memory = network_.memory(1);
  ASSERT_TRUE(eventually([&] { return memory.flags[0].load(std::memory_order_acquire) != 0; }));
  for (std::uint64_t i = 0; i < 40; ++i) ASSERT_EQ(memory.words[i].load(std::memory_order_relaxed), 1u) << i;
  Mailbox box;
  ASSERT_TRUE(eventually([&] {
    network_.device(1).progress(box);
    return box.mail.size() >= 20;
  }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(box.mail[std::size_t(i)].handler, i);
  for (Watch& watch : watches) EXPECT_TRUE(watch.wait().ok());
}

TEST(SimOrderImmediate, HoldsAcrossACut) {
  Network network({.ranks = 2, .detection_ns = 5'000'000'000});
  std::uint64_t value = 1;
  Watch put, flag;
  network.fabric().cut(0, 1);
  ASSERT_TRUE(network.put(0, 1, &value, 0, &put).ok());
  EXPECT_FALSE(put.is_local()) << "it waits at the cut";
  network.fabric().heal(0, 1);
  ASSERT_TRUE(network.notify(0, 1, Memory::flag(0), &flag).ok());
  ASSERT_TRUE(eventually([&] { return network.memory(1).flags[0].load(std::memory_order_acquire) != 0; }));
  EXPECT_EQ(network.memory(1).words[0].load(std::memory_order_relaxed), 1u);
  EXPECT_TRUE(put.wait().ok());
  EXPECT_TRUE(flag.wait().ok());
}

}  // namespace
}  // namespace polder::device::sim
