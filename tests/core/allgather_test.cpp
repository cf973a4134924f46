// Allgather: everyone gets everyone's part, in order, again and again.
#include "core/ranks.hpp"

#include <thread>

namespace polder::test {
namespace {

class Allgather : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Allgather, testing::ValuesIn(worlds({1, 2, 4, 8})), name_of_param);

std::vector<std::byte> part_of(Rank member, std::size_t round, std::size_t bytes) {
  return noise(member * 1009 + round, bytes);
}

std::vector<std::byte> all_parts(Rank ranks, std::size_t round, std::size_t bytes) {
  std::vector<std::byte> all;
  for (Rank member = 0; member < ranks; ++member) {
    const auto part = part_of(member, round, bytes);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST_P(Allgather, OfAllSizes) {
  run([](Runtime& rt) {
    std::size_t round = 0;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{333}, Group::kMaxGather,
                                    std::size_t{5}, Group::kMaxGather, std::size_t{0}, std::size_t{64}}) {
      std::vector<std::byte> all(bytes * rt.size());
      ASSERT_TRUE(ok(rt.world().allgather(part_of(rt.rank(), ++round, bytes), all, kPatience)));
      EXPECT_TRUE(all == all_parts(rt.size(), round, bytes)) << bytes << " bytes";
    }
  });
}

TEST_P(Allgather, ManyInARow) {
  run([](Runtime& rt) {
    for (std::size_t round = 0; round < 60; ++round) {
      std::vector<std::byte> all(16 * rt.size());
      if (rt.rank() == round % rt.size()) let_others_run();
      ASSERT_TRUE(ok(rt.world().allgather(part_of(rt.rank(), round, 16), all, kPatience)));
      ASSERT_TRUE(all == all_parts(rt.size(), round, 16)) << "round " << round;
    }
  });
}

// Else it would take what members show for the one before as theirs.
TEST_P(Allgather, RefusesAnotherSizeWhileOneIsUnderWay) {
  run([](Runtime& rt) {
    std::vector<std::byte> all(16 * rt.size()), more(32 * rt.size());
    ASSERT_TRUE(ok(rt.world().allgather(part_of(rt.rank(), 0, 16), all, kPatience)));
    if (rt.rank() == 0 && rt.size() > 1) {
      EXPECT_TRUE(fails(rt.world().allgather(part_of(0, 1, 16), all, Timeout::test()), Code::timeout));
      EXPECT_TRUE(fails(rt.world().allgather(part_of(0, 1, 32), more, Timeout::test()), Code::busy));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(rt.world().allgather(part_of(rt.rank(), 1, 16), all, kPatience)));
    EXPECT_TRUE(all == all_parts(rt.size(), 1, 16));
    ASSERT_TRUE(ok(rt.world().allgather(part_of(rt.rank(), 2, 32), more, kPatience)));
    EXPECT_TRUE(more == all_parts(rt.size(), 2, 32));
  });
}

TEST_P(Allgather, IsResumedAfterTimeouts) {
  run([](Runtime& rt) {
    for (std::size_t round = 0; round < 12; ++round) {
      std::vector<std::byte> all(100 * rt.size());
      const auto mine = part_of(rt.rank(), round, 100);
      if (rt.rank() == round % rt.size()) rest(1ms);
      Status status;
      while ((status = rt.world().allgather(mine, all, round % 2 == 0 ? Timeout::test() : Timeout(200us))).timed_out())
        let_others_run();
      ASSERT_TRUE(ok(status));
      ASSERT_TRUE(all == all_parts(rt.size(), round, 100)) << "round " << round;
    }
  });
}

TEST_P(Allgather, WrongSizesAreRefused) {
  run([](Runtime& rt) {
    std::vector<std::byte> mine(Group::kMaxGather + 1), all(mine.size() * rt.size());
    EXPECT_TRUE(fails(rt.world().allgather(mine, all, kPatience), Code::invalid_size, "4096"));
    EXPECT_TRUE(
        fails(rt.world().allgather(std::span(mine).first(8), std::span(all).first(8 * rt.size() - 1), kPatience),
              Code::invalid_size));
    auto group = rt.create_group(0, rt.size());
    ASSERT_TRUE(ok(group));
    EXPECT_TRUE(fails((*group)->allgather({}, {}, kPatience), Code::invalid_group, "committed"));
  });
}

}  // namespace
}  // namespace polder::test
