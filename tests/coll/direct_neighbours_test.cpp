// Exchanges between neighbours in groups of more than 32 members: those who have slots for each other go directly, one edge
// without a slot sends all of them through others, and a death ends what needs the dead.
#include "coll/port/direct_slots.hpp"
#include "core/ranks.hpp"
#include "words.hpp"

#include <polder/neighbours.hpp>
#include <polder/simulate.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace polder::test {
namespace {

constexpr Rank kMany = 64;

// What both ends compute: one slot for a distance, and of those that have one no two the same.
TEST(DirectSlots, AreOnePerDistance) {
  for (const Rank size : {2, 31, 32, 33, 63, 64, 65, 100, 1025, 5000}) {
    const coll::Slots slots(size);
    std::map<coll::Slot, Rank> distances;
    for (Rank distance = 1; distance < size; ++distance) {
      const auto slot = coll::direct_slot(slots, size, distance);
      if (size <= 32) {
        ASSERT_TRUE(slot.has_value()) << size << " " << distance;
      }
      if (!slot) continue;
      ASSERT_LT(*slot, slots.count());
      ASSERT_TRUE(distances.emplace(*slot, distance).second) << size << " " << distance;
    }
    ASSERT_TRUE(coll::direct_slot(slots, size, size - 1).has_value());
    EXPECT_EQ(distances.size() == size - 1, size <= 35) << size;
  }
}

// Of one drawn graph at one member; every distance is drawn from `distances`, so all members draw alike.
struct Drawn {
  std::vector<Rank> sources, destinations;
  Drawn(std::uint64_t seed, const std::vector<Rank>& distances, Rank me, Rank size) {
    const auto degree = [&](Rank from, std::size_t i) { return util::mix(seed ^ util::mix(from * 100 + i)) % 3; };
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const Rank to = (me + distances[i]) % size, from = (me + size - distances[i]) % size;
      destinations.insert(destinations.end(), degree(me, i), to);
      sources.insert(sources.end(), degree(from, i), from);
    }
  }
};

std::uint64_t word(std::uint64_t round, Rank from, Rank to) {
  return util::mix(round ^ util::mix(from * 100 + to));
}

// Edges of one or two members named up to twice, and to oneself; with letters of one cell, none and several.
void exchange(Runtime& rt, std::uint64_t seed, const std::vector<Rank>& distances, const char* way) {
  const Drawn graph(seed, distances, rt.rank(), rt.size());
  auto neighbours = Neighbours::graph(rt.world(), graph.sources, graph.destinations);
  ASSERT_TRUE(ok(neighbours) && ok(neighbours->commit(kPatience)));
  for (const std::size_t count : {std::size_t{1}, std::size_t{0}, std::size_t{9000}}) {
    Words send, receive(count * graph.sources.size()), expected;
    for (const Rank to : graph.destinations) send.insert(send.end(), count, word(seed + count, rt.rank(), to));
    for (const Rank from : graph.sources) expected.insert(expected.end(), count, word(seed + count, from, rt.rank()));
    auto request = Collective::neighbour_alltoall(*neighbours, 8 * count, send.data(), receive.data());
    ASSERT_TRUE(ok(request));
    EXPECT_EQ(request->algorithm(), way);
    ASSERT_TRUE(ok(request->run(kPatience)));
    ASSERT_EQ(receive, expected) << seed << " " << count;
  }
}

TEST(DirectNeighbours, OfManyMembersGoTheWayThatAllHave) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages})
    run_ranks(kMany, World{device, kMany}.options(), [](Runtime& rt) {
      exchange(rt, 1, {0, 1, 2, 8, 17, 32, kMany - 1, kMany - 8}, "spread");
      exchange(rt, 2, {0, 1, 7, kMany - 1, kMany - 3}, "routed");  // three behind have no slot
      exchange(rt, 3, {31, 32, kMany - 16}, "spread");
    });
}

// One member only has an edge without a slot: everybody takes the other way, also those who have no edges.
TEST(DirectNeighbours, OneEdgeWithoutASlotIsEnough) {
  run_ranks(kMany, World{SimulatedDevice::direct, kMany}.options(), [](Runtime& rt) {
    const std::vector<Rank> none, to{2}, from{5};
    auto one = Neighbours::graph(rt.world(), rt.rank() == 2 ? from : none, rt.rank() == 5 ? to : none);
    ASSERT_TRUE(ok(one) && ok(one->commit(kPatience)));
    std::uint64_t send = 77, receive = 0;
    auto request = Collective::neighbour_alltoall(*one, 8, &send, &receive);
    ASSERT_TRUE(ok(request));
    EXPECT_EQ(request->algorithm(), "routed");
    EXPECT_TRUE(fails(request->use("spread"), Code::invalid_argument, "cannot serve this call"));
    ASSERT_TRUE(ok(request->run(kPatience)));
    EXPECT_EQ(receive, rt.rank() == 2 ? 77u : 0u);
  });
}

// Both ends name the edge, and take part in the vote for which all others wait.
TEST(DirectNeighbours, WhatTwoDisagreeAboutIsNamedAtBothAndHoldsUpNobody) {
  run_ranks(kMany, World{SimulatedDevice::direct, kMany}.options(), [](Runtime& rt) {
    const std::vector<Rank> none, to{41};
    auto wrong = Neighbours::graph(rt.world(), none, rt.rank() == 40 ? to : none);
    ASSERT_TRUE(ok(wrong));
    const Status status = wrong->commit(kPatience);
    if (rt.rank() == 40) {
      EXPECT_TRUE(fails(status, Code::invalid_argument, "rank 41 names this rank as a source 0 times"));
    } else if (rt.rank() == 41) {
      EXPECT_TRUE(fails(status, Code::invalid_argument, "rank 40 names this rank as a destination once"));
    } else {
      EXPECT_TRUE(ok(status));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

// commit() goes on after a timeout, in either of its halves.
TEST(DirectNeighbours, CommitGoesOnAfterATimeout) {
  run_ranks(kMany, World{SimulatedDevice::direct, kMany}.options(), [](Runtime& rt) {
    const GridDimension ring{kMany, true};
    auto grid = Neighbours::grid(rt.world(), {&ring, 1});
    ASSERT_TRUE(ok(grid));
    Status status;
    do {
      status = grid->commit(Timeout::test());
      if (status.timed_out()) let_others_run();
    } while (status.timed_out());
    ASSERT_TRUE(ok(status));
    std::array<std::uint64_t, 2> send{rt.rank(), rt.rank()}, receive{};
    ASSERT_TRUE(ok(neighbour_alltoall(*grid, 8, send.data(), receive.data(), kPatience)));
    EXPECT_EQ(receive[0], grid->sources()[0]);
    EXPECT_EQ(receive[1], grid->sources()[1]);
  });
}

// On a ring of 64 rank 33 dies: two hear of it, by name, and have what the others sent; 61 go on as if nothing had been.
TEST(DirectNeighbours, ADeathEndsThoseOnlyWhoNeedTheDead) {
  Simulation simulation(kMany, World{SimulatedDevice::direct, kMany}.options());
  std::atomic<Rank> ready{0};
  static_cast<void>(simulation.run([&](Runtime& rt) {
    const GridDimension ring{kMany, true};
    auto grid = Neighbours::grid(rt.world(), {&ring, 1});
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    ++ready;
    if (rt.rank() == 33) {
      while (ready != kMany) let_others_run();
      return simulation.kill(33);
    }
    for (std::uint64_t round = 1; round <= 3; ++round) {
      Words send(2, round * 100 + rt.rank()), receive(2);
      const Status status = neighbour_alltoall(*grid, 8, send.data(), receive.data(), kPatience);
      const bool needs_the_dead = rt.rank() == 32 || rt.rank() == 34;
      ASSERT_TRUE(needs_the_dead ? fails(status, Code::peer_failed, "rank 33") : ok(status)) << rt.rank();
      for (std::size_t side = 0; side < 2; ++side)
        if (const Rank from = grid->sources()[side]; from != 33) {
          ASSERT_EQ(receive[side], round * 100 + from);
        }
    }
    Result<Agreement> agreed = rt.world().agree(1, kPatience);  // those who leave now would count as gone for others
    EXPECT_TRUE(ok(agreed));
  }));
}

}  // namespace
}  // namespace polder::test
