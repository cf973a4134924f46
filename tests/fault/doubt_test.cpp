// Links between nodes break while their ends live: in the end those who call each other healthy agree on everybody.
#include "faulty.hpp"
#include "util/environment.hpp"

#include <set>

namespace polder::test {
namespace {

// A letter per rank: h, f(inished), F(ailed).
std::string states_of(const Runtime& rt) {
  std::string states;
  for (const Health health : rt.health())
    states.push_back(health == Health::healthy ? 'h' : health == Health::finished ? 'f' : 'F');
  return states;
}

bool becomes(const Runtime& rt, const std::string& states) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (states_of(rt) != states && std::chrono::steady_clock::now() < end) rest(1ms);
  return states_of(rt) == states;
}

class Doubt : public testing::Test {
 protected:
  // `fault(simulation)` happens when all ranks are there; `wanted` is what each then comes to see. With `met` all have
  // links to all before.
  void see(Rank ranks, Rank per_node, bool met, const std::function<void(Simulation&)>& fault,
           const std::vector<std::string>& wanted, const std::function<void(Runtime&)>& afterwards = {}) {
    SimulationOptions options = quick_detection(SimulatedDevice::network);
    options.ranks_per_node = per_node;
    Simulation simulation(ranks, options);
    Meeting meeting(ranks);
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      ASSERT_TRUE(ok(rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience)));
      for (Rank peer = 0; peer < ranks && met; ++peer) ASSERT_TRUE(ok(rt.remote_segment(peer, 0, kPatience)));
      meeting.wait();
      if (rt.rank() == 0) fault(simulation);
      meeting.wait();
      EXPECT_TRUE(becomes(rt, wanted[rt.rank()]))
          << "rank " << rt.rank() << " sees " << states_of(rt) << ", not " << wanted[rt.rank()];
      meeting.wait();
      if (afterwards) afterwards(rt);
      meeting.wait();
    })));
  }

  // Nobody is slow to answer but who cannot, however busy the machine is.
  util::ScopedEnvironment patience_{"POLDER_ANSWER_MS", "60000"};
};

void cut_both_ways(Simulation& simulation, Rank a, Rank b) {
  simulation.cut(a, b);
  simulation.cut(b, a);
}

// Rank 1 and 3 see both: the higher one has to go, and is alone.
TEST_F(Doubt, OfTwoThatLoseEachOtherOneHasToGo) {
  see(
      4, 1, true, [](Simulation& simulation) { cut_both_ways(simulation, 0, 2); }, {"hhFh", "hhFh", "FFhF", "hhFh"},
      [](Runtime& rt) {
        if (rt.rank() != 2) return go_on_without(rt, 2);
        EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::peer_failed));
        EXPECT_TRUE(fails(rt.put("x", {0, 0, 0}, 1), Code::peer_failed, "given up"));
      });
}

TEST_F(Doubt, OneDirectionIsEnough) {
  see(3, 1, true, [](Simulation& simulation) { simulation.cut(1, 2); }, {"hhF", "hhF", "FFh"});
}

// Who is lost by several is the one, though it is the lowest.
TEST_F(Doubt, WhoIsLostByMostHasToGo) {
  see(5, 1, true,
      [](Simulation& simulation) {
        cut_both_ways(simulation, 0, 1);
        cut_both_ways(simulation, 0, 2);
        cut_both_ways(simulation, 0, 3);
      },
      {"hFFFF", "Fhhhh", "Fhhhh", "Fhhhh", "Fhhhh"});
}

// Ranks 0 and 6 have no link to rank 3, which barriers of 8 give to neighbours at a distance of 1, 2 and 4 only.
TEST_F(Doubt, WhoHasNoLinkLearnsItAsWell) {
  see(8, 1, false,
      [](Simulation& simulation) {
        for (Rank other = 0; other < 8; ++other)
          if (other != 3) cut_both_ways(simulation, 3, other);
      },
      {"hhhFhhhh", "hhhFhhhh", "hhhFhhhh", "FFFhFFFF", "hhhFhhhh", "hhhFhhhh", "hhhFhhhh", "hhhFhhhh"});
}

// Neither side can know that the other one lives.
TEST_F(Doubt, ACutBetweenTwoNodesLeavesTwoJobs) {
  std::atomic<int> sides{0};
  const auto cut = [](Simulation& simulation) {
    for (Rank here = 0; here < 2; ++here)
      for (Rank there = 2; there < 4; ++there) cut_both_ways(simulation, here, there);
  };
  SimulationOptions options = quick_detection(SimulatedDevice::network);
  options.ranks_per_node = 2;
  Simulation simulation(4, options);
  Meeting meeting(4);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    for (Rank peer = 0; peer < 4; ++peer) ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    meeting.wait();
    if (rt.rank() == 0) cut(simulation);
    const Rank across = rt.rank() < 2 ? 2 : 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto all_lost = [&] {
      return rt.health(across) == Health::failed && rt.health(across + 1) == Health::failed;
    };
    while (!all_lost() && std::chrono::steady_clock::now() < end) rest(1ms);
    EXPECT_TRUE(all_lost()) << "rank " << rt.rank() << " sees " << states_of(rt);
    ++sides;
    meeting.wait();
  })));
  EXPECT_EQ(sides, 4);
}

}  // namespace
}  // namespace polder::test
