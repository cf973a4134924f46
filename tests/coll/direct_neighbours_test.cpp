// Exchanges between neighbours in groups of more than 32 members: they go directly over slots that are distances, and over some that
// edges are given; one edge without a slot sends all of them through others, and a death ends what needs the dead.
#include "coll/port/direct_slots.hpp"
#include "core/ranks.hpp"
#include "util/platform.hpp"
#include "words.hpp"

#include <polder/neighbours.hpp>
#include <polder/simulate.hpp>

#include <algorithm>
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

// Of that many ranks, in virtual time, and threads with real memory.
std::vector<World> worlds_of(Rank ranks) {
  return {{SimulatedDevice::shm, ranks},
          {SimulatedDevice::network, ranks},
          {SimulatedDevice::messages, ranks, 20'000, 0, true},
          {SimulatedDevice::network, ranks, 20'000, 7, true}};
}

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

TEST(DirectNeighbours, OfManyMembersGoOverDistancesAndEdges) {
  for (const World& world : worlds_of(kMany))
    run_ranks(kMany, world.options(), [](Runtime& rt) {
      exchange(rt, 1, {0, 1, 2, 8, 17, 32, kMany - 1, kMany - 8}, "spread");
      exchange(rt, 2, {0, 1, 7, kMany - 1, kMany - 3}, "spread");  // three behind is no distance of a slot
      exchange(rt, 3, {31, 32, kMany - 16}, "spread");
      exchange(rt, 4, {33, 35, 37, 41, 43, kMany - 3}, "spread");
    });
}

// Each member sends its number and hears those of its neighbours, some rounds; letters of 5000 words take several cells.
void go_round(Runtime& rt, const Neighbours& neighbours, const char* way, std::vector<std::size_t> counts = {1, 7}) {
  for (const std::size_t count : counts) {
    const Words send(count, 1000 * count + rt.rank());
    Words receive(count * neighbours.sources().size()), expected;
    for (const Rank from : neighbours.sources()) expected.insert(expected.end(), count, 1000 * count + from);
    auto request = Collective::neighbour_allgather(neighbours, 8 * count, send.data(), receive.data());
    ASSERT_TRUE(ok(request));
    ASSERT_EQ(request->algorithm(), way);
    for (int round = 0; round < 5; ++round) {
      receive.assign(receive.size(), 0);
      ASSERT_TRUE(ok(request->run(kPatience)));
      ASSERT_EQ(receive, expected);
    }
  }
}

// All places within one step of this one in each of the extents, with its sides and corners, of a periodic box.
std::vector<Rank> box_around(Rank me, const std::vector<Rank>& extents) {
  std::vector<Rank> all{0};
  Rank stride = 1;
  for (const Rank extent : extents) {
    std::vector<Rank> wider;
    const Rank place = me / stride % extent;
    for (const Rank each : all)
      for (const Rank by : {extent - 1, Rank{0}, Rank{1}}) wider.push_back(each + (place + by) % extent * stride);
    all = std::move(wider);
    stride *= extent;
  }
  std::erase(all, me);
  return all;
}

TEST(DirectNeighbours, OfStencilsAndToriHaveSlots) {
  for (const std::vector<Rank>& extents : std::vector<std::vector<Rank>>{{8, 8}, {3, 4, 7}}) {
    Rank size = 1;
    for (const Rank extent : extents) size *= extent;
    for (const World& world : worlds_of(size)) {
      // Each member maps all others' memory: with their shadows more mappings than a process may have.
      if (util::kThreadSanitizer && size > 64 && world.device == SimulatedDevice::shm) continue;
      run_ranks(size, world.options(), [&](Runtime& rt) {
        const auto box = box_around(rt.rank(), extents);
        auto stencil = Neighbours::graph(rt.world(), box, box);
        ASSERT_TRUE(ok(stencil) && ok(stencil->commit(kPatience)));
        // Of 84 members with 26 neighbours each, cells that are all filled are gigabytes.
        go_round(rt, *stencil, "spread", {1, extents.size() == 2 ? std::size_t{5000} : std::size_t{500}});
        std::vector<GridDimension> torus;
        for (const Rank extent : extents) torus.push_back({extent, true});
        auto grid = Neighbours::grid(rt.world(), torus);
        ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
        go_round(rt, *grid, "spread");
        go_round(rt, *stencil, "spread");
      });
    }
  }
}

// Edges from each to so many others, drawn alike by all.
struct Sparse {
  std::vector<Rank> sources, destinations;
  Sparse(std::uint64_t seed, Rank degree, Rank me, Rank size) {
    const auto has = [&](Rank from, Rank to) {
      return from != to && util::mix(seed ^ util::mix(from * 1000 + to)) % size < degree;
    };
    for (Rank other = 0; other < size; ++other) {
      if (has(other, me)) sources.push_back(other);
      if (has(me, other)) destinations.push_back(other);
    }
  }
  Result<Neighbours> of(Group& group) const { return Neighbours::graph(group, sources, destinations); }
};

// Graphs come and go, each of which needs most slots: what earlier ones had is theirs in time. Letters leave cells in every
// state, so an owner that took over counts of the last one would wait for ever, or read what is old.
TEST(DirectNeighbours, SlotsAreGivenBack) {
  if (util::kThreadSanitizer) GTEST_SKIP() << "with their shadows the cells of all have no room in 24 GB";
  constexpr Rank kSize = 128;
  for (const World& world :
       {World{SimulatedDevice::shm, kSize}, World{SimulatedDevice::network, kSize, 20'000, 0, true}})
    run_ranks(kSize, world.options(), [](Runtime& rt) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        auto neighbours = Sparse(seed, 70, rt.rank(), rt.size()).of(rt.world());
        ASSERT_TRUE(ok(neighbours) && ok(neighbours->commit(kPatience)));
        go_round(rt, *neighbours, "spread", {7});
      }
    });
}

// A request keeps the slots of neighbours that are gone; who comes then finds too few, until it goes, too.
TEST(DirectNeighbours, ARequestKeepsItsSlots) {
  constexpr Rank kSize = 128;
  run_ranks(kSize, World{SimulatedDevice::direct, kSize}.options(), [](Runtime& rt) {
    const auto committed = [&](std::uint64_t seed) {
      auto neighbours = Sparse(seed, 70, rt.rank(), rt.size()).of(rt.world());
      EXPECT_TRUE(ok(neighbours) && ok(neighbours->commit(kPatience)));
      return *std::move(neighbours);
    };
    std::optional<Neighbours> first(committed(1));
    const std::uint64_t mine = rt.rank();
    const std::vector<Rank> sources(first->sources().begin(), first->sources().end());
    std::optional<Words> receive(Words(sources.size()));
    auto kept = Collective::neighbour_allgather(*first, 8, &mine, receive->data());
    ASSERT_TRUE(ok(kept));
    first.reset();
    for (std::uint64_t seed = 2; seed <= 3; ++seed) go_round(rt, committed(seed), "routed");
    ASSERT_TRUE(ok(kept->run(kPatience)));
    for (std::size_t i = 0; i < sources.size(); ++i) ASSERT_EQ((*receive)[i], sources[i]);
    { const Collective gone = *std::move(kept); }
    for (std::uint64_t seed = 4; seed <= 5; ++seed) go_round(rt, committed(seed), "spread");
  });
}

// More edges at one member than it has slots: everybody takes the other way, also those who have few.
TEST(DirectNeighbours, TooManyEdgesAtOneMemberAreRouted) {
  constexpr Rank kSize = 128;
  for (const bool hub_reads : {true, false})
    run_ranks(kSize, World{SimulatedDevice::direct, kSize}.options(), [&](Runtime& rt) {
      std::vector<Rank> hub, all;
      if (rt.rank() != 5) hub.push_back(5);
      for (Rank other = 0; rt.rank() == 5 && other < kSize; ++other)
        if (other != 5) all.push_back(other);
      auto star = Neighbours::graph(rt.world(), hub_reads ? all : hub, hub_reads ? hub : all);
      ASSERT_TRUE(ok(star) && ok(star->commit(kPatience)));
      go_round(rt, *star, "routed");
    });
}

// One member only has an edge that is no distance.
TEST(DirectNeighbours, OneEdgeAmongManyMembers) {
  run_ranks(kMany, World{SimulatedDevice::direct, kMany}.options(), [](Runtime& rt) {
    const std::vector<Rank> none, to{2}, from{5};
    auto one = Neighbours::graph(rt.world(), rt.rank() == 2 ? from : none, rt.rank() == 5 ? to : none);
    ASSERT_TRUE(ok(one) && ok(one->commit(kPatience)));
    std::uint64_t send = 77, receive = 0;
    auto request = Collective::neighbour_alltoall(*one, 8, &send, &receive);
    ASSERT_TRUE(ok(request));
    for (const char* way : {"spread", "routed"}) {
      receive = 0;
      ASSERT_TRUE(ok(request->use(way)));
      ASSERT_TRUE(ok(request->run(kPatience)));
      EXPECT_EQ(receive, rt.rank() == 2 ? 77u : 0u);
    }
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

// In a random graph rank 33 dies: those who have an edge with it hear of it, and the others go on as if nothing had been.
TEST(DirectNeighbours, ADeathInARandomGraphEndsThoseOnlyWhoNeedTheDead) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::shm}) {
    Simulation simulation(kMany, World{device, kMany}.options());
    std::atomic<Rank> ready{0};
    static_cast<void>(simulation.run([&](Runtime& rt) {
      const Sparse graph(9, 8, rt.rank(), rt.size());
      auto neighbours = graph.of(rt.world());
      ASSERT_TRUE(ok(neighbours) && ok(neighbours->commit(kPatience)));
      ++ready;
      if (rt.rank() == 33) {
        while (ready != kMany) let_others_run();
        return simulation.kill(33);
      }
      const auto has = [](const std::vector<Rank>& all) { return std::find(all.begin(), all.end(), 33) != all.end(); };
      for (std::uint64_t round = 1; round <= 3; ++round) {
        const std::uint64_t send = 100 * round + rt.rank();
        Words receive(graph.sources.size());
        const Status status = neighbour_allgather(*neighbours, 8, &send, receive.data(), kPatience);
        if (has(graph.sources) || (has(graph.destinations) && !status.ok())) {
          ASSERT_TRUE(fails(status, Code::peer_failed, "rank 33")) << rt.rank();
        } else {
          ASSERT_TRUE(ok(status)) << rt.rank();
        }
        for (std::size_t i = 0; i < receive.size(); ++i)
          if (graph.sources[i] != 33) {
            ASSERT_EQ(receive[i], 100 * round + graph.sources[i]);
          }
      }
      EXPECT_TRUE(ok(rt.world().agree(1, kPatience)));  // those who leave now would count as gone for others
    }));
  }
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

// The same with more exchanges under way than there are lanes: what one learns of the dead is not said of those queued behind it, and none
// breaks the group.
TEST(DirectNeighbours, ADeathEndsEachOfManyUnderWayByItself) {
  constexpr Rank kRing = 8, kDead = 5;
  constexpr std::size_t kUnderWay = 9;
  Simulation simulation(kRing, World{SimulatedDevice::network, kRing}.options());
  std::atomic<Rank> ready{0};
  static_cast<void>(simulation.run([&](Runtime& rt) {
    const GridDimension ring{kRing, true};
    auto grid = Neighbours::grid(rt.world(), {&ring, 1});
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    std::vector<Words> send(kUnderWay), receive(kUnderWay, Words(2));
    std::vector<Collective> all;
    for (std::size_t i = 0; i < kUnderWay; ++i) {
      send[i].assign(2, 100 * i + rt.rank());
      auto one = Collective::neighbour_alltoall(*grid, 8, send[i].data(), receive[i].data());
      ASSERT_TRUE(ok(one));
      all.push_back(*std::move(one));
    }
    ++ready;
    while (ready != kRing) let_others_run();
    if (rt.rank() == kDead) return simulation.kill(kDead);
    for (Collective& each : all) ASSERT_TRUE(ok(each.start()));
    const bool needs_the_dead = rt.rank() + 1 == kDead || rt.rank() == kDead + 1;
    for (std::size_t i = 0; i < kUnderWay; ++i) {
      const Status status = all[i].wait(kPatience);
      ASSERT_TRUE(needs_the_dead ? fails(status, Code::peer_failed, "rank 5") : ok(status)) << rt.rank() << " " << i;
      for (std::size_t side = 0; side < 2; ++side)
        if (const Rank from = grid->sources()[side]; from != kDead) {
          ASSERT_EQ(receive[i][side], 100 * i + from) << rt.rank() << " " << i;
        }
    }
    EXPECT_TRUE(ok(rt.world().agree(1, kPatience)));  // those who leave now would count as gone for others
  }));
}

}  // namespace
}  // namespace polder::test
