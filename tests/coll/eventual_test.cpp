// Eventually consistent collectives: what each threshold does, on every device; what is refused; what deaths do.
#include "core/ranks.hpp"

#include <polder/eventual.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace polder::test {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr std::size_t kCount = 1000;
constexpr std::uint64_t kUntouched = 0xdeadbeef;

std::uint64_t word(Rank member, std::size_t i) {
  return util::mix(1000 * member + i);
}
Words words(Rank member) {
  Words all(kCount);
  for (std::size_t i = 0; i < kCount; ++i) all[i] = word(member, i);
  return all;
}
std::uint64_t sum_at(const std::vector<Rank>& members, std::size_t i) {
  std::uint64_t sum = 0;
  for (const Rank member : members) sum += word(member, i);
  return sum;
}
ReductionSpec sum() {
  return *reduction(Reduction::sum, DataType::uint64, kCount);
}
std::vector<Rank> everybody(Rank ranks) {
  std::vector<Rank> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  return all;
}
std::unique_ptr<Eventual> make(Runtime& rt, EventualSpec spec = {}) {
  spec.bytes = kCount * 8;
  auto made = Eventual::create(rt.world(), spec, kPatience);
  EXPECT_TRUE(ok(made));
  return *std::move(made);
}

// What the status says of the elements is what they are.
void expect_true(const EventualStatus& status, const Words& result) {
  std::size_t finals = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    finals += status.is_final(i);
    ASSERT_EQ(result[i], status.is_final(i) ? sum_at(status.contributors, i) : kUntouched) << i;
  }
  EXPECT_EQ(finals, status.elements);
}

bool is_same_everywhere(Runtime& rt, const Words& result) {
  const std::uint64_t mine = std::accumulate(result.begin(), result.end(), std::uint64_t{0});
  Words all(rt.size());
  EXPECT_TRUE(
      ok(rt.world().allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)), kPatience)));
  return all == Words(rt.size(), mine);
}

class EventualTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, EventualTest, testing::ValuesIn(worlds({1, 2, 5})), name_of_param);

TEST_P(EventualTest, AllOfAllIsTheConsistentResult) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    for (int round = 0; round < 10; ++round) {
      Words result(kCount, kUntouched);
      const auto status = eventual->allreduce(sum(), mine.data(), result.data(), {}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->contributors, everybody(rt.size()));
      EXPECT_EQ(status->elements, kCount);
      EXPECT_EQ(status->mine, Counted::yes);
      EXPECT_EQ(status->weight, double(rt.size()));
      expect_true(*status, result);
      EXPECT_TRUE(is_same_everywhere(rt, result));
    }
  });
}

TEST_P(EventualTest, ReduceAndBroadcastHaveAnyRoot) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    for (Rank root = 0; root < rt.size(); ++root) {
      Words result(kCount, kUntouched);
      auto status = eventual->reduce(root, sum(), mine.data(), result.data(), {}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->mine, Counted::yes);
      EXPECT_EQ(status->contributors, everybody(rt.size()));
      if (rt.rank() == root) {
        expect_true(*status, result);
      } else {
        EXPECT_EQ(result, Words(kCount, kUntouched));
      }
      Words data = rt.rank() == root ? words(root) : Words(kCount, kUntouched);
      status = eventual->broadcast(root, sum(), data.data(), {}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(data, words(root));
      EXPECT_EQ(status->contributors, rt.rank() == root ? everybody(rt.size()) : std::vector<Rank>{root});
    }
  });
}

TEST_P(EventualTest, PrefixesAndOrders) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    std::vector<std::size_t> backwards(kCount);
    for (std::size_t i = 0; i < kCount; ++i) backwards[i] = kCount - 1 - i;
    Words result(kCount, kUntouched);
    auto status = eventual->allreduce(sum(), mine.data(), result.data(), {.data = 0.25}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_TRUE(status->is_final(249) && !status->is_final(250));
    expect_true(*status, result);
    result.assign(kCount, kUntouched);
    status = eventual->allreduce(sum(), mine.data(), result.data(),
                                 {.data = 0.1, .choose = Choose::order, .order = backwards}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_TRUE(status->is_final(900) && !status->is_final(899));
    expect_true(*status, result);
  });
}

TEST_P(EventualTest, RotatingPrefixesBringEveryElement) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    Words seen(kCount, 0);
    for (int round = 0; round < 10; ++round) {
      Words result(kCount, kUntouched);
      const auto status =
          eventual->allreduce(sum(), mine.data(), result.data(), {.data = 0.3, .choose = Choose::rotating}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->elements, 300u);
      expect_true(*status, result);
      for (std::size_t i = 0; i < kCount; ++i) seen[i] += status->is_final(i);
    }
    EXPECT_EQ(seen, Words(kCount, 3));
  });
}

TEST_P(EventualTest, TheLargestOfEach) {
  run([](Runtime& rt) {
    auto eventual = make(rt, {.largest = true});
    // Each has its peak elsewhere; element 999 is large at all.
    std::vector<double> mine(kCount, 1), result(kCount, -7);
    mine[rt.rank()] = -100.0 - rt.rank();
    mine[999] = 50;
    const auto spec = *reduction(Reduction::sum, DataType::float64, kCount);
    const auto status =
        eventual->allreduce(spec, mine.data(), result.data(), {.data = 0.002, .choose = Choose::largest}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_TRUE(status->is_sent(rt.rank()) && status->is_sent(999));
    for (Rank rank = 0; rank < rt.size(); ++rank) {
      EXPECT_EQ(result[rank], -100.0 - rank);
      EXPECT_TRUE(status->is_touched(rank));
      EXPECT_EQ(status->is_final(rank), rt.size() == 1);
    }
    EXPECT_EQ(result[999], 50.0 * rt.size());
    EXPECT_TRUE(status->is_final(999));
  });
}

TEST_P(EventualTest, StagesLeaveTheSameOnesOut) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    Words result(kCount, kUntouched);
    const auto status = eventual->allreduce(sum(), mine.data(), result.data(),
                                            {.members = 0.5, .leave_out = LeaveOut::stages}, kPatience);
    ASSERT_TRUE(ok(status));
    const Rank in = rt.size() == 5 ? 4 : 1;
    EXPECT_EQ(status->contributors, everybody(in));
    EXPECT_EQ(status->mine, rt.rank() < in ? Counted::yes : Counted::no);
    expect_true(*status, result);
  });
}

TEST_P(EventualTest, EnhanceGoesOnToTheWhole) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    Words result(kCount, kUntouched);
    auto status = eventual->allreduce(sum(), mine.data(), result.data(), {.data = 0.5, .members = 0.5}, kPatience);
    ASSERT_TRUE(ok(status));
    const auto before = status->contributors;
    status = eventual->enhance({.data = 0.8, .members = 0.6}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_TRUE(std::includes(status->contributors.begin(), status->contributors.end(), before.begin(), before.end()));
    expect_true(*status, result);
    status = eventual->enhance({}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, everybody(rt.size()));
    EXPECT_EQ(status->elements, kCount);
    expect_true(*status, result);
  });
}

TEST_P(EventualTest, WeightsCanBeEnough) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    Words result(kCount, kUntouched);
    const auto status = eventual->allreduce(sum(), mine.data(), result.data(),
                                            {.weight = 10, .mine = rt.rank() == 0 ? 10.0 : 0.5}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_TRUE(status->weight >= 10 || status->contributors.size() == rt.size());
    expect_true(*status, result);
  });
}

TEST_P(EventualTest, WrongCallsChangeNothing) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    Words mine = words(rt.rank()), result(kCount, kUntouched);
    const auto call = [&](const Threshold& enough) {
      return eventual->allreduce(sum(), mine.data(), result.data(), enough, kPatience);
    };
    const std::size_t twice[] = {3, 3}, far[] = {kCount};
    EXPECT_TRUE(fails(call({.data = 1.5}), Code::invalid_argument, "share"));
    EXPECT_TRUE(fails(call({.members = -0.5}), Code::invalid_argument, "share"));
    EXPECT_TRUE(fails(call({.mine = -1}), Code::invalid_argument, "weight"));
    EXPECT_TRUE(fails(call({.choose = Choose::largest}), Code::invalid_argument, "largest"));
    EXPECT_TRUE(fails(call({.data = 0.002, .choose = Choose::order, .order = twice}), Code::invalid_argument, "twice"));
    EXPECT_TRUE(fails(call({.data = 0.001, .choose = Choose::order, .order = far}), Code::invalid_argument, "exist"));
    EXPECT_TRUE(fails(call({.choose = Choose::order, .order = twice}), Code::invalid_argument, "fewer"));
    EXPECT_TRUE(fails(eventual->allreduce(sum(), nullptr, result.data(), {}, kPatience), Code::invalid_argument));
    EXPECT_TRUE(fails(eventual->allreduce(sum(), mine.data(), mine.data() + 1, {}, kPatience), Code::invalid_argument));
    EXPECT_TRUE(
        fails(eventual->reduce(rt.size(), sum(), mine.data(), result.data(), {}, kPatience), Code::invalid_rank));
    const auto longer = *reduction(Reduction::sum, DataType::uint64, kCount + 1);
    EXPECT_TRUE(fails(eventual->allreduce(longer, mine.data(), result.data(), {}, kPatience), Code::invalid_size));
    EXPECT_TRUE(fails(eventual->enhance({}, kPatience), Code::invalid_argument, "no operation"));
    EXPECT_TRUE(fails(Eventual::create(rt.world(), {.apart = 0}, kPatience), Code::invalid_argument));
    ASSERT_TRUE(ok(call({.data = 0.5})));
    EXPECT_TRUE(fails(eventual->enhance({.data = 0.25}, kPatience), Code::invalid_argument, "more"));
    EXPECT_TRUE(fails(eventual->enhance({.choose = Choose::rotating}, kPatience), Code::invalid_argument, "chooses"));
    ASSERT_TRUE(ok(eventual->enhance({}, kPatience)));
    EXPECT_EQ(result[kCount - 1], sum_at(everybody(rt.size()), kCount - 1));
  });
}

TEST_P(EventualTest, ADifferentCallIsNamed) {
  run([](Runtime& rt) {
    if (rt.size() == 1) return;
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    Words result(kCount, kUntouched);
    const bool is_other = rt.rank() == 1;
    const auto outcome =
        eventual->allreduce(sum(), mine.data(), result.data(), {.data = is_other ? 0.5 : 0.25}, kPatience);
    EXPECT_TRUE(fails(outcome, Code::invalid_argument,
                      is_other ? "asked for is 500 here and 250 there)" : "asked for is 250 here and 500 there)"));
    EXPECT_EQ(result, Words(kCount, kUntouched));
    EXPECT_TRUE(ok(eventual->allreduce(sum(), mine.data(), result.data(), {}, kPatience)));
  });
}

TEST_P(EventualTest, ATimeoutLosesNothing) {
  run([](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    Words result(kCount, kUntouched);
    auto call = [&] { return eventual->allreduce(sum(), mine.data(), result.data(), {}, Timeout::test()); };
    auto status = call();
    while (status.status().timed_out()) {
      if (rt.size() > 1) {
        EXPECT_TRUE(fails(eventual->broadcast(0, sum(), result.data(), {}, kPatience), Code::busy));
      }
      let_others_run();
      status = call();
    }
    ASSERT_TRUE(ok(status));
    expect_true(*status, result);
  });
}

SimulationOptions virtual_time(SimulatedDevice device) {
  return {.device = device,
          .max_delay_ns = device == SimulatedDevice::direct ? 0 : 20'000,
          .runtime = {.timeout = kPatience},
          .deterministic = true};
}

class EventualInTime : public testing::TestWithParam<SimulatedDevice> {};
INSTANTIATE_TEST_SUITE_P(Devices, EventualInTime,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages));

TEST_P(EventualInTime, NobodyWaitsForTheLastOne) {
  Simulation simulation(4, virtual_time(GetParam()));
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    for (int round = 0; round < 3; ++round) {
      if (rt.rank() == 2) simulation.sleep(200'000'000);
      Words result(kCount, kUntouched);
      const auto status = eventual->allreduce(sum(), mine.data(), result.data(), {.members = 0.75}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 1, 3}));
      EXPECT_EQ(status->mine, rt.rank() == 2 ? Counted::no : Counted::yes);
      EXPECT_LT(status->waited, 100ms);
      expect_true(*status, result);
    }
  });
}

TEST_P(EventualInTime, ADeadlineEndsItWithWhatHasCome) {
  Simulation simulation(4, virtual_time(GetParam()));
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    if (rt.rank() == 1) simulation.sleep(1'000'000'000);
    Words result(kCount, kUntouched);
    auto status = eventual->allreduce(sum(), mine.data(), result.data(), {.deadline = 50ms}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 2, 3}));
    EXPECT_EQ(status->ended, Ended::deadline);
    expect_true(*status, result);
    // Its contributors are not all back in time for more: it stays what it was.
    if (rt.rank() == 3) simulation.sleep(2'000'000'000);
    status = eventual->enhance({.deadline = 50ms}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, (std::vector<Rank>{0, 2, 3}));
    expect_true(*status, result);
    status = eventual->enhance({}, kPatience);
    ASSERT_TRUE(ok(status));
    EXPECT_EQ(status->contributors, everybody(4));
    expect_true(*status, result);
  });
}

TEST_P(EventualInTime, AMemberThatIsAlwaysLateIsWaitedForInTheEnd) {
  Simulation simulation(3, virtual_time(GetParam()));
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make(rt, {.patience = 3});
    const Words mine = words(rt.rank());
    unsigned in_a_row = 0, counted = 0;
    for (int round = 0; round < 20; ++round) {
      simulation.sleep(rt.rank() == 0 ? 30'000'000 : 1'000'000);
      Words result(kCount, kUntouched);
      const auto status = eventual->allreduce(sum(), mine.data(), result.data(), {.members = 0.5}, kPatience);
      ASSERT_TRUE(ok(status));
      expect_true(*status, result);
      const bool is_in = status->contributors.front() == 0;
      in_a_row = is_in ? 0 : in_a_row + 1;
      counted += is_in;
      EXPECT_LE(in_a_row, 3u);
    }
    EXPECT_GE(counted, 5u);
  });
}

TEST_P(EventualInTime, TheDeadAreLeftOut) {
  Simulation simulation(5, virtual_time(GetParam()));
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto eventual = make(rt);
    const Words mine = words(rt.rank());
    if (rt.rank() == 0 || rt.rank() == 3) {
      simulation.sleep(5'000'000);
      return simulation.kill(rt.rank());
    }
    for (int round = 0; round < 6; ++round) {
      Words result(kCount, kUntouched);
      auto status = eventual->allreduce(sum(), mine.data(), result.data(), {}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->contributors, (std::vector<Rank>{1, 2, 4}));
      EXPECT_EQ(status->ended, Ended::deaths);
      expect_true(*status, result);
      status = eventual->reduce(2, sum(), mine.data(), result.data(), {}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(status->contributors.size(), 3u);
      EXPECT_TRUE(fails(eventual->reduce(3, sum(), mine.data(), result.data(), {}, kPatience), Code::peer_failed));
      EXPECT_TRUE(fails(eventual->broadcast(0, sum(), result.data(), {}, kPatience), Code::peer_failed, "gone"));
    }
  })));
}

TEST_P(EventualInTime, ARootThatDoesNotWaitRunsAhead) {
  Simulation simulation(3, virtual_time(GetParam()));
  run_ranks(simulation, [&](Runtime& rt) {
    auto eventual = make(rt);
    for (int round = 0; round < 4; ++round) {
      if (rt.rank() != 0) simulation.sleep(100'000'000);
      Words data = rt.rank() == 0 ? words(Rank(round)) : Words(kCount);
      const auto status = eventual->broadcast(0, sum(), data.data(), {.members = 0}, kPatience);
      ASSERT_TRUE(ok(status));
      EXPECT_EQ(data, words(Rank(round)));
      EXPECT_TRUE(rt.rank() != 0 || status->waited < 50ms);
    }
  });
}

}  // namespace
}  // namespace polder::test
