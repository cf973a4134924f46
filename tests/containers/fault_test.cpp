// Units that are slow, out of reach or dead: what a Failure leaves behind. In virtual time.
#include <polder/collective.hpp>
#include <polder/containers/adaptors.hpp>
#include <polder/containers/copy.hpp>
#include <polder/containers/halo.hpp>
#include <polder/containers/matrix.hpp>
#include <polder/containers/reduce.hpp>
#include <polder/containers/threads.hpp>
#include <polder/containers/unordered_map.hpp>
#include <polder/containers/update.hpp>

#include "units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace polder::containers {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

Code code_of_failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.code();
  }
  return Code::ok;
}

// Runs body(team, simulation) as each unit, in virtual time. Units need not leave together.
void as_patient_units(Rank units, const std::function<void(const Team&, Simulation&)>& body, std::int64_t delay = 0) {
  Simulation simulation(
      units,
      {.min_delay_ns = delay, .max_delay_ns = delay, .detection_ns = 1000 * kMillisecond, .deterministic = true});
  const Status status = simulation.run([&](Runtime& rt) {
    try {
      body(Team(rt, rt.world(), 60s), simulation);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "rank " << rt.rank() << ": " << error.what();
    }
  });
  ASSERT_TRUE(status.ok()) << status.to_string();
}

// ---- memory that operations leave behind ----

// A frame that lies where that of a call before it lay.
template <class Call>
[[gnu::noinline]] void in_a_frame(Call&& call) {
  call();
}
[[gnu::noinline]] void expect_untouched(Simulation& simulation) {
  unsigned char canary[4096];
  std::memset(canary, 0x5a, sizeof canary);
  simulation.sleep(400 * kMillisecond);
  std::size_t changed = 0;
  for (const volatile unsigned char& byte : canary) changed += byte == 0x5a ? 0 : 1;
  EXPECT_EQ(changed, 0u);
}

struct Wide {
  std::uint64_t words[64];
};

// What unit 0 says to unit 1 is on its way for 200 ms, and unit 0 waits for 50.
void while_unit_1_is_slow(const Team& team, Simulation& simulation, const std::function<void()>& call) {
  team.barrier();
  simulation.sleep(kMillisecond);
  if (team.unit() == 0) {
    simulation.cut(0, 1);
    in_a_frame([&] { EXPECT_EQ(code_of_failure(call), Code::timeout); });
    expect_untouched(simulation);
  } else {
    simulation.sleep(200 * kMillisecond);
    simulation.heal(0, 1);
  }
  simulation.sleep(500 * kMillisecond);
}

TEST(ContainerFault, AnElementThatComesTooLateChangesNothing) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    Array<Wide> a(team.within(50ms), {2});
    std::fill_n(a.local()[0].words, 64, 0xeeee'eeee'eeee'eeeeu);
    team.barrier();
    EXPECT_EQ(a[1].load().words[5], a.local()[0].words[5]);
    while_unit_1_is_slow(team, simulation, [&] { (void)a[1].load(); });
    team.barrier();
  });
}

TEST(ContainerFault, AnElementThatIsWrittenTooLateIsWrittenWhole) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    Array<Wide> a(team.within(50ms), {2});
    team.barrier();
    if (team.unit() == 0) a[1] = Wide{};
    while_unit_1_is_slow(team, simulation, [&] {
      Wide value;
      std::fill_n(value.words, 64, 7u);
      a[1] = value;
    });
    team.barrier();
    const std::uint64_t expected = team.unit() == 1 ? 7 : 0;
    for (const std::uint64_t word : a.local()[0].words) EXPECT_EQ(word, expected);
    team.barrier();
  });
}

TEST(ContainerFault, AValueOfAMapThatComesTooLateChangesNothing) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    UnorderedMap<std::uint64_t, std::uint64_t> map(team.within(50ms));
    std::uint64_t key = 0;
    while (map.unit_of(key) != 1) ++key;
    map.insert(key, team.unit());
    map.commit();
    EXPECT_TRUE(map.contains(key));
    while_unit_1_is_slow(team, simulation, [&] { (void)map.find(key); });
    team.barrier();
  });
}

TEST(ContainerFault, ACopyThatTakesTooLongLeavesNothingUnderWay) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    Array<int> a(team.within(50ms), {20});
    std::fill(a.local().begin(), a.local().end(), 3);
    std::vector<int> memory(20);
    team.barrier();
    copy(a, std::span(memory));
    while_unit_1_is_slow(team, simulation, [&] {
      memory.assign(20, 0);
      try {
        copy(a, std::span(memory));
      } catch (...) {
        memory.assign(20, 0);
        throw;
      }
    });
    EXPECT_EQ(std::count(memory.begin(), memory.end(), team.unit() == 0 ? 0 : 3), 20);
    team.barrier();
  });
}

TEST(ContainerFault, ACopyThatFailsLeavesNothingUnderWay) {
  constexpr std::size_t kEach = 4096;
  auto body = [](const Team& team, Simulation& simulation) {
    Array<int> a(team, {3 * kEach});
    std::fill(a.local().begin(), a.local().end(), 3);
    team.barrier();
    if (team.unit() == 2) {
      simulation.sleep(100 * kMillisecond);  // the others have left the barrier
      simulation.kill(team.rank(2));
      return;
    }
    while (team.runtime().health(team.rank(2)) != Health::failed) simulation.sleep(kMillisecond);
    if (team.unit() == 0) {
      std::vector<int> memory(3 * kEach);
      EXPECT_EQ(code_of_failure([&] { copy(a, std::span(memory)); }), Code::peer_failed);
      std::fill(memory.begin(), memory.end(), 0);
      simulation.sleep(100 * kMillisecond);
      EXPECT_EQ(std::count(memory.begin(), memory.end(), 0), std::ptrdiff_t(memory.size()));
    }
    simulation.sleep(200 * kMillisecond);
  };
  as_patient_units(3, body, 5 * kMillisecond);
}

// What unit 1 sends is to go straight to where unit 0 wants it, and comes when that one has given up.
TEST(ContainerFault, ACollectiveThatTimesOutLeavesNothingUnderWay) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;  // in several chunks, past the cells of letters
  auto body = [](const Team& team, Simulation& simulation) {
    std::vector<std::byte> sent(2 * kBytes, std::byte(team.unit() + 1)), received(2 * kBytes);
    const auto exchange = [&](const Team& patience) {
      patience.meet("an exchange", [&] {
        return alltoall(patience.group(), kBytes, sent.data(), received.data(), patience.timeout());
      });
    };
    exchange(team);
    team.barrier();
    if (team.unit() == 0) {
      simulation.cut(1, 0);
      EXPECT_EQ(code_of_failure([&] { exchange(team.within(50ms)); }), Code::timeout);
      std::fill(received.begin(), received.end(), std::byte{0x5a});
      simulation.heal(1, 0);
      simulation.sleep(400 * kMillisecond);
      EXPECT_EQ(std::size_t(std::count(received.begin(), received.end(), std::byte{0x5a})), received.size());
    } else {
      simulation.sleep(kMillisecond);
      EXPECT_EQ(code_of_failure([&] { exchange(team); }), Code::peer_failed);
    }
    simulation.sleep(500 * kMillisecond);
  };
  as_patient_units(2, body, kMillisecond);
}

// ---- collectives that others do not come to, or that end early here ----

constexpr const char* kOutOfStep = "this rank has left a collective of this group before its end";

std::string of_barrier(const Team& team) {
  return text_of_failure([&] { team.barrier(); });
}

// Else unit 0's barrier would be the end of the one in which it gave its array back, and it a barrier ahead for good.
TEST(ContainerFault, TheEndOfAnArrayThatTimesOutIsNotTakenForABarrier) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    {
      Array<int> x(team.within(team.unit() == 0 ? Timeout(50ms) : Timeout(60s)), {10});
      if (team.unit() == 1) simulation.sleep(500 * kMillisecond);
    }
    const std::string text = of_barrier(team);  // at unit 1 it ends when unit 0 does
    EXPECT_NE(text.find(team.unit() == 0 ? kOutOfStep : "rank 0 has left"), std::string::npos) << text;
  });
}

TEST(ContainerFault, ACollectiveThatTimesOutIsNotTakenForTheNext) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    Array<int> a(team, {2});
    a.local()[0] = 1;
    const Team hasty = team.within(50ms);
    if (team.unit() == 0) {
      EXPECT_EQ(code_of_failure([&] { (void)hasty.gather(1, "the first"); }), Code::timeout);
      const std::string text = text_of_failure([&] { (void)team.gather(2, "the second"); });
      EXPECT_NE(text.find(std::string("the second at rank 0: invalid group: ") + kOutOfStep), std::string::npos)
          << text;
      EXPECT_NE(text_of_failure([&] { (void)reduce(a, 0); }).find(kOutOfStep), std::string::npos);
      EXPECT_NE(text_of_failure([&] { Array<int>(team, {2}); }).find(kOutOfStep), std::string::npos);
      EXPECT_EQ(a[1].load(), 1);  // one-sided operations go on
    }
    simulation.sleep(500 * kMillisecond);
  });
}

// Else the barrier of unit 0 would be the end of unit 1's transform.
TEST(ContainerFault, ATransferThatTimesOutInACollectiveLeavesItsUnitOutOfStep) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    const bool hasty = team.unit() == 0;
    const Team mine = team.within(hasty ? Timeout(50ms) : Timeout(60s));
    Array<int> in(mine, {16}), out(mine, BlockCyclic<1>({16}, {Spread::block_cyclic(4)}, {2}));
    int calls = 0;
    const auto function = [&](int x) {
      if (++calls > 1) return x;
      simulation.sleep((hasty ? 10 : 200) * kMillisecond);  // unit 1 has fetched what it needs when unit 0 is cut off
      hasty ? simulation.cut(0, 1) : simulation.heal(0, 1);
      return x;
    };
    EXPECT_EQ(code_of_failure([&] { transform(in, out, function); }), hasty ? Code::timeout : Code::peer_failed);
    if (hasty) {
      EXPECT_EQ(calls, 4);  // those of its second block never come
      EXPECT_NE(of_barrier(team).find(kOutOfStep), std::string::npos);
    }
  });
}

TEST(ContainerFault, AFunctionThatThrowsLeavesItsUnitOutOfStep) {
  as_patient_units(2, [](const Team& team, Simulation&) {
    Array<int> a(team, {2});
    if (team.unit() == 0) {
      const auto refuse = [](int&) { throw std::runtime_error("no"); };
      EXPECT_THROW(for_each(a, refuse), std::runtime_error);
      EXPECT_NE(of_barrier(team).find(kOutOfStep), std::string::npos);
      EXPECT_THROW(for_each(Threads{2}, a, refuse), std::runtime_error);
      EXPECT_THROW(reduce(transformed(a, [](int) -> int { throw std::runtime_error("no"); }), 0), std::runtime_error);
    } else {
      EXPECT_NE(text_of_failure([&] { fill(a, 1); }), "");
    }
  });
}

TEST(ContainerFault, WrongListsLeaveTheirUnitOutOfStep) {
  as_patient_units(2, [](const Team& team, Simulation&) {
    Array<int> a(team, {2});
    const std::vector<Index<1>> indexes(1, {team.unit() == 0 ? 2u : 1u});
    const std::string text = text_of_failure([&] { update(a, indexes, std::vector<int>(1)); });
    EXPECT_NE(text, "");
    if (team.unit() == 0) {
      EXPECT_NE(text.find("index (2), number 0 of a list"), std::string::npos) << text;
      EXPECT_NE(of_barrier(team).find(kOutOfStep), std::string::npos);
    }
  });
}

// Else unit 0 takes for its second exchange what unit 1 sends in its first, and is a step behind for good.
TEST(ContainerFault, AnExchangeThatTimesOutIsNotTakenForTheNext) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    const bool hasty = team.unit() == 0;
    bool slow = !hasty;
    // Unit 1 is slow once it has told unit 0 that it may send.
    const auto edge = [&](const Offset<1>&) {
      if (std::exchange(slow, false)) simulation.sleep(200 * kMillisecond);
      return 0;
    };
    HaloField<int, 1> u(team.within(hasty ? Timeout(50ms) : Timeout(60s)), {4}, Stencil<1>::star(1),
                        {.boundaries = {Boundary<int, 1>{.edge = Edge::function, .function = edge}}});
    if (hasty) {
      u.start({0});
      EXPECT_EQ(code_of_failure([&] { u.finish(); }), Code::timeout);
      simulation.sleep(500 * kMillisecond);
      EXPECT_NE(text_of_failure([&] { u.update({0}); }).find(kOutOfStep), std::string::npos);
      EXPECT_NE(of_barrier(team).find(kOutOfStep), std::string::npos);
    } else {
      u.at(0, {0}) = 1;
      u.update({0});
      u.at(0, {0}) = 2;
      EXPECT_NE(text_of_failure([&] { u.update({0}); }), "");
    }
  });
}

TEST(ContainerFault, AStepInWhichAFunctionThrowsIsNotTakenForTheNext) {
  as_patient_units(2, [](const Team& team, Simulation& simulation) {
    HaloField<int, 1> u(team, {8}, Stencil<1>::star(1), {.fields = 2});
    const auto refuse = [](const auto&) -> int { throw std::runtime_error("no"); };
    const auto keep = [](const auto& at) { return at(0); };
    if (team.unit() == 0) {
      EXPECT_THROW(u.step(0, 1, refuse), std::runtime_error);
      EXPECT_NE(text_of_failure([&] { u.step(0, 1, keep); }).find(kOutOfStep), std::string::npos);
      simulation.sleep(500 * kMillisecond);
    } else {
      u.step(0, 1, keep);
      EXPECT_NE(text_of_failure([&] { u.step(1, 0, keep); }), "");
    }
  });
}

}  // namespace
}  // namespace polder::containers
