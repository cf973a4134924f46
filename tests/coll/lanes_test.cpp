// Every algorithm over the lanes of a runtime, on every kind of device: the same cases as in virtual time; collectives
// back to back, several at a time, resumed after timeouts, and what is said about those who do not come.
#include "algorithm_cases.hpp"

#include "coll/drive/driven_collective.hpp"
#include "core/group/group_state.hpp"
#include "core/ranks.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace polder::coll::test {
namespace {

using namespace polder::test;

// An algorithm of a member of the cases as an operation.
class CaseOperation final : public DrivenCollective {
 public:
  explicit CaseOperation(const Case& c) : case_(c) {}
  ~CaseOperation() override { retire(); }

  Status begin(Group& group, Rank root, std::size_t count, std::uint64_t seed) {
    const auto members = Rank(group.size());
    member_.emplace(case_, group.index(), members, root, count, seed);
    const CallRecord record{.count = count, .root = root, .element = sizeof(Affine), .kind = Kind::allreduce};
    return DrivenCollective::begin(group.state(), record, {sizeof(Affine), &combine_of(case_)});
  }
  void check() { member_->check(); }

 private:
  Task start(Lane& lane) override { return member_->run(lane.wire); }

  const Case& case_;
  std::optional<Member> member_;
};

class LanesTest : public testing::TestWithParam<World> {
 protected:
  static void run(const std::function<void(Runtime&)>& body) {
    run_ranks(GetParam().ranks, GetParam().options(), body);
  }
};
INSTANTIATE_TEST_SUITE_P(Worlds, LanesTest, testing::ValuesIn(worlds({1, 2, 3, 5, 8})), name_of_param);

// No barrier in between, roots in turn: letters of one collective are never taken for those of another.
TEST_P(LanesTest, EveryAlgorithmBackToBack) {
  run([](Runtime& rt) {
    Rank root = 0;
    for (const std::size_t count : {1, 30})
      for (const Case& c : cases()) {
        if (rt.size() > c.most) continue;
        CaseOperation operation(c);
        ASSERT_TRUE(ok(operation.begin(rt.world(), root % rt.size(), count, count)));
        ASSERT_TRUE(ok(operation.wait(kPatience))) << c.name;
        operation.check();
        ++root;
      }
  });
}

// More than the cells of a slot hold at a time.
TEST_P(LanesTest, LongVectorsInPieces) {
  run([](Runtime& rt) {
    for (const Case& c : cases()) {
      if (rt.size() > c.most || rt.size() > 5 || std::string_view(c.name) == "routed_alltoall") continue;
      CaseOperation operation(c);
      ASSERT_TRUE(ok(operation.begin(rt.world(), rt.size() - 1, 12'000, 3)));
      ASSERT_TRUE(ok(operation.wait(kPatience))) << c.name;
      operation.check();
    }
  });
}

TEST_P(LanesTest, GoOnAfterTimeouts) {
  run([](Runtime& rt) {
    for (std::uint64_t round = 0; round < 3; ++round)
      for (const Case& c : cases()) {
        if (rt.size() > c.most) continue;
        if (util::mix(round * 1000 + rt.rank()) % 8 == 0) rest(300us);
        CaseOperation operation(c);
        ASSERT_TRUE(ok(operation.begin(rt.world(), Rank(round) % rt.size(), 40, round)));
        Status status;
        while ((status = operation.wait(round % 2 == 0 ? Timeout::test() : Timeout(100us))).timed_out())
          let_others_run();
        ASSERT_TRUE(ok(status)) << c.name;
        operation.check();
      }
  });
}

// A root runs ahead of those that it writes to, as far as their cells reach.
TEST_P(LanesTest, RootedOnesInARowWithChangingRoots) {
  run([](Runtime& rt) {
    const Case& broadcast = cases()[1];
    const Case& reduce = cases()[4];
    for (std::uint64_t round = 0; round < 200; ++round) {
      CaseOperation operation(round % 3 == 2 ? reduce : broadcast);
      const Rank root = Rank(util::mix(round) % rt.size());
      ASSERT_TRUE(ok(operation.begin(rt.world(), round % 50 < 25 ? 0 : root, 2, round)));
      ASSERT_TRUE(ok(operation.wait(kPatience)));
      operation.check();
    }
  });
}

// Ten at a time, of which four have a lane, driven by whoever makes progress, each followed by what counts it.
TEST_P(LanesTest, SeveralAtATimeInTheBackground) {
  run([](Runtime& rt) {
    std::atomic<int> followed{0};
    std::vector<std::unique_ptr<CaseOperation>> operations;
    for (std::size_t i = 0; i < 10; ++i) {
      const Case& c = cases()[(7 * i) % cases().size()];
      if (rt.size() > c.most) continue;
      operations.push_back(std::make_unique<CaseOperation>(c));
      ASSERT_TRUE(ok(operations.back()->begin(rt.world(), Rank(i) % rt.size(), 25 + i, i)));
      operations.back()->go_on_alone([&] { ++followed; });
    }
    for (std::size_t i = operations.size(); i-- > 0;) {
      ASSERT_TRUE(ok(operations[i]->wait(kPatience)));
      operations[i]->check();
    }
    const auto count = int(operations.size());
    operations.clear();
    EXPECT_EQ(followed, count);
  });
}

World on(SimulatedDevice device, Rank ranks) {
  return {device, ranks};
}

TEST(Lanes, NameACallThatDoesNotFit) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network}) {
    Simulation simulation(3, on(device, 3).options());
    EXPECT_TRUE(ok(simulation.run([](Runtime& rt) {
      CaseOperation operation(cases()[1]);  // a broadcast, to which rank 2 brings another count
      ASSERT_TRUE(ok(operation.begin(rt.world(), 0, rt.rank() == 2 ? 9 : 8, 1)));
      const Status status = operation.wait(kPatience);
      if (rt.rank() == 2) {
        EXPECT_TRUE(fails(status, Code::invalid_argument, "count: 9 here, 8 there"));
        CaseOperation next(cases()[1]);
        EXPECT_TRUE(fails(next.begin(rt.world(), 0, 8, 1), Code::invalid_argument, "count"));
      }
    })));
  }
}

// Both wait for the other: no letter says so, but their memory does.
TEST(Lanes, NameACallThatDoesNotFitWithoutALetter) {
  Simulation simulation(2, on(SimulatedDevice::direct, 2).options());
  EXPECT_TRUE(ok(simulation.run([](Runtime& rt) {
    CaseOperation operation(cases()[1]);
    ASSERT_TRUE(ok(operation.begin(rt.world(), 1 - rt.rank(), 8, 1)));
    const Status status = operation.wait(kPatience);
    EXPECT_TRUE(status.code() == Code::invalid_argument || status.code() == Code::peer_failed) << status.to_string();
    if (rt.rank() == 0 && status.code() == Code::invalid_argument) {
      EXPECT_TRUE(fails(status, Code::invalid_argument, "root: member 1 here, member 0 there"));
    }
  })));
}

// Where no memory is mapped either, the member that is waited for is asked: a barrier has no letter for an allreduce.
TEST(Lanes, NameABarrierAgainstAnAllreduceOverANetwork) {
  for (const SimulatedDevice device : {SimulatedDevice::network, SimulatedDevice::messages}) {
    Simulation simulation(2, on(device, 2).options());
    EXPECT_TRUE(ok(simulation.run([](Runtime& rt) {
      auto group = rt.create_group(std::vector<Rank>{0, 1});
      ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
      std::uint64_t mine = 1, all = 0;
      const auto sum = *reduction(Reduction::sum, DataType::uint64, 1);
      auto call = rt.rank() == 0 ? Collective::barrier(**group) : Collective::allreduce(**group, sum, &mine, &all);
      ASSERT_TRUE(ok(call));
      const Status status = call->run(kPatience);
      EXPECT_TRUE(fails(status, Code::invalid_argument, "kind: ")) << rt.rank();
      EXPECT_NE(status.to_string().find("barrier at rank 0"), std::string::npos) << status.to_string();
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));  // until both have said so
    })));
  }
}

// Several are under way, of which each waits for the other member: each is looked after for itself.
TEST(Lanes, NameCallsThatDoNotFitThoughSeveralAreUnderWay) {
  for (const SimulatedDevice device : {SimulatedDevice::network, SimulatedDevice::messages}) {
    Simulation simulation(2, on(device, 2).options());
    EXPECT_TRUE(ok(simulation.run([](Runtime& rt) {
      auto group = rt.create_group(std::vector<Rank>{0, 1});
      ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
      CaseOperation one(cases()[1]), two(cases()[1]);  // broadcasts, of which each takes the other for the root
      for (CaseOperation* operation : {&one, &two}) {
        ASSERT_TRUE(ok(operation->begin(**group, 1 - rt.rank(), 8, 1)));
        operation->go_on_alone();
      }
      for (CaseOperation* operation : {&one, &two}) {
        const Status status = operation->wait(kPatience);
        EXPECT_TRUE(status.code() == Code::invalid_argument || status.code() == Code::peer_failed)
            << status.to_string();
      }
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));  // until both have said so
    })));
  }
}

// Those that go over letters wait for each other in a chain, and one of them for a member that sends none. Where memory is mapped all
// name it; else those that wait for one that has given up say that.
TEST(Lanes, NameOneThatSendsNoLettersAmongThoseThatDo) {
  constexpr Rank kRanks = 5, kOther = 3;
  const World worlds[] = {on(SimulatedDevice::direct, kRanks),
                          on(SimulatedDevice::shm, kRanks),
                          {SimulatedDevice::network, kRanks, 20'000, 0, true}};
  for (const World& world : worlds)
    for (const char* algorithm : {"doubling", "ring", "reduce_broadcast"}) {
      std::atomic<int> named{0};
      run_ranks(kRanks, world.options(), [&](Runtime& rt) {
        std::vector<Rank> all(kRanks);
        std::iota(all.begin(), all.end(), Rank{0});
        auto group = rt.create_group(all);
        ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
        std::vector<std::uint64_t> mine(8 * kRanks, 1), result(8 * kRanks);
        const auto sum = *reduction(Reduction::sum, DataType::uint64, mine.size());
        auto call = rt.rank() == kOther ? Collective::alltoall(**group, 64, mine.data(), result.data())
                                        : Collective::allreduce(**group, sum, mine.data(), result.data());
        ASSERT_TRUE(ok(call));
        if (rt.rank() != kOther) {
          ASSERT_TRUE(ok(call->use(algorithm)));
        }
        const Status status = call->run(kPatience);
        if (world.device != SimulatedDevice::network || status.code() != Code::peer_failed) {
          EXPECT_TRUE(fails(status, Code::invalid_argument, "kind: ")) << rt.rank() << " of " << algorithm;
        }
        if (status.code() == Code::invalid_argument) ++named;
        ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      });
      EXPECT_GE(named, 2) << algorithm;
    }
}

TEST(Lanes, SayWhoHasNotCome) {
  Simulation simulation(3, on(SimulatedDevice::direct, 3).options());
  std::atomic<bool> seen{false};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    CaseOperation operation(cases()[8]);
    if (rt.rank() == 1)
      while (!seen) rest(1ms);
    ASSERT_TRUE(ok(operation.begin(rt.world(), 0, 8, 1)));
    if (rt.rank() == 0) {
      // Until rank 2 has come, too.
      Status status;
      do {
        status = operation.wait(10ms);
      } while (status.to_string().find("rank 1 has not entered allreduce") == std::string::npos);
      seen = true;
    }
    ASSERT_TRUE(ok(operation.wait(kPatience)));
    operation.check();
  })));
}

TEST(Lanes, EndWithADeathAtEverySurvivor) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages}) {
    Simulation simulation(4, on(device, 4).options());
    static_cast<void>(simulation.run([&](Runtime& rt) {
      CaseOperation operation(cases()[8]);
      if (rt.rank() == 2) return simulation.kill(2);
      ASSERT_TRUE(ok(operation.begin(rt.world(), 0, 8, 1)));
      // Or that another one has gone, who knew it before.
      EXPECT_TRUE(fails(operation.wait(kPatience), Code::peer_failed));
      CaseOperation next(cases()[8]);
      EXPECT_TRUE(fails(next.begin(rt.world(), 0, 8, 1), Code::peer_failed));
    }));
  }
}

TEST(Lanes, TheFaultOfOneGroupLeavesOthersUntouched) {
  Simulation simulation(3, on(SimulatedDevice::network, 3).options());
  static_cast<void>(simulation.run([&](Runtime& rt) {
    if (rt.rank() == 2) return simulation.kill(2);
    auto group = rt.create_group(std::vector<Rank>{0, 1});
    ASSERT_TRUE(ok(group));
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    CaseOperation broken(cases()[8]);
    ASSERT_TRUE(ok(broken.begin(rt.world(), 0, 8, 1)));
    EXPECT_TRUE(fails(broken.wait(kPatience), Code::peer_failed));
    for (int round = 0; round < 20; ++round) {
      CaseOperation operation(cases()[8]);
      ASSERT_TRUE(ok(operation.begin(**group, 0, 8, 1)));
      ASSERT_TRUE(ok(operation.wait(kPatience)));
      operation.check();
    }
  }));
}

// It fails at one member and is told to all that needed what it makes; the group lives on.
TEST(Lanes, AFunctionThatFailsIsToldAndTheGroupLivesOn) {
  Simulation simulation(4, on(SimulatedDevice::network, 4).options());
  EXPECT_TRUE(ok(simulation.run([](Runtime& rt) {
    class Failing final : public DrivenCollective {
     public:
      ~Failing() override { retire(); }
      Status run(Group& group) {
        const CallRecord record{.count = 1, .element = 8, .kind = Kind::allreduce};
        if (Status status = begin(group.state(), record, {8, &combine}); !status.ok()) return status;
        return wait(kPatience);
      }
      Task start(Lane& lane) override { return reduce_broadcast_allreduce(lane.wire, value, value, 1); }
      const Combine combine = [](const void*, const void*, void*, std::size_t) {
        return Status(Code::limit, "no more");
      };
      std::byte value[8] = {};
    } failing;
    EXPECT_TRUE(fails(failing.run(rt.world()), Code::limit));
    CaseOperation operation(cases()[8]);
    ASSERT_TRUE(ok(operation.begin(rt.world(), 0, 8, 1)));
    ASSERT_TRUE(ok(operation.wait(kPatience)));
    operation.check();
  })));
}

}  // namespace
}  // namespace polder::coll::test
