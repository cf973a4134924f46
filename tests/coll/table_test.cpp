// The table that chooses algorithms: built in, from a file and the environment, and for one call.
#include "coll/table/table.hpp"
#include "core/ranks.hpp"

#include <polder/collective.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace polder::test {
namespace {

TEST(Table, EveryKindHasARowForEveryCall) {
  const coll::Table table;
  for (std::uint8_t kind = 1; kind <= std::uint8_t(coll::kLastKind); ++kind)
    for (const Rank members : {1, 2, 9, 33, 100'000})
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 12, std::size_t{1} << 40})
        for (const bool easy : {true, false}) {
          const auto chosen = table.choose({coll::Kind(kind), bytes, members, easy, easy});
          EXPECT_NE(chosen, coll::Algorithm::choose) << to_string(coll::Kind(kind));
          // Those that write to every member have no room for more.
          const bool near = chosen == coll::Algorithm::whole || chosen == coll::Algorithm::slices ||
                            chosen == coll::Algorithm::spread;
          EXPECT_TRUE(!near || members <= 32);
        }
}

TEST(Table, PrefersWhatItIsTold) {
  coll::Table table;
  ASSERT_TRUE(ok(table.prefer("allreduce", "ring")));
  EXPECT_EQ(table.choose({coll::Kind::allreduce, 8, 4}), coll::Algorithm::ring);
  EXPECT_NE(table.choose({coll::Kind::allreduce, 8, 4, false}), coll::Algorithm::ring);
  EXPECT_TRUE(
      fails(table.prefer("allreduce", "chain"), Code::invalid_argument, "no allreduce by an algorithm 'chain'"));
}

constexpr coll::Choice kSharing{coll::Kind::allreduce, 4096, 4, true, true, true};

TEST(Table, OfMembersThatShareMemoryHasItsOwnRows) {
  const coll::Table table;
  EXPECT_EQ(table.choose(kSharing), coll::Algorithm::late_tree);
  EXPECT_EQ(table.choose({coll::Kind::allreduce, 8, 4, true, true, true}), coll::Algorithm::board);
  EXPECT_EQ(table.choose({coll::Kind::allreduce, 1 << 20, 4, false, true, true}), coll::Algorithm::claimed_slices);
  EXPECT_LT(table.choose({coll::Kind::allreduce, 4096, 4}), coll::Algorithm::shared);
}

TEST(Table, OfNodesWithSeveralMembersGoesByNodes) {
  const coll::Table table;
  for (const coll::Kind kind : {coll::Kind::allreduce, coll::Kind::reduce, coll::Kind::reduce_scatter,
                                coll::Kind::broadcast, coll::Kind::barrier})
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{1} << 24})
      EXPECT_EQ(table.choose({.kind = kind, .bytes = bytes, .members = 8, .levels = true}), coll::Algorithm::two_level);
  // What all have is told on each node by its first member: for long parts that is more than it saves.
  const auto goes_by_nodes = [&](coll::Kind kind, std::size_t bytes, Rank members) {
    const coll::Choice choice{.kind = kind, .bytes = bytes, .members = members, .levels = true};
    return table.choose(choice) == coll::Algorithm::two_level;
  };
  EXPECT_TRUE(goes_by_nodes(coll::Kind::allgather, 64, 4));
  EXPECT_FALSE(goes_by_nodes(coll::Kind::allgather, 1 << 20, 4));
  EXPECT_TRUE(goes_by_nodes(coll::Kind::allgather, 1 << 20, 8));
  EXPECT_FALSE(goes_by_nodes(coll::Kind::allgather, 1 << 23, 8));
  // Where members of nodes follow each other nothing has to be put in order behind it.
  EXPECT_EQ(
      table.choose({.kind = coll::Kind::allgather, .bytes = 1 << 23, .members = 8, .levels = true, .blocks = true}),
      coll::Algorithm::two_level);
  EXPECT_TRUE(goes_by_nodes(coll::Kind::alltoall, 8, 8));
  EXPECT_FALSE(goes_by_nodes(coll::Kind::alltoall, 1 << 14, 8));
  EXPECT_NE(table.choose({.kind = coll::Kind::allreduce, .bytes = 8, .members = 8}), coll::Algorithm::two_level);
  EXPECT_NE(table.print().find("allreduce two_level any any                 # members on several nodes"),
            std::string::npos);
}

// One letter for each node over the network, and not one for each member in each round.
TEST(Table, ScansOfNodesInBlocksGoByAChain) {
  coll::Table table;
  const auto chosen = [&](Rank members, bool blocks) {
    return table.choose({.kind = coll::Kind::scan, .bytes = 8, .members = members, .levels = true, .blocks = blocks});
  };
  EXPECT_EQ(chosen(8, true), coll::Algorithm::chain);
  EXPECT_EQ(chosen(8, false), coll::Algorithm::doubling);
  EXPECT_EQ(chosen(64, true), coll::Algorithm::doubling);
  ASSERT_TRUE(ok(table.read("scan chain any 100 blocks # of few nodes")));
  EXPECT_EQ(chosen(64, true), coll::Algorithm::chain);
  EXPECT_EQ(chosen(64, false), coll::Algorithm::doubling);
  EXPECT_EQ(table.print().find("scan chain any 100 blocks\n"), 0u);
  EXPECT_TRUE(fails(table.read("scan chain any 100 piles"), Code::invalid_argument, "piles is not 'blocks'"));
}

TEST(Table, SaysWhatARowNeedsInOneRemark) {
  EXPECT_NE(coll::Table().print().find("# members that share memory; the same bits in any layout\n"),
            std::string::npos);
}

TEST(Table, IsReadAsItIsPrinted) {
  const coll::Table table;
  coll::Table read;
  ASSERT_TRUE(ok(read.read(table.print())));
  for (std::uint8_t kind = 1; kind <= std::uint8_t(coll::kLastKind); ++kind)
    for (const std::size_t bytes : {1, 100, 5000, 100'000, 5'000'000})
      for (const Rank members : {2, 7, 40, 5000})
        for (int flags = 0; flags < 8; ++flags) {
          const coll::Choice choice{coll::Kind(kind),   bytes,         members, flags % 2 == 0,
                                    flags / 2 % 2 == 0, flags / 4 == 0};
          EXPECT_EQ(read.choose(choice), table.choose(choice)) << to_string(coll::Kind(kind)) << bytes;
        }
}

TEST(Table, ReadsRowsOfAFile) {
  coll::Table table;
  ASSERT_TRUE(ok(table.read("# of this machine\n\nallreduce board any 4\nallreduce ring 64k # far ones\n")));
  EXPECT_EQ(table.choose({coll::Kind::allreduce, 40, 4, true, true, true}), coll::Algorithm::board);
  EXPECT_EQ(table.choose(kSharing), coll::Algorithm::ring) << "a board has 48 bytes, whatever the file says";
  EXPECT_EQ(table.choose({coll::Kind::allreduce, 64 << 10, 9}), coll::Algorithm::ring);
  EXPECT_NE(table.choose({coll::Kind::allreduce, (64 << 10) + 1, 9}), coll::Algorithm::ring);
  EXPECT_TRUE(
      fails(table.read("barrier shared\nallreduce ring 64q"), Code::invalid_argument, "line 2: 64q is no size"));
  EXPECT_TRUE(fails(table.read("allreduce"), Code::invalid_argument, "line 1: a row is"));
  EXPECT_TRUE(fails(table.read("allreduce chain"), Code::invalid_argument, "line 1: there is no allreduce"));
  EXPECT_TRUE(fails(table.read("allreduce ring 99999999999999999999"), Code::invalid_argument, "no size"));
  EXPECT_TRUE(fails(table.read("allreduce ring 20000000000G"), Code::invalid_argument, "no size"));
}

TEST(Table, IsThatOfTheEnvironment) {
  const auto file = std::filesystem::temp_directory_path() / ("polder-table-" + std::to_string(::getpid()));
  std::ofstream(file) << "allreduce ring\nbroadcast chain\n";
  ::setenv("POLDER_COLL_TABLE", file.c_str(), 1);
  ::setenv("POLDER_COLL_BROADCAST", "binomial", 1);
  const coll::Table table = coll::Table::of_environment();
  ::unsetenv("POLDER_COLL_TABLE");
  ::unsetenv("POLDER_COLL_BROADCAST");
  std::filesystem::remove(file);
  EXPECT_EQ(table.choose(kSharing), coll::Algorithm::ring);
  EXPECT_EQ(table.choose({coll::Kind::broadcast, 8, 4}), coll::Algorithm::binomial);
}

TEST(Table, OfAFolderIsNone) {
  ::setenv("POLDER_COLL_TABLE", std::filesystem::temp_directory_path().c_str(), 1);
  const coll::Table table = coll::Table::of_environment();
  ::unsetenv("POLDER_COLL_TABLE");
  EXPECT_EQ(table.choose(kSharing), coll::Table().choose(kSharing));
}

// 127 and 129 members are served as 128 are: no row knows powers of two.
TEST(Table, MakesNoDifferenceBetweenNeighbours) {
  const coll::Table table;
  for (std::uint8_t kind = 1; kind <= std::uint8_t(coll::kLastKind); ++kind)
    for (std::size_t bytes = 1; bytes < std::size_t{1} << 30; bytes *= 2)
      for (const bool node : {true, false}) {
        const auto chosen = [&](Rank members) {
          return table.choose({coll::Kind(kind), bytes, members, true, true, node});
        };
        EXPECT_EQ(chosen(127), chosen(128));
        EXPECT_EQ(chosen(129), chosen(128));
      }
}

class UseTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, UseTest, testing::ValuesIn(worlds({2, 3, 8})), name_of_param);

TEST_P(UseTest, OneCallGoesByTheAlgorithmThatItIsTold) {
  run([](Runtime& rt) {
    std::vector<std::uint64_t> mine(3000, rt.rank() + 1), all(3000);
    auto sums =
        Collective::allreduce(rt.world(), *reduction(Reduction::sum, DataType::uint64, 3000), mine.data(), all.data());
    ASSERT_TRUE(ok(sums));
    EXPECT_TRUE(fails(sums->use("chain"), Code::invalid_argument, "no allreduce by"));
    EXPECT_TRUE(fails(sums->use("board"), Code::invalid_argument, "cannot serve"));
    for (const char* algorithm : {"ring", "circulant", "doubling", "slices", "whole", "reduce_broadcast"}) {
      ASSERT_TRUE(ok(sums->use(algorithm)));
      ASSERT_TRUE(ok(sums->run(kPatience)));
      EXPECT_EQ(all[2999], std::uint64_t{rt.size()} * (rt.size() + 1) / 2) << algorithm;
    }
  });
}

TEST(Use, OfAnotherAlgorithmIsACallThatDoesNotFit) {
  run_ranks(2, World{SimulatedDevice::direct, 2}.options(), [](Runtime& rt) {
    auto group = rt.create_group(std::vector<Rank>{0, 1});
    ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
    std::uint64_t mine = 1, all = 0;
    auto sum = Collective::allreduce(**group, *reduction(Reduction::sum, DataType::uint64, 1), &mine, &all);
    ASSERT_TRUE(ok(sum) && ok(sum->use(rt.rank() == 0 ? "ring" : "doubling")));
    EXPECT_TRUE(fails(sum->run(kPatience), Code::invalid_argument, "algorithm: "));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
