// Accumulate: every operation, type and shape against a reference, and many ranks at once on the same elements.
#include "core/direct/accumulate_direct.hpp"
#include "core/engine/engine.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/progress.hpp"
#include "core/ranks.hpp"
#include "core/reference.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <thread>

namespace polder::test {
namespace {

class Accumulates : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Accumulates, testing::ValuesIn(worlds({1, 4})), name_of_param);

constexpr std::size_t kCount = 2100;  // elements; more than one lock and more than one message for the wide ones

template <class T>
std::vector<T> sequence(std::uint64_t begin, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = small<T>(begin + i);
  return values;
}

template <class T>
void check_operation(Runtime& rt, const Segment& segment, Reduction op) {
  const auto before = sequence<T>(op == Reduction::min ? 3 : 7, kCount), x = sequence<T>(100 + rt.rank(), kCount);
  const T scale = small<T>(42);
  const Accumulation how{.op = op, .type = kDataType<T>, .scale = &scale};
  EXPECT_EQ(is_defined(op, kDataType<T>), defined<T>(op));
  if (!defined<T>(op)) {
    EXPECT_TRUE(fails(rt.accumulate(how, x.data(), {next_of(rt), 0, 0}, kCount * sizeof(T)), Code::invalid_argument,
                      to_string(op)));
    return;
  }
  std::copy(before.begin(), before.end(), segment.as<T>().begin());
  ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  constexpr std::size_t kFirst = 3;  // elements left alone at the beginning, and two at the end
  constexpr std::size_t kTouched = kCount - kFirst - 2;
  ASSERT_TRUE(ok(rt.accumulate(how, x.data(), {next_of(rt), 0, kFirst * sizeof(T)}, kTouched * sizeof(T))));
  ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  const auto arrived = sequence<T>(100 + previous_of(rt), kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const bool touched = i >= kFirst && i < kFirst + kTouched;
    const T expected = touched ? combined(op, before[i], arrived[i - kFirst], scale) : before[i];
    ASSERT_EQ(segment.as<T>()[i], expected) << to_string(op) << " of " << to_string(kDataType<T>) << ", element " << i;
  }
}

TEST_P(Accumulates, EveryOperationOnEveryType) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = kCount * 16, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (const Reduction op : kReductions)
      for_each_type([&](auto type) { check_operation<decltype(type)>(rt, *segment, op); });
  });
}

TEST_P(Accumulates, StridedPatchesAndLists) {
  run([](Runtime& rt) {
    constexpr std::size_t kRow = 100, kRows = 60;
    auto segment = rt.create_segment({.size = kRow * kRows * sizeof(double), .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const Accumulation how{.op = Reduction::sum, .type = DataType::float64};
    // Rows from the last to the first, and every other row only.
    const std::vector<double> patch = sequence<double>(rt.rank(), 7 * 30), item = sequence<double>(50 + rt.rank(), 9);
    const std::size_t counts[] = {30};
    const std::ptrdiff_t local[] = {7 * 8}, remote[] = {-2 * std::ptrdiff_t(kRow) * 8};
    const Strided strided{7 * 8, counts, local, remote};
    ASSERT_TRUE(ok(rt.accumulate(how, patch.data(), {next_of(rt), 0, (59 * kRow + 20) * 8}, strided)));
    const ListItem items[] = {{0, 8, 16}, {16, 80, 0}, {16, 40'000, 56}};
    ASSERT_TRUE(ok(rt.accumulate(how, item.data(), {next_of(rt), 0, 0}, std::span<const ListItem>(items))));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));

    std::vector<double> expected(kRow * kRows);
    const auto sent = sequence<double>(previous_of(rt), 7 * 30), listed = sequence<double>(50 + previous_of(rt), 9);
    for (std::size_t row = 0; row < 30; ++row)
      for (std::size_t i = 0; i < 7; ++i) expected[(59 - 2 * row) * kRow + 20 + i] += sent[row * 7 + i];
    for (std::size_t i = 0; i < 2; ++i) expected[1 + i] += listed[i];
    for (std::size_t i = 0; i < 7; ++i) expected[5000 + i] += listed[2 + i];
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(segment->as<double>()[i], expected[i]) << i;
  });
}

// At every offset, over the ends of several locks, from all ranks at once.
template <class T>
void check_unaligned(Runtime& rt, const Segment& segment, std::size_t offset) {
  constexpr std::size_t kElements = 4000;
  const auto x = sequence<T>(5, kElements);
  if (rt.rank() == 0) std::ranges::fill(segment.as<std::byte>(), std::byte{0});
  ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  const Accumulation how{.op = Reduction::sum, .type = kDataType<T>};
  ASSERT_TRUE(ok(rt.accumulate(how, x.data(), {0, 0, offset}, kElements * sizeof(T))));
  ASSERT_TRUE(ok(rt.fence_all(kPatience)));
  ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  if (rt.rank() != 0) return;
  for (std::size_t i = 0; i < kElements; ++i) {
    T found, expected{};
    std::memcpy(&found, segment.as<std::byte>().data() + offset + i * sizeof(T), sizeof found);
    for (Rank rank = 0; rank < rt.size(); ++rank) expected += x[i];
    ASSERT_EQ(found, expected) << to_string(kDataType<T>) << " " << i << " from offset " << offset;
  }
}

TEST_P(Accumulates, ElementsNeedNoAlignmentWhereTheProcessorAsksForNone) {
  if (!core::kUnalignedAccess) GTEST_SKIP() << "this processor does";
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 80'000, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (const std::size_t offset : {1, 4, 8, 13}) {
      check_unaligned<double>(rt, *segment, offset);
      check_unaligned<std::complex<double>>(rt, *segment, offset);
      check_unaligned<std::int32_t>(rt, *segment, offset);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    }
  });
}

TEST_P(Accumulates, IntegersWrap) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 8, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const std::int32_t values[] = {most, most};
    segment->as<std::int32_t>()[0] = 1;
    segment->as<std::int32_t>()[1] = most;
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.accumulate({.op = Reduction::sum, .type = DataType::int32}, values, {next_of(rt), 0, 0}, 8)));
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(segment->as<std::int32_t>()[0], std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(segment->as<std::int32_t>()[1], -2);
  });
}

TEST_P(Accumulates, SourceOfAnyAlignment) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 80, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const auto values = sequence<double>(5, 10);
    std::vector<std::byte> odd(81);
    std::memcpy(odd.data() + 1, values.data(), 80);
    ASSERT_TRUE(ok(rt.accumulate({}, odd.data() + 1, {next_of(rt), 0, 0}, 80)));
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(segment->as<double>()[i], values[i]);
  });
}

class ContendedAccumulate : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, ContendedAccumulate, testing::ValuesIn(worlds({2, 4, 8})), name_of_param);

TEST_P(ContendedAccumulate, NothingIsLost) {
  constexpr int kThreads = 2, kRounds = 8;
  constexpr std::size_t kElements = 5000, kShift = 700;  // threads overlap, but not quite
  run([&](Runtime& rt) {
    auto segment =
        rt.create_segment({.size = (kElements + kShift) * sizeof(std::int64_t), .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const std::vector<std::int64_t> values(kElements, std::int64_t(rt.rank()) + 1);
    std::vector<Thread> threads;
    for (int number = 0; number < kThreads; ++number)
      threads.emplace_back([&, number] {
        const GlobalAddress place{0, 0, number * kShift * sizeof(std::int64_t)};
        for (int round = 0; round < kRounds; ++round)
          ASSERT_TRUE(ok(rt.accumulate({.op = Reduction::sum, .type = DataType::int64}, values.data(), place,
                                       kElements * sizeof(std::int64_t))));
      });
    for (Thread& thread : threads) thread.join();
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() != 0) return;
    const std::int64_t each = std::int64_t(kRounds) * rt.size() * (rt.size() + 1) / 2;
    for (std::size_t i = 0; i < kElements + kShift; ++i)
      ASSERT_EQ(segment->as<std::int64_t>()[i], each * ((i < kElements) + (i >= kShift))) << i;
  });
}

// A rank in the middle of an accumulate, as its runtime does it.
struct Accumulating {
  Accumulating(const Runtime& rt, const core::PeerSegment& segment)
      : combined(rt.engine().outside(), rt.engine().progress(), segment,
                 core::accumulate_kernel(Reduction::sum, DataType::int64), DataType::int64, nullptr) {}
  Status one() { return combined.fetch(0, 1, Timeout::test()).status(); }
  core::DirectAccumulation combined;  // holds the lock until it goes
};

class ElementLocks : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, ElementLocks, testing::Values(SimulatedDevice::direct, SimulatedDevice::shm));

// Rank 2 was declared failed in the middle of an accumulate, and goes on: what it frees is not its any more.
TEST_P(ElementLocks, OneThatWasTakenOverIsNotFreedByItsFormerOwner) {
  std::array<std::atomic<Runtime*>, 3> ranks{};
  std::atomic<bool> is_over{false};
  Simulation simulation(3, {.device = GetParam(), .runtime = {.timeout = kPatience}});
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    ranks[rt.rank()].store(&rt);
    if (rt.rank() != 0) {
      while (!is_over.load()) rest(100us);
      return;
    }
    for (const auto& rank : ranks)
      while (rank.load() == nullptr) rest(100us);
    EXPECT_TRUE(ok(rt.create_segment({.size = 64, .id = 0})));
    const core::PeerSegment* segment = rt.engine().peer_segments().find(0, 0);
    if (segment != nullptr) {
      Accumulating second(*ranks[1], *segment), third(rt, *segment);
      {
        Accumulating first(*ranks[2], *segment);
        EXPECT_TRUE(ok(first.one()));
        EXPECT_TRUE(fails(second.one(), Code::timeout, "rank 2"));
        EXPECT_TRUE(ok(rt.mark_failed(2)));
        EXPECT_TRUE(ok(second.one()));
      }
      EXPECT_TRUE(fails(third.one(), Code::timeout, "rank 1")) << "it is locked still";
    }
    EXPECT_NE(segment, nullptr);
    is_over = true;
  })));
}

// What took up the first part of the time leaves the rest of it for the lock: in virtual time, so to the millisecond.
TEST(LockedElement, ATimeoutIsThatOfTheWholeCall) {
  using Call = Status (*)(Runtime&, std::chrono::milliseconds);
  constexpr GlobalAddress kTarget{0, 0, 0};
  constexpr Call kCalls[] = {[](Runtime& rt, std::chrono::milliseconds time) {
                               return rt.fetch_accumulate(Reduction::sum, kTarget, std::int64_t{1}, time).status();
                             },
                             [](Runtime& rt, std::chrono::milliseconds time) {
                               return rt.post_fetch_accumulate(Reduction::sum, nullptr, kTarget, std::int64_t{1},
                                                               Timeout(time));
                             }};
  for (const Call call : kCalls) {
    std::atomic<bool> is_locked{false}, is_over{false};
    Simulation simulation(2, {.device = SimulatedDevice::direct,
                              .runtime = {.timeout = kPatience, .commit_world = false},
                              .deterministic = true});
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      if (rt.rank() == 0) {
        EXPECT_TRUE(ok(rt.create_segment({.size = 64, .id = 0})));
        Accumulating holder(rt, *rt.engine().peer_segments().find(0, 0));
        EXPECT_TRUE(ok(holder.one()));
        is_locked = true;
        while (!is_over.load()) rest(100us);
        return;
      }
      while (!is_locked.load()) rest(100us);
      core::Peer& owner = rt.engine().peers().at(0);
      std::atomic<bool> is_connecting{false};
      Thread other([&] {  // is the first to connect, and takes its time
        owner.connecting.lock();
        is_connecting = true;
        rest(60ms);
        owner.connecting.unlock();
        rt.engine().progress().completions().ring();
      });
      while (!is_connecting.load()) rest(100us);
      const std::int64_t begin = simulation.now_ns();
      EXPECT_TRUE(fails(call(rt, 100ms), Code::timeout, "locked by rank 0"));
      EXPECT_EQ((simulation.now_ns() - begin) / 1'000'000, 100);
      other.join();
      is_over = true;
    })));
  }
}

}  // namespace
}  // namespace polder::test
