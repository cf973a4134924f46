// How peers over a network learn that a segment has ended, and what it costs them not to ask each time.
#include "core/ranks.hpp"

namespace polder::test {
namespace {

class SegmentEnd : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, SegmentEnd, testing::ValuesIn(worlds({2, 4})), name_of_param);

// The owner waits for its peers: whoever hears of the deletion later knows of it already.
TEST_P(SegmentEnd, TheNextCallRefusesIt) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 8, .id = 1})));
    for (int round = 0; round < 20; ++round) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
      std::uint64_t value = 1;
      ASSERT_TRUE(ok(rt.put_notify(&value, {next_of(rt), 0, 0}, 8, {.id = 1})));
      ASSERT_TRUE(ok(rt.wait_some(0, 1, 1, kPatience)));
      ASSERT_TRUE(ok(rt.fence_all(kPatience)));
      ASSERT_TRUE(ok(rt.delete_segment(0)));
      ASSERT_TRUE(ok(rt.notify(next_of(rt), 1, {.id = 3})));
      ASSERT_TRUE(ok(rt.notify(previous_of(rt), 1, {.id = 4})));
      ASSERT_TRUE(ok(rt.wait_some(1, 3, 1, kPatience)));
      ASSERT_TRUE(ok(rt.wait_some(1, 4, 1, kPatience)));
      ASSERT_TRUE(ok(rt.reset(1, 3)) && ok(rt.reset(1, 4)));
      EXPECT_TRUE(fails(rt.put(&value, {next_of(rt), 0, 0}, 8), Code::invalid_segment));
      EXPECT_TRUE(fails(rt.notify(next_of(rt), 0, {.id = 1}), Code::invalid_segment));
      EXPECT_TRUE(fails(rt.put_notify(&value, {next_of(rt), 1, 0}, 8, {.id = 1, .segment = 0}), Code::invalid_segment));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
}

class Patient : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, Patient, testing::Values(SimulatedDevice::network, SimulatedDevice::messages));

SimulationOptions slow(SimulatedDevice device) {
  return {.device = device, .min_delay_ns = 20'000'000, .max_delay_ns = 30'000'000, .runtime = {.timeout = kPatience}};
}

// A look-up takes 40 ms at least: whoever will not wait is told so at once, and the next call takes the answer.
TEST_P(Patient, ALookUpGoesOnBetweenCalls) {
  run_ranks(2, slow(GetParam()), [](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    EXPECT_TRUE(fails(rt.remote_segment(next_of(rt), 0, Timeout::test()), Code::timeout));
    int calls = 0;
    Result<RemoteSegment> found = Code::timeout;
    for (; found.status().timed_out() && calls < 1'000'000; ++calls)
      found = rt.remote_segment(next_of(rt), 0, Timeout::test());
    ASSERT_TRUE(ok(found));
    EXPECT_GT(calls, 1) << "no call waited for the answer";
    EXPECT_EQ(found->size, 64u);
  });
}

// A peer that has not heard of the end would take the new segment for the old one, and use memory that is gone.
TEST_P(Patient, ANumberIsNotUsedAgainBeforePeersHaveAnswered) {
  SimulationOptions options = slow(GetParam());
  options.deterministic = true;
  run_ranks(2, options, [](Runtime& rt) {
    std::uint64_t old_word = 0, word = 0;
    auto old = rt.create_segment({.size = sizeof old_word, .memory = &old_word});
    ASSERT_TRUE(ok(old));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.remote_segment(next_of(rt), old->id, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    Thread other([&] { EXPECT_TRUE(ok(rt.delete_segment(old->id))); });
    while (rt.segment(old->id).ok()) rest(100us);
    auto fresh = rt.create_segment({.size = sizeof word, .memory = &word});
    ASSERT_TRUE(ok(fresh));
    EXPECT_NE(fresh->id, old->id);
    other.join();
    EXPECT_EQ(rt.create_segment({.size = 8}).value_or({}).id, old->id) << "by now it is free";
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Patient, AGroupCommitsInManyShortCalls) {
  run_ranks(3, slow(GetParam()), [](Runtime& rt) {
    auto group = rt.create_group(0, rt.size());
    ASSERT_TRUE(ok(group));
    int calls = 1;
    Status status = (*group)->commit(Timeout::test());
    EXPECT_TRUE(fails(status, Code::timeout)) << "it takes several round trips";
    for (; status.timed_out() && calls < 10'000'000; ++calls) status = (*group)->commit(Timeout::test());
    ASSERT_TRUE(ok(status));
    status = (*group)->barrier(Timeout::test());
    for (; status.timed_out(); ++calls) status = (*group)->barrier(Timeout::test());
    EXPECT_TRUE(ok(status));
    EXPECT_GT(calls, 3);
  });
}

class Nodes : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, Nodes, testing::Values(SimulatedDevice::network, SimulatedDevice::messages));

TEST_P(Nodes, RanksOfANodeLoadAndStoreTheOthersDoNot) {
  const SimulationOptions options{.device = GetParam(), .ranks_per_node = 2, .runtime = {.timeout = kPatience}};
  run_ranks(5, options, [](Runtime& rt) {
    EXPECT_EQ(rt.local_rank(), rt.rank() % 2);
    EXPECT_EQ(rt.local_size(), rt.rank() == 4 ? 1u : 2u);
    auto segment = rt.create_segment({.size = 8 * rt.size(), .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (Rank peer = 0; peer < rt.size(); ++peer) {
      auto remote = rt.remote_segment(peer, 0, kPatience);
      ASSERT_TRUE(ok(remote));
      EXPECT_EQ(remote->direct != nullptr, peer / 2 == rt.rank() / 2) << "rank " << rt.rank() << " to " << peer;
      const std::uint64_t value = 100 + rt.rank();
      ASSERT_TRUE(ok(rt.put_notify(&value, {peer, 0, 8 * rt.rank()}, 8, {.id = rt.rank()})));
    }
    for (Rank peer = 0; peer < rt.size(); ++peer) {
      ASSERT_TRUE(ok(rt.wait_some(0, peer, 1, kPatience)));
      EXPECT_EQ(segment->as<std::uint64_t>()[peer], 100 + peer);
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
  });
}

TEST(Nodes, NeedANetworkBetweenThem) {
  Simulation simulation(2, {.device = SimulatedDevice::shm, .ranks_per_node = 1});
  EXPECT_TRUE(fails(simulation.run([](Runtime&) {}), Code::invalid_argument, "nodes"));
}

}  // namespace
}  // namespace polder::test
