// Atomics that nobody waits for one by one: old values arrive with local completion, nothing gets lost, and failures
// are told by queues and handles.
#include "core/ranks.hpp"

#include <algorithm>
#include <numeric>

namespace polder::test {
namespace {

class PostedAtomics : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, PostedAtomics, testing::ValuesIn(worlds({2, 3})), name_of_param);

constexpr int kRounds = 50;

TEST_P(PostedAtomics, EveryOperationFillsInTheOldValue) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    const GlobalAddress word{next_of(rt), 0, 8};
    Handle handle;
    const auto posted = [&](const Status& status) {
      EXPECT_TRUE(ok(status));
      EXPECT_TRUE(ok(handle.wait(Completion::local, kPatience)));
    };
    std::int64_t old = 99;
    posted(rt.post_swap(&old, word, std::int64_t{10}, handle));
    EXPECT_EQ(old, 0);
    posted(rt.post_fetch_add(&old, word, std::int64_t{-25}, handle));
    EXPECT_EQ(old, 10);
    posted(rt.post_compare_swap(&old, word, std::int64_t{1}, 2, handle));
    EXPECT_EQ(old, -15) << "differs: not stored";
    posted(rt.post_compare_swap(&old, word, std::int64_t{-15}, 12, handle));
    EXPECT_EQ(old, -15);
    posted(rt.post_atomic(AtomicOp::fetch_or, &old, word, 8, 3, 0, handle));
    EXPECT_EQ(old, 12);
    posted(rt.post_fetch_accumulate(Reduction::max, &old, word, std::int64_t{40}, handle));
    EXPECT_EQ(old, 15);
    posted(rt.post_fetch_add(nullptr, word, std::int64_t{1}, handle));
    EXPECT_EQ(rt.fetch_add(word, std::int64_t{0}).value_or(99), 41) << "also where the old value is not wanted";
  });
}

// Neighbours of the old value stay as they are.
template <class T>
void count_in(Runtime& rt, std::uint64_t offset) {
  std::vector<T> old(kRounds + 1, T(77));
  for (int i = 0; i < kRounds; ++i)
    ASSERT_TRUE(ok(rt.post_fetch_add(&old[std::size_t(i)], {next_of(rt), 0, offset}, T(1), kPatience)));
  ASSERT_TRUE(ok(rt.queue().wait(Completion::local, kPatience)));
  EXPECT_EQ(old.back(), T(77));
  old.pop_back();
  std::sort(old.begin(), old.end());
  for (int i = 0; i < kRounds; ++i) ASSERT_EQ(old[std::size_t(i)], T(i)) << "each ticket is drawn once";
}

TEST_P(PostedAtomics, WordsOfAllWidthsAndTypesManyAtATime) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    count_in<std::uint8_t>(rt, 0);
    count_in<std::int16_t>(rt, 2);
    count_in<std::uint32_t>(rt, 4);
    count_in<std::int64_t>(rt, 8);
    count_in<float>(rt, 16);
    count_in<double>(rt, 24);
    count_in<long long>(rt, 32);
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(segment->data[1], std::byte{0}) << "beside the word of 1 byte";
  });
}

TEST_P(PostedAtomics, ElementsAreAtomicAgainstAccumulate) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const double one = 1;
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_TRUE(ok(rt.post_fetch_add(nullptr, {0, 0, 0}, 1.0, kPatience)));
      ASSERT_TRUE(ok(rt.accumulate({}, &one, {0, 0, 0}, sizeof one, kPatience)));
      ASSERT_TRUE(ok(rt.fetch_add({0, 0, 0}, 1.0, kPatience)));
    }
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(rt.fetch_add({0, 0, 0}, 0.0).value_or(0), 3.0 * kRounds * rt.size());
  });
}

TEST_P(PostedAtomics, ReductionsOfShortIntegersAndReals) {
  run([](Runtime& rt) {
    ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
    const Rank peer = next_of(rt);
    EXPECT_EQ(rt.fetch_accumulate(Reduction::min, {peer, 0, 0}, std::int8_t{-7}).value_or(99), 0);
    EXPECT_EQ(rt.fetch_accumulate(Reduction::product, {peer, 0, 0}, std::int8_t{3}).value_or(99), -7);
    EXPECT_EQ(rt.fetch_accumulate(Reduction::sum, {peer, 0, 0}, std::int8_t{0}).value_or(99), -21);
    EXPECT_EQ(rt.fetch_accumulate(Reduction::max, {peer, 0, 2}, std::uint16_t{65535}).value_or(9), 0);
    EXPECT_EQ(rt.fetch_accumulate(Reduction::product, {peer, 0, 2}, std::uint16_t{65535}).value_or(9), 65535);
    EXPECT_EQ(rt.fetch_accumulate(Reduction::bit_xor, {peer, 0, 2}, std::uint16_t{0}).value_or(9), 1) << "wraps";
    EXPECT_EQ(rt.fetch_accumulate(Reduction::max, {peer, 0, 8}, 0.5).value_or(9), 0);
    EXPECT_EQ(rt.fetch_accumulate(Reduction::product, {peer, 0, 8}, 3.0).value_or(9), 0.5);
    EXPECT_EQ(rt.swap({peer, 0, 8}, -1.0).value_or(9), 1.5);
    EXPECT_EQ(rt.compare_swap({peer, 0, 8}, -1.0, 2.0).value_or(9), -1.0);
    EXPECT_EQ(rt.fetch_add({peer, 0, 8}, 0.0).value_or(9), 2.0);
    const std::int16_t more[] = {1, -2, 3};
    ASSERT_TRUE(ok(rt.accumulate({.type = DataType::int16}, more, {peer, 0, 16}, sizeof more, kPatience)));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    EXPECT_EQ(rt.fetch_add({peer, 0, 18}, std::int16_t{0}).value_or(9), -2);
  });
}

TEST_P(PostedAtomics, ANotificationDoesNotOvertakeThem) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_TRUE(ok(rt.post_fetch_add(nullptr, {next_of(rt), 0, 0}, std::uint64_t{1}, kPatience)));
      ASSERT_TRUE(ok(rt.post_fetch_add(nullptr, {next_of(rt), 0, 8}, std::uint16_t{1}, kPatience)));
    }
    ASSERT_TRUE(ok(rt.notify(next_of(rt), 0, {.id = 3}, kPatience)));
    ASSERT_TRUE(ok(rt.wait_some(0, 3, 1, kPatience)));
    EXPECT_EQ(rt.fetch_add({rt.rank(), 0, 0}, std::uint64_t{0}).value_or(0), std::uint64_t(kRounds));
    EXPECT_EQ(rt.fetch_add({rt.rank(), 0, 8}, std::uint16_t{0}).value_or(0), kRounds);
  });
}

TEST_P(PostedAtomics, WrongOnesAreRefusedAndChangeNothing) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const Rank peer = next_of(rt);
    const std::uint64_t one = 1;
    std::uint64_t old = 5;
    const auto post = [&](AtomicOp op, GlobalAddress at, std::size_t width) {
      return rt.post_atomic(op, &old, at, width, one, 0, kPatience);
    };
    EXPECT_TRUE(fails(post(AtomicOp(99), {peer, 0, 0}, 8), Code::invalid_argument, "99"));
    EXPECT_TRUE(fails(rt.atomic(AtomicOp(6), {peer, 0, 0}, 8, 1), Code::invalid_argument, "6"));
    for (const std::size_t width : {0, 3, 16, 264})
      EXPECT_TRUE(fails(post(AtomicOp::swap, {peer, 0, 0}, width), Code::invalid_size, "1, 2, 4 or 8"));
    EXPECT_TRUE(fails(post(AtomicOp::swap, {peer, 0, 1}, 2), Code::invalid_alignment));
    EXPECT_TRUE(fails(post(AtomicOp::swap, {peer, 0, 64}, 1), Code::invalid_offset));
    EXPECT_TRUE(fails(post(AtomicOp::swap, {rt.size(), 0, 0}, 8), Code::invalid_rank));
    EXPECT_TRUE(fails(post(AtomicOp::swap, {peer, 9, 0}, 8), Code::invalid_segment));
    const auto reduce = [&](Reduction op, DataType type, const void* value) {
      return rt.post_fetch_accumulate(op, type, &old, {peer, 0, 0}, value, kPatience);
    };
    EXPECT_TRUE(fails(reduce(Reduction::axpy, DataType::float64, &one), Code::invalid_argument, "axpy"));
    EXPECT_TRUE(fails(reduce(Reduction::bit_and, DataType::float64, &one), Code::invalid_argument, "bit_and"));
    EXPECT_TRUE(fails(reduce(Reduction::sum, DataType::complex64, &one), Code::invalid_argument, "complex64"));
    EXPECT_TRUE(fails(reduce(Reduction::sum, DataType(77), &one), Code::invalid_argument, "unknown"));
    EXPECT_TRUE(fails(reduce(Reduction(77), DataType::int8, &one), Code::invalid_argument, "unknown"));
    EXPECT_TRUE(fails(reduce(Reduction::sum, DataType::int8, nullptr), Code::invalid_argument, "null"));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(old, 5u);
    EXPECT_EQ(segment->as<std::uint64_t>()[0], 0u);
  });
}

TEST(PostedAtomicsAndFaults, TheHandleTellsOfADeath) {
  for (const SimulatedDevice device : {SimulatedDevice::network, SimulatedDevice::messages}) {
    Simulation simulation(2, {.device = device, .min_delay_ns = 50'000'000, .max_delay_ns = 50'000'000});
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
      if (rt.rank() == 1) return void(rt.wait_some(0, 0, 1, kPatience));
      ASSERT_TRUE(ok(segment));
      ASSERT_TRUE(ok(rt.fetch_add({1, 0, 0}, 1, kPatience)));
      Handle handle;
      std::uint64_t old = 5;
      ASSERT_TRUE(ok(rt.post_fetch_add(&old, {1, 0, 0}, std::uint64_t{1}, handle)));
      simulation.kill(1);
      EXPECT_TRUE(fails(handle.wait(Completion::local, kPatience), Code::peer_failed));
      EXPECT_EQ(old, 5u) << "there is no old value";
    })));
  }
}

TEST(PostedAtomicsAndQueues, AFullQueueRefusesAndAWaitMakesRoom) {
  run_ranks(
      2, {.device = SimulatedDevice::network, .min_delay_ns = 20'000'000, .max_delay_ns = 20'000'000}, [](Runtime& rt) {
        ASSERT_TRUE(ok(rt.create_segment({.size = 8, .id = 0}, rt.world(), kPatience)));
        if (rt.rank() != 0) return;
        ASSERT_TRUE(ok(rt.fetch_add({1, 0, 0}, std::uint32_t{0}, kPatience)));
        auto queue = rt.create_queue(2);
        ASSERT_TRUE(ok(queue));
        std::uint32_t old[3] = {};
        for (int i = 0; i < 2; ++i)
          ASSERT_TRUE(ok(rt.post_fetch_add(&old[i], {1, 0, 0}, 1u, {**queue, Timeout::test()})));
        EXPECT_TRUE(fails(rt.post_fetch_add(&old[2], {1, 0, 0}, 1u, {**queue, Timeout::test()}), Code::queue_full));
        ASSERT_TRUE(ok((*queue)->wait(Completion::local, kPatience)));
        EXPECT_EQ(old[0] + old[1], 1u);
        ASSERT_TRUE(ok(rt.post_fetch_add(&old[2], {1, 0, 0}, 1u, {Until::local, kPatience})));
        EXPECT_EQ(old[2], 2u);
      });
}

}  // namespace
}  // namespace polder::test
