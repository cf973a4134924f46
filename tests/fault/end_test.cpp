// Runtime::kill() of a rank of the same node and of another one, whose own runtime has to do it.
#include "core/engine/engine.hpp"
#include "core/message/requests.hpp"

#include "faulty.hpp"

namespace polder::test {
namespace {

struct Victim {
  const char* where;
  Rank rank;
};

class End : public testing::TestWithParam<Victim> {};
INSTANTIATE_TEST_SUITE_P(Victims, End,
                         testing::Values(Victim{"same_node", 1}, Victim{"leader", 2}, Victim{"beside", 3}),
                         [](const testing::TestParamInfo<Victim>& made) { return std::string(made.param.where); });

// Two nodes of two ranks; rank 0 ends one of the others.
TEST_P(End, AllLearnOfIt) {
  const Rank victim = GetParam().rank;
  SimulationOptions options = quick_detection(SimulatedDevice::network);
  options.ranks_per_node = 2;
  Simulation simulation(4, options);
  Meeting meeting(4);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    meeting.wait();
    if (rt.rank() == 0) {
      EXPECT_TRUE(ok(rt.kill(victim, kPatience)));
      EXPECT_EQ(rt.health(victim), Health::failed);
      EXPECT_TRUE(fails(rt.kill(victim, kPatience), Code::peer_failed, "gone already"));
      EXPECT_TRUE(fails(rt.kill(4, kPatience), Code::invalid_rank));
    }
    if (rt.rank() != victim) {
      EXPECT_TRUE(fails(rt.world().barrier(kPatience), Code::peer_failed));
      EXPECT_EQ(rt.health(victim), Health::failed);
    }
    meeting.wait();
  })));
}

// It is not lost yet, and does not answer either.
TEST(EndOfOne, WaitsNoLongerThanItsCallerDoes) {
  SimulationOptions options = quick_detection(SimulatedDevice::network);
  options.detection_ns = std::int64_t{1000} * 1'000'000'000;
  options.ranks_per_node = 1;
  Simulation simulation(2, options);
  Meeting meeting(2);
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    meeting.wait();
    if (rt.rank() == 0) {
      simulation.cut(0, 1);
      EXPECT_TRUE(fails(rt.kill(1, 20ms), Code::timeout));
      EXPECT_EQ(rt.health(1), Health::healthy);
      simulation.kill(1);  // what is cut off would be waited for at the end
    }
    meeting.wait();
  })));
}

// Its launcher is stopped, or gone.
TEST(EndOfOne, HasNotComeWhereItCouldNotBeDone) {
  SimulationOptions options = quick_detection(SimulatedDevice::network);
  options.ranks_per_node = 1;
  for (const Code why : {Code::timeout, Code::peer_failed, Code::system}) {
    Simulation simulation(2, options);
    Meeting meeting(2);
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      core::Requests& requests = rt.engine().requests();
      if (rt.rank() == 1)
        requests.serve(core::number::kEnd, [&](const core::Request& asked) { requests.reply(asked.caller, why); });
      meeting.wait();
      if (rt.rank() == 0) {
        EXPECT_TRUE(fails(rt.kill(1, kPatience), Code::system, "rank 1"));
        EXPECT_EQ(rt.health(1), Health::healthy);
      }
      meeting.wait();
    })));
  }
}

}  // namespace
}  // namespace polder::test
