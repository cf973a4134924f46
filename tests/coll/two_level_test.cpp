// Broadcast, reduce, allgather and barrier of members on several nodes, some beside others: any root, orders, interruptions, deaths.
#include "coll/nodes.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace polder::test {
namespace {

class TwoLevels : public testing::TestWithParam<Nodes> {
 protected:
  void run(const std::function<void(Runtime&)>& body) const { run_ranks(GetParam().ranks, GetParam().options(), body); }
};

INSTANTIATE_TEST_SUITE_P(Nodes, TwoLevels,
                         testing::Values(Nodes{4, 2}, Nodes{4, 2, true}, Nodes{6, 4},
                                         Nodes{5, 3, false, SimulatedDevice::network, 100'000}, Nodes{7, 3},
                                         Nodes{7, 3, true}, Nodes{6, 3, true, SimulatedDevice::messages},
                                         Nodes{13, 2, false, SimulatedDevice::messages}),
                         name_of_nodes);

std::vector<std::byte> bytes_of(Rank rank, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = std::byte(sent_by(rank, i));
  return bytes;
}

TEST_P(TwoLevels, ABroadcastFromAnyRootReachesAll) {
  run([](Runtime& rt) {
    for (const std::size_t bytes : {0, 1, 100, 9'000, 200'000})
      for (Rank root = 0; root < rt.size(); ++root) {
        std::vector<std::byte> data = rt.rank() == root ? bytes_of(root, bytes) : std::vector<std::byte>(bytes);
        auto made = Collective::broadcast(rt.world(), root, data.data(), bytes);
        ASSERT_TRUE(ok(made));
        EXPECT_EQ(made->algorithm(), "two_level");
        ASSERT_TRUE(ok(made->run(kPatience)));
        ASSERT_EQ(data, bytes_of(root, bytes)) << bytes << " bytes of root " << root;
      }
  });
}

// In several pieces, of which the last one is short.
TEST_P(TwoLevels, ALongBroadcastReachesAll) {
  run([](Runtime& rt) {
    constexpr std::size_t kBytes = (std::size_t{2} << 20) + 4321;
    for (const Rank root : {Rank{0}, Rank{2}, Rank(rt.size() - 1)}) {
      std::vector<std::byte> data = rt.rank() == root ? bytes_of(root, kBytes) : std::vector<std::byte>(kBytes);
      ASSERT_TRUE(ok(broadcast(rt.world(), root, data.data(), kBytes, kPatience)));
      ASSERT_TRUE(data == bytes_of(root, kBytes)) << "of root " << root;
    }
  });
}

// Of two nodes of two ranks: the first of its node has nothing to do for the second.
TEST(TwoLevelsOfRows, ABroadcastWaitsForNobodyBesideItsRoot) {
  const Nodes nodes{4, 2};
  for (const Rank root : {Rank{1}, Rank{3}}) {
    std::atomic<Rank> served{0};
    run_ranks(nodes.ranks, nodes.options(), [&](Runtime& rt) {
      std::uint64_t word = rt.rank() == root ? 42 : 0;
      auto made = Collective::broadcast(rt.world(), root, &word, sizeof word);
      ASSERT_TRUE(ok(made));
      const bool is_late = rt.rank() == root - 1;
      while (is_late && served < nodes.ranks - 1 && !testing::Test::HasFailure()) rest(100us);
      ASSERT_TRUE(ok(made->run(kPatience))) << "rank " << rt.rank();
      EXPECT_EQ(word, 42u);
      ++served;
    });
  }
}

// Ranks 0 and 1 have done their part, and delete the group; rank 2 has all of the letter of 0, and waits for 3 beside it.
TEST(TwoLevelsOfRows, ABroadcastEndsThoughTheOtherNodeHasDeletedTheGroup) {
  constexpr std::size_t kBytes = std::size_t{512} << 10;  // more than the desks of a node, in one piece
  const Nodes nodes{4, 2};
  run_ranks(nodes.ranks, nodes.options(), [&](Runtime& rt) {
    auto group = rt.create_group(std::vector<Rank>{0, 1, 2, 3});
    ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
    std::vector<std::byte> data = rt.rank() == 0 ? bytes_of(0, kBytes) : std::vector<std::byte>(kBytes);
    if (rt.rank() == 3) rest(1s);  // longer than a member that has deleted a group is waited for
    ASSERT_TRUE(ok(broadcast(**group, 0, data.data(), kBytes, kPatience))) << "rank " << rt.rank();
    EXPECT_TRUE(data == bytes_of(0, kBytes)) << "rank " << rt.rank();
    if (rt.rank() < 2) group->reset();
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(TwoLevels, AReduceToAnyRootReachesItAlone) {
  run([](Runtime& rt) {
    for (const std::size_t count : {0, 1, 700, 20'000})
      for (Rank root = 0; root < rt.size(); ++root) {
        std::vector<std::uint64_t> mine(count), all(count, 5);
        for (std::size_t i = 0; i < count; ++i) mine[i] = sent_by(rt.rank(), i);
        const auto add = *reduction(Reduction::sum, DataType::uint64, count);
        auto made = Collective::reduce(rt.world(), root, add, mine.data(), all.data());
        ASSERT_TRUE(ok(made));
        EXPECT_EQ(made->algorithm(), "two_level");
        ASSERT_TRUE(ok(made->run(kPatience)));
        for (std::size_t i = 0; i < count; ++i) {
          std::uint64_t expected = 0;
          for (Rank rank = 0; rank < rt.size(); ++rank) expected += sent_by(rank, i);
          ASSERT_EQ(all[i], rt.rank() == root ? expected : 5)
              << "element " << i << " of " << count << ", root " << root;
          ASSERT_EQ(mine[i], sent_by(rt.rank(), i));
        }
      }
  });
}

// In the place of what is sent, too; nodes whose members do not follow each other are left out then.
TEST_P(TwoLevels, AFunctionThatDoesNotCommuteSeesMembersInTheirOrder) {
  run([](Runtime& rt) {
    for (const std::size_t count : {1, 300, 6000})
      for (Rank root = 0; root < rt.size(); root += 2) {
        std::vector<Matrix> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = matrix_of(rt.rank(), i);
        const ReductionSpec spec{
            .count = count, .element_size = sizeof(Matrix), .combine = multiply, .commutes = false};
        ASSERT_TRUE(ok(reduce(rt.world(), root, spec, values.data(), values.data(), kPatience)));
        for (std::size_t i = 0; i < count && rt.rank() == root; ++i) {
          Matrix expected = matrix_of(0, i);
          for (Rank rank = 1; rank < rt.size(); ++rank) expected = times(expected, matrix_of(rank, i));
          ASSERT_EQ(values[i], expected) << "element " << i << " of " << count;
        }
      }
  });
}

// Parts of all sizes, some empty; those of several nodes come in the order of members wherever these are.
TEST_P(TwoLevels, AnAllgatherBringsAllPartsToAll) {
  run([](Runtime& rt) {
    for (const std::size_t most : {0, 1, 50, 7'000, 300'000}) {
      std::vector<std::size_t> sizes;
      std::vector<std::byte> expected;
      for (Rank rank = 0; rank < rt.size(); ++rank) {
        sizes.push_back(rank % 4 == 2 ? 0 : most - most / 5 * (rank % 3));
        const auto part = bytes_of(rank, sizes.back());
        expected.insert(expected.end(), part.begin(), part.end());
      }
      const auto mine = bytes_of(rt.rank(), sizes[rt.rank()]);
      std::vector<std::byte> all(expected.size());
      auto made = Collective::allgather(rt.world(), sizes, mine.data(), all.data());
      ASSERT_TRUE(ok(made) && ok(made->use("two_level")));
      for (int time = 0; time < 3; ++time) {
        std::fill(all.begin(), all.end(), std::byte{0});
        ASSERT_TRUE(ok(made->run(kPatience)));
        ASSERT_TRUE(all == expected) << "parts up to " << most << " bytes, time " << time;
      }
    }
  });
}

TEST_P(TwoLevels, ABarrierWaitsForAll) {
  std::atomic<Rank> come{0};
  run([&](Runtime& rt) {
    for (Rank round = 1; round <= 30; ++round) {
      if (rt.rank() == round % rt.size()) rest(100us);
      ++come;
      auto made = Collective::barrier(rt.world());
      ASSERT_TRUE(ok(made));
      EXPECT_EQ(made->algorithm(), "two_level");
      ASSERT_TRUE(ok(made->run(kPatience)));
      EXPECT_GE(come, round * rt.size()) << "round " << round;
    }
  });
}

// One after the other, each begun again and again.
TEST_P(TwoLevels, AreResumedAtEveryStep) {
  run([](Runtime& rt) {
    const auto until_it_ends = [&](Collective& under_way, int round) {
      if (rt.rank() == Rank(round) % rt.size()) rest(1ms);
      Status status;
      while ((status = under_way.run(round % 2 == 0 ? Timeout::test() : Timeout(200us))).timed_out()) let_others_run();
      ASSERT_TRUE(ok(status));
    };
    for (int round = 0; round < 6; ++round) {
      const Rank root = Rank(round) % rt.size();
      const std::size_t count = round % 3 == 0 ? 10 : 50'000;
      std::vector<std::uint64_t> mine(count, rt.rank() + 1), all(count);
      auto reduced = Collective::reduce(rt.world(), root, *reduction(Reduction::sum, DataType::uint64, count),
                                        mine.data(), all.data());
      auto told = Collective::broadcast(rt.world(), root, all.data(), count * sizeof all[0]);
      auto met = Collective::barrier(rt.world());
      ASSERT_TRUE(ok(reduced) && ok(told) && ok(met));
      until_it_ends(*reduced, round);
      until_it_ends(*told, round);
      until_it_ends(*met, round);
      const std::uint64_t expected = rt.size() * (rt.size() + 1) / 2;
      ASSERT_TRUE(std::all_of(all.begin(), all.end(), [&](std::uint64_t each) { return each == expected; })) << round;
    }
  });
}

// Wherever it fails the root hears of it, nobody hangs, and the group lives on.
TEST_P(TwoLevels, AFunctionThatFailsIsToldToTheRoot) {
  run([](Runtime& rt) {
    for (const std::size_t count : {10, 30'000})
      for (Rank root = 0; root < rt.size(); root += 3) {
        const std::vector<std::uint64_t> mine(count, rt.rank());
        std::vector<std::uint64_t> all(count);
        const auto refuse = [](const void*, const void*, void*, std::size_t) -> Status {
          return {Code::limit, "this one does not want to", Died::operation};
        };
        const ReductionSpec spec{.count = count, .element_size = sizeof mine[0], .combine = refuse};
        const Status status = reduce(rt.world(), root, spec, mine.data(), all.data(), kPatience);
        if (rt.rank() == root) {
          EXPECT_TRUE(fails(status, Code::limit, "does not want"));
        }
        ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      }
  });
}

// ---- deaths ----

Status take_part(Runtime& rt, std::uint64_t number, std::vector<std::uint64_t>& mine, std::vector<std::uint64_t>& all) {
  const Rank root = Rank(number % rt.size());
  switch (number / 3 % 5) {
    case 0: return Collective::barrier(rt.world())->run(kPatience);
    case 2: {
      const std::vector<std::size_t> sizes(rt.size(), mine.size() / rt.size() * sizeof mine[0]);
      return allgather(rt.world(), sizes, mine.data(), all.data(), kPatience);
    }
    case 1: return broadcast(rt.world(), root, mine.data(), mine.size() * sizeof mine[0], kPatience);
    case 3: {
      std::vector<std::size_t> counts(rt.size(), mine.size() / rt.size());
      counts[root] += mine.size() % rt.size();
      return reduce_scatter(rt.world(), *reduction(Reduction::sum, DataType::uint64, mine.size()), counts, mine.data(),
                            all.data(), kPatience);
    }
    default:
      return reduce(rt.world(), root, *reduction(Reduction::sum, DataType::uint64, mine.size()), mine.data(),
                    all.data(), kPatience);
  }
}

TEST(TwoLevelsSeeds, ADeathIsToldToAll) {
  constexpr std::int64_t kBegin = 50'000'000;  // ns: all have started
  for (std::uint64_t seed = 1; seed <= 150 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Rank ranks = 4 + Rank(util::mix(seed) % 5), dead = Rank(util::mix(seed + 1) % ranks);
    Simulation simulation(ranks, options_of_course(seed, 2 + Rank(seed % 2), seed % 3 == 0));
    simulation.at(kBegin + std::int64_t(util::mix(seed + 2) % 3'000'000), [&] { simulation.kill(dead); });
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      simulation.sleep(kBegin - simulation.now_ns());
      std::vector<std::uint64_t> mine(seed % 4 == 0 ? 100'000 : 20, 1), all(mine.size());
      Status status;
      for (std::uint64_t number = 0; status.ok(); ++number) status = take_part(rt, number, mine, all);
      if (rt.rank() == dead) return;
      EXPECT_TRUE(fails(status, Code::peer_failed, "rank " + std::to_string(dead))) << "at " << rt.rank();
      simulation.sleep(20'000'000);
    })));
  }
}

}  // namespace
}  // namespace polder::test
