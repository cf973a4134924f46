// Alltoall of members on several nodes that have as many members each; of nodes that differ it knows better.
#include "coll/nodes.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <vector>

namespace polder::test {
namespace {

class AlltoallOverNodes : public testing::TestWithParam<Nodes> {
 protected:
  void run(const std::function<void(Runtime&)>& body) const { run_ranks(GetParam().ranks, GetParam().options(), body); }
};

INSTANTIATE_TEST_SUITE_P(Nodes, AlltoallOverNodes,
                         testing::Values(Nodes{4, 2}, Nodes{6, 3, true},
                                         Nodes{6, 2, false, SimulatedDevice::network, 100'000}, Nodes{8, 4},
                                         Nodes{12, 3, true, SimulatedDevice::messages},
                                         Nodes{26, 2, false, SimulatedDevice::messages}),
                         name_of_nodes);

// Words that tell who sends them to whom.
std::uint64_t word(Rank from, Rank to, std::size_t i) {
  return sent_by(from * 1000 + to, i);
}

struct Exchange {
  std::size_t count;  // words of a block
  std::vector<std::uint64_t> mine, theirs;
  Exchange(Runtime& rt, std::size_t words) : count(words), mine(words * rt.size()), theirs(words * rt.size()) {
    for (Rank to = 0; to < rt.size(); ++to)
      for (std::size_t i = 0; i < count; ++i) mine[to * count + i] = word(rt.rank(), to, i);
  }
  Result<Collective> make(Group& group) {
    return Collective::alltoall(group, count * sizeof mine[0], mine.data(), theirs.data());
  }
  void expect_arrived(Runtime& rt) const {
    for (Rank from = 0; from < rt.size(); ++from)
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(theirs[from * count + i], word(from, rt.rank(), i)) << "word " << i << " of " << from << "'s";
  }
};

TEST_P(AlltoallOverNodes, BringsEachBlockToItsMember) {
  run([](Runtime& rt) {
    for (const std::size_t count : {1, 7, 500, 9'000}) {
      Exchange exchange(rt, count);
      auto made = exchange.make(rt.world());
      ASSERT_TRUE(ok(made) && ok(made->use("two_level")));
      for (int time = 0; time < 3; ++time) {
        std::fill(exchange.theirs.begin(), exchange.theirs.end(), 0);
        ASSERT_TRUE(ok(made->run(kPatience)));
        exchange.expect_arrived(rt);
      }
    }
  });
}

TEST_P(AlltoallOverNodes, IsWhatTheTableChoosesForShortBlocks) {
  run([](Runtime& rt) {
    Exchange exchange(rt, 2);
    EXPECT_EQ(exchange.make(rt.world())->algorithm(), "two_level");
  });
}

TEST_P(AlltoallOverNodes, IsResumedAtEveryStep) {
  run([](Runtime& rt) {
    for (int round = 0; round < 6; ++round) {
      Exchange exchange(rt, round % 2 == 0 ? 3 : 3'000);
      auto made = exchange.make(rt.world());
      ASSERT_TRUE(ok(made) && ok(made->use("two_level")));
      if (rt.rank() == Rank(round) % rt.size()) rest(1ms);
      Status status;
      while ((status = made->run(round % 3 == 0 ? Timeout::test() : Timeout(200us))).timed_out()) let_others_run();
      ASSERT_TRUE(ok(status));
      exchange.expect_arrived(rt);
    }
  });
}

TEST(AlltoallOfNodesThatDiffer, GoesAsIfThereWereNone) {
  const Nodes nodes{5, 3};
  run_ranks(nodes.ranks, nodes.options(), [](Runtime& rt) {
    Exchange exchange(rt, 2);
    auto made = exchange.make(rt.world());
    ASSERT_TRUE(ok(made));
    EXPECT_TRUE(fails(made->use("two_level"), Code::invalid_argument, "cannot serve this call"));
    EXPECT_NE(made->algorithm(), "two_level");
    ASSERT_TRUE(ok(made->run(kPatience)));
    exchange.expect_arrived(rt);
  });
}

TEST(AlltoallOverNodesSeeds, ADeathIsToldToAll) {
  constexpr std::int64_t kBegin = 50'000'000;  // ns: all have started
  for (std::uint64_t seed = 1; seed <= 60 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Rank per_node = 2 + Rank(seed % 2), ranks = per_node * (2 + Rank(seed % 3)),
               dead = Rank(util::mix(seed + 1) % ranks);
    Simulation simulation(ranks, options_of_course(seed, per_node, seed % 3 == 0));
    simulation.at(kBegin + std::int64_t(util::mix(seed + 2) % 3'000'000), [&] { simulation.kill(dead); });
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      simulation.sleep(kBegin - simulation.now_ns());
      Exchange exchange(rt, seed % 4 == 0 ? 2'000 : 2);
      auto made = exchange.make(rt.world());
      ASSERT_TRUE(ok(made) && ok(made->use("two_level")));
      Status status;
      while (status.ok()) status = made->run(kPatience);
      if (rt.rank() == dead) return;
      EXPECT_TRUE(fails(status, Code::peer_failed, "rank " + std::to_string(dead))) << "at " << rt.rank();
      simulation.sleep(200'000'000);  // longer than a member sleeps that nobody wakes
    })));
  }
}

}  // namespace
}  // namespace polder::test
