// Exchanges between neighbours: graphs and grids on every device, what members disagree about, and deaths.
#include "core/ranks.hpp"
#include "words.hpp"

#include <polder/neighbours.hpp>
#include <polder/simulate.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <random>

namespace polder::test {
namespace {

class NeighboursTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, NeighboursTest, testing::ValuesIn(worlds({1, 2, 3, 8})), name_of_param);

// How often `from` sends to `to` in a graph that all members draw alike.
std::uint32_t edges(std::uint64_t seed, Rank from, Rank to) {
  const std::uint64_t drawn = util::mix(seed ^ util::mix(from * 1000 + to)) % 5;
  return drawn < 3 ? std::uint32_t(drawn) : 0;
}

struct Graph {
  std::vector<Rank> sources, destinations;
  Graph(std::uint64_t seed, Rank me, Rank size) {
    for (Rank other = size; other-- > 0;) {  // backwards, so that the order of edges is not that of members
      sources.insert(sources.end(), edges(seed, other, me), other);
      destinations.insert(destinations.end(), edges(seed, me, other), other);
    }
  }
};

// Word i of letter k from one to another.
std::uint64_t letter(Rank from, Rank to, std::size_t k, std::size_t i) {
  return util::mix(util::mix(from * 64 + to) + 1000 * k) + i;
}
std::size_t length(Rank from, Rank to, std::size_t k) {
  return (from + 2 * to + 3 * k) % 4 * 1700;
}

// Blocks behind each other with a word between, and their contents.
struct Blocks {
  std::vector<Part> parts;
  Words words;
  Blocks(const std::vector<Rank>& others, bool sends, Rank me) {
    std::vector<std::size_t> seen(64);
    for (const Rank other : others) {
      const Rank from = sends ? me : other, to = sends ? other : me;
      const std::size_t k = seen[other]++, count = length(from, to, k);
      parts.push_back({8 * words.size(), 8 * count});
      for (std::size_t i = 0; i < count; ++i) words.push_back(letter(from, to, k, i));
      words.push_back(0);
    }
  }
};

TEST_P(NeighboursTest, ExchangeOverRandomGraphs) {
  run([](Runtime& rt) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Graph graph(seed, rt.rank(), rt.size());
      auto neighbours = Neighbours::graph(rt.world(), graph.sources, graph.destinations);
      ASSERT_TRUE(ok(neighbours) && ok(neighbours->commit(kPatience)));
      const Blocks out(graph.destinations, true, rt.rank()), expected(graph.sources, false, rt.rank());
      Words in(expected.words.size());
      ASSERT_TRUE(
          ok(neighbour_alltoallv(*neighbours, out.words.data(), out.parts, in.data(), expected.parts, kPatience)));
      ASSERT_EQ(in, expected.words) << seed;
      // The same as a request, begun twice, with each allgather beside it.
      const Words mine = words(rt.rank(), 600);
      Words all(600 * graph.sources.size());
      auto again = Collective::neighbour_alltoallv(*neighbours, out.words.data(), out.parts, in.data(), expected.parts);
      auto gather = Collective::neighbour_allgather(*neighbours, 8 * 600, mine.data(), all.data());
      ASSERT_TRUE(ok(again) && ok(gather));
      for (int round = 0; round < 2; ++round) {
        in.assign(in.size(), 0);
        ASSERT_TRUE(ok(again->start()) && ok(gather->start()));
        ASSERT_TRUE(ok(gather->wait(kPatience)) && ok(again->wait(kPatience)));
        ASSERT_EQ(in, expected.words);
        for (std::size_t i = 0; i < graph.sources.size(); ++i)
          ASSERT_TRUE(std::equal(all.begin() + std::ptrdiff_t(600 * i), all.begin() + std::ptrdiff_t(600 * (i + 1)),
                                 words(graph.sources[i], 600).begin()));
      }
    }
  });
}

// What leaves towards one side arrives from the other, also where a ring of two has the same member on both sides.
TEST_P(NeighboursTest, AGridKnowsItsSides) {
  run([](Runtime& rt) {
    const std::size_t half = rt.size() % 2 == 0 ? 2 : 1;
    for (const bool periodic : {true, false}) {
      const std::array<GridDimension, 3> dimensions{{{half, periodic}, {rt.size() / half, periodic}, {1, periodic}}};
      auto grid = Neighbours::grid(rt.world(), dimensions);
      ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
      ASSERT_EQ(grid->sources().size(), 6u);
      Words send(6), receive(6, 99);
      for (std::size_t side = 0; side < 6; ++side) send[side] = 10 * rt.rank() + side;
      Status status;
      do {
        status = neighbour_alltoall(*grid, 8, send.data(), receive.data(), 100us);  // goes on where it was
      } while (status.timed_out());
      ASSERT_TRUE(ok(status));
      for (std::size_t side = 0; side < 6; ++side) {
        const Rank from = grid->sources()[side];
        EXPECT_EQ(receive[side], from == kNobody ? 99 : 10 * from + (side ^ 1)) << side;
        EXPECT_TRUE(periodic || side < 4 || from == kNobody);
      }
    }
  });
}

TEST_P(NeighboursTest, ColumnsTravelAsBlocks) {
  run([](Runtime& rt) {
    const GridDimension ring{rt.size(), true};
    auto grid = Neighbours::grid(rt.world(), {&ring, 1});
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    // A field of 50 rows of 6, whose outer columns are the halo.
    Words field(300), halo(300);
    for (std::size_t i = 0; i < 300; ++i) field[i] = word(rt.rank(), i);
    const std::array<StridedPart, 2> faces{{{8, 50, 8, 48}, {32, 50, 8, 48}}}, halos{{{0, 50, 8, 48}, {40, 50, 8, 48}}};
    ASSERT_TRUE(ok(neighbour_alltoallw(*grid, field.data(), faces, halo.data(), halos, kPatience)));
    const Rank before = (rt.rank() + rt.size() - 1) % rt.size(), behind = (rt.rank() + 1) % rt.size();
    for (std::size_t row = 0; row < 50; ++row) {
      EXPECT_EQ(halo[6 * row], word(before, 6 * row + 4));
      EXPECT_EQ(halo[6 * row + 5], word(behind, 6 * row + 1));
      EXPECT_EQ(halo[6 * row + 2], 0u);
    }
  });
}

TEST_P(NeighboursTest, EachGivesAsMuchAsItHas) {
  run([](Runtime& rt) {
    const GridDimension line{rt.size(), false};
    auto grid = Neighbours::grid(rt.world(), {&line, 1});
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    const Words mine = words(rt.rank(), 100 * rt.rank());
    std::vector<Part> parts;
    Words expected;
    for (const Rank from : grid->sources()) {
      const Words theirs = from == kNobody ? Words() : words(from, 100 * from);
      parts.push_back({8 * expected.size(), 8 * theirs.size()});
      expected.insert(expected.end(), theirs.begin(), theirs.end());
    }
    Words all(expected.size());
    ASSERT_TRUE(ok(neighbour_allgatherv(*grid, 8 * mine.size(), mine.data(), all.data(), parts, kPatience)));
    EXPECT_EQ(all, expected);
    auto request = Collective::neighbour_allgatherv(*grid, 8 * mine.size(), mine.data(), all.data(), parts);
    all.assign(all.size(), 0);
    ASSERT_TRUE(ok(request) && ok(request->run(kPatience)));
    EXPECT_EQ(all, expected);
  });
}

// All members' together are more than stays in a cache, and no block begins where a line does.
TEST(Neighbours, LongLettersArriveWhole) {
  constexpr std::size_t kBlock = (std::size_t{3} << 19) + 5, kSkew = 3;  // bytes
  run_ranks(4, World{SimulatedDevice::direct, 4}.options(), [](Runtime& rt) {
    const GridDimension ring{rt.size(), true};
    auto grid = Neighbours::grid(rt.world(), {&ring, 1});
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    const auto sent = [](Rank rank) { return noise(rank, 2 * kBlock); };
    const auto mine = sent(rt.rank());
    std::vector<std::byte> received(2 * kBlock + 2 * kSkew, std::byte{0x5a});
    ASSERT_TRUE(ok(neighbour_alltoall(*grid, kBlock, mine.data(), received.data() + kSkew, kPatience)));
    const auto before = sent((rt.rank() + 3) % 4), behind = sent((rt.rank() + 1) % 4);
    std::vector<std::byte> expected(kSkew, std::byte{0x5a});
    expected.insert(expected.end(), before.begin() + kBlock, before.end());
    expected.insert(expected.end(), behind.begin(), behind.begin() + kBlock);
    expected.insert(expected.end(), kSkew, std::byte{0x5a});
    EXPECT_TRUE(received == expected);
  });
}

TEST(Neighbours, OfManyMembersGoThroughOthers) {
  run_ranks(34, World{SimulatedDevice::direct, 34}.options(), [](Runtime& rt) {
    const std::array<GridDimension, 2> dimensions{{{17, true}, {2, false}}};
    auto grid = Neighbours::grid(rt.world(), dimensions);
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    const std::uint64_t mine = rt.rank();
    std::array<std::uint64_t, 4> theirs{99, 99, 99, 99};
    ASSERT_TRUE(ok(neighbour_allgather(*grid, 8, &mine, theirs.data(), kPatience)));
    for (std::size_t side = 0; side < 4; ++side)
      EXPECT_EQ(theirs[side], grid->sources()[side] == kNobody ? 99 : grid->sources()[side]);
  });
}

TEST(Neighbours, WhatMembersDisagreeAboutIsNamed) {
  run_ranks(3, World{SimulatedDevice::direct, 3}.options(), [](Runtime& rt) {
    // Rank 0 sends to rank 1, which does not know of it.
    const std::vector<Rank> none, one{1};
    auto group = rt.create_group(std::vector<Rank>{0, 1, 2});
    ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
    auto wrong = Neighbours::graph(**group, none, rt.rank() == 0 ? one : none);
    ASSERT_TRUE(ok(wrong));
    const Status status = wrong->commit(kPatience);
    if (rt.rank() == 0) {
      EXPECT_TRUE(fails(status, Code::invalid_argument, "rank 1 names this rank as a source 0 times"));
    }
    if (rt.rank() == 1) {
      EXPECT_TRUE(fails(status, Code::invalid_argument, "rank 0 names this rank as a destination once"));
    }
    if (rt.rank() == 2) {
      EXPECT_TRUE(ok(status));
    }
    EXPECT_EQ(wrong->committed(), rt.rank() == 2);
    // They agree about a ring, but not about what goes over it.
    const GridDimension ring{3, true};
    auto grid = Neighbours::grid(**group, {&ring, 1});
    ASSERT_TRUE(ok(grid));
    std::array<std::uint64_t, 4> send{}, receive{};
    EXPECT_TRUE(fails(neighbour_alltoall(*grid, 8, send.data(), receive.data(), kPatience), Code::invalid_argument,
                      "not been committed"));
    ASSERT_TRUE(ok(grid->commit(kPatience)));
    const Status size = neighbour_alltoall(*grid, rt.rank() == 0 ? 16 : 8, send.data(), receive.data(), kPatience);
    EXPECT_FALSE(size.ok() || size.timed_out());
    EXPECT_NE(size.to_string().find("rank"), std::string::npos) << size.to_string();
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST(Neighbours, RefuseWhatCannotBeRight) {
  run_ranks(2, World{SimulatedDevice::direct, 2}.options(), [](Runtime& rt) {
    const std::vector<Rank> outside{2}, both{0, 1};
    const GridDimension three{3, true}, two{2, true};
    EXPECT_TRUE(
        fails(Neighbours::graph(rt.world(), outside, both).status(), Code::invalid_rank, "source 0 is member 2"));
    EXPECT_TRUE(fails(Neighbours::grid(rt.world(), {&three, 1}).status(), Code::invalid_size, "extents"));
    auto grid = Neighbours::grid(rt.world(), {&two, 1});
    ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
    Words data(8), other(8);
    const std::vector<Part> one{{0, 8}};
    EXPECT_TRUE(fails(neighbour_alltoallv(*grid, data.data(), one, other.data(), one, kPatience),
                      Code::invalid_argument, "1 blocks to send for 2 neighbours"));
    EXPECT_TRUE(fails(neighbour_alltoall(*grid, 8, nullptr, other.data(), kPatience), Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(neighbour_alltoall(*grid, 8, data.data(), data.data() + 1, kPatience), Code::invalid_argument,
                      "overlap"));
    EXPECT_TRUE(fails(neighbour_alltoall(*grid, ~std::size_t{0} / 3, data.data(), other.data(), kPatience),
                      Code::invalid_size));
    auto request = Collective::neighbour_alltoall(*grid, 8, data.data(), other.data());
    const StridedPart layout{0, 2, 8, 16};
    ASSERT_TRUE(ok(request));
    EXPECT_TRUE(fails(request->lay_out(&layout, nullptr), Code::invalid_argument));
    ASSERT_TRUE(ok(request->run(kPatience)));
  });
}

// Of a ring of six rank 3 dies: 2 and 4 hear of it, and have what the others sent; the others go on, and so do these.
TEST(Neighbours, ADeathEndsThoseOnlyWhoNeedTheDead) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages}) {
    Simulation simulation(6, World{device, 6}.options());
    std::atomic<int> ready{0};
    static_cast<void>(simulation.run([&](Runtime& rt) {
      const GridDimension ring{6, true};
      auto grid = Neighbours::grid(rt.world(), {&ring, 1});
      ASSERT_TRUE(ok(grid) && ok(grid->commit(kPatience)));
      ++ready;
      if (rt.rank() == 3) {
        while (ready != 6) let_others_run();
        return simulation.kill(3);
      }
      for (std::uint64_t round = 1; round <= 5; ++round) {
        // More than the cells of a letter hold.
        const std::size_t count = round % 2 == 0 ? 1 : 40'000;
        Words send(2 * count, round * 100 + rt.rank()), receive(2 * count);
        const Status status = neighbour_alltoall(*grid, 8 * count, send.data(), receive.data(), kPatience);
        const bool needs_the_dead = rt.rank() == 2 || rt.rank() == 4;
        ASSERT_TRUE(needs_the_dead ? fails(status, Code::peer_failed) : ok(status)) << rt.rank();
        for (std::size_t side = 0; side < 2; ++side)
          if (const Rank from = grid->sources()[side]; from != 3) {
            ASSERT_EQ(receive[side * count], round * 100 + from);
            ASSERT_EQ(receive[side * count + count - 1], round * 100 + from);
          }
      }
      // Those who leave now would count as gone for others.
      Result<Agreement> agreed = rt.world().agree(1, kPatience);
      EXPECT_TRUE(ok(agreed));
    }));
  }
}

}  // namespace
}  // namespace polder::test
