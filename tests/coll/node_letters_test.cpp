// Long letters of an alltoall and an allgather between members of several nodes: those to the same node are read where they lie, in segments and
// in private memory, the others go over the network; more members than letters of a step, late ones, deaths.
#include "coll/nodes.hpp"
#include "util/environment.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace polder::test {
namespace {

constexpr std::size_t kBlock = 40'000;  // bytes: more than the least that is read where it lies

class NodeLetters : public testing::TestWithParam<Nodes> {
 protected:
  void run(const std::function<void(Runtime&)>& body) const { run_ranks(GetParam().ranks, GetParam().options(), body); }

 private:
  const util::ScopedEnvironment copies_{"POLDER_COLL_PRIVATE", "once"};
};

INSTANTIATE_TEST_SUITE_P(Nodes, NodeLetters,
                         testing::Values(Nodes{4, 2}, Nodes{5, 3, true, SimulatedDevice::messages}, Nodes{12, 4},
                                         Nodes{12, 4, true, SimulatedDevice::network, 100'000}),
                         name_of_nodes);

std::byte byte_of(Rank from, Rank to, std::size_t round, std::size_t i) {
  return std::byte(sent_by(from, to * std::size_t{1'000} + round) + i);
}

void fill(std::byte* block, Rank from, Rank to, std::size_t round) {
  for (std::size_t i = 0; i < kBlock; ++i) block[i] = byte_of(from, to, round, i);
}

bool holds(const std::byte* block, Rank from, Rank to, std::size_t round) {
  for (std::size_t i = 0; i < kBlock; ++i)
    if (block[i] != byte_of(from, to, round, i)) return false;
  return true;
}

// What is sent is written anew as soon as a call has ended: nobody reads it any more.
void exchange(Runtime& rt, std::byte* send, std::byte* receive) {
  const std::vector<std::size_t> sizes(rt.size(), kBlock);
  for (std::size_t round = 0; round < 6; ++round) {
    if (rt.rank() == round % rt.size()) rest(1ms);
    for (Rank to = 0; to < rt.size(); ++to) fill(send + to * kBlock, rt.rank(), to, round);
    ASSERT_TRUE(ok(alltoall(rt.world(), kBlock, send, receive, kPatience)));
    for (Rank from = 0; from < rt.size(); ++from)
      ASSERT_TRUE(holds(receive + from * kBlock, from, rt.rank(), round)) << "from " << from << ", round " << round;
    fill(send, rt.rank(), 99, round);
    ASSERT_TRUE(ok(allgather(rt.world(), sizes, send, receive, kPatience)));
    for (Rank from = 0; from < rt.size(); ++from)
      ASSERT_TRUE(holds(receive + from * kBlock, from, 99, round)) << "from " << from << ", round " << round;
  }
}

TEST_P(NodeLetters, ArriveOutOfPrivateMemory) {
  run([](Runtime& rt) {
    std::vector<std::byte> send(rt.size() * kBlock), receive(send.size());
    exchange(rt, send.data(), receive.data());
  });
}

TEST_P(NodeLetters, ArriveOutOfSegments) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = rt.size() * kBlock});
    ASSERT_TRUE(ok(segment));
    std::vector<std::byte> receive(rt.size() * kBlock);
    exchange(rt, segment->as<std::byte>().data(), receive.data());
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

// A member that others wait for to take a letter, or whose memory they read, is no more.
TEST(NodeLettersSeeds, ADeathIsToldToAll) {
  constexpr std::int64_t kBegin = 50'000'000;  // ns: all have started
  const util::ScopedEnvironment copies("POLDER_COLL_PRIVATE", "once");
  for (std::uint64_t seed = 1; seed <= 80 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Rank ranks = 4 + Rank(util::mix(seed) % 8), dead = Rank(util::mix(seed + 1) % ranks);
    Simulation simulation(ranks, options_of_course(seed, 2 + Rank(seed % 3), seed % 5 == 0));
    simulation.at(kBegin + std::int64_t(util::mix(seed + 2) % 3'000'000), [&] { simulation.kill(dead); });
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      simulation.sleep(kBegin - simulation.now_ns());
      const std::vector<std::size_t> sizes(ranks, kBlock);
      std::vector<std::byte> send(ranks * kBlock), receive(send.size());
      Status status;
      for (int number = 0; status.ok(); ++number)
        status = number % 2 == 0 ? alltoall(rt.world(), kBlock, send.data(), receive.data(), kPatience)
                                 : allgather(rt.world(), sizes, send.data(), receive.data(), kPatience);
      if (rt.rank() == dead) return;
      EXPECT_TRUE(fails(status, Code::peer_failed, "rank " + std::to_string(dead))) << "at " << rt.rank();
      simulation.sleep(20'000'000);
    })));
  }
}

}  // namespace
}  // namespace polder::test
