// Who notices the end of a rank that has no launcher.

#include "bootstrap/gathered/gathered.hpp"

#include "processes.hpp"

namespace polder::bootstrap::gathered {
namespace {

// Tells the test that this rank is ready, and waits for its word.
void wait_for_the_test(SharedBoard& board) {
  board.counter(0).fetch_add(1);
  while (board.counter(1).load() == 0) usleep(1000);
}

void when_all_wait(Processes& ranks, Rank count) {
  ASSERT_TRUE(comes_true([&] { return ranks.board().counter(0).load() == count; }));
}

// Rank r waits for the end of the ranks whose bit is set in `ends`, and sees that all others live.
int see_ends(Bootstrap& me, unsigned ends, Health how) {
  for (Rank rank = 0; rank < me.job().size; ++rank)
    if ((ends >> rank & 1) != 0) POLDER_EXPECT_IN_CHILD(comes_true([&] { return me.health(rank) == how; }));
  for (Rank rank = 0; rank < me.job().size; ++rank)
    if ((ends >> rank & 1) == 0) POLDER_EXPECT_IN_CHILD(me.health(rank) == Health::healthy);
  return 0;
}

class GatheredDeathTest : public testing::TestWithParam<unsigned> {};

TEST_P(GatheredDeathTest, SurvivorsSeeWhoWasKilled) {
  constexpr Rank kSize = 6;
  const unsigned victims = GetParam();
  Processes ranks(kSize, [victims](Surroundings& with) {
    const auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    const std::uint32_t changes = (*made)->health_changes().load();
    with.board.counter(0).fetch_add(1);
    const int seen = see_ends(**made, victims, Health::failed);
    POLDER_EXPECT_IN_CHILD((*made)->health_changes().load() != changes);
    with.board.counter(1).fetch_add(1);
    const Rank survivors = kSize - Rank(__builtin_popcount(victims));
    POLDER_EXPECT_IN_CHILD(comes_true([&] { return with.board.counter(1).load() == survivors; }));
    return seen;
  });
  when_all_wait(ranks, kSize);
  for (Rank rank = 0; rank < kSize; ++rank)
    if ((victims >> rank & 1) != 0) ranks.signal(rank, SIGKILL);
  for (Rank rank = 0; rank < kSize; ++rank) {
    if ((victims >> rank & 1) != 0)
      ranks.expect_signal(rank, SIGKILL);
    else
      ranks.expect_exit(rank, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Victims, GatheredDeathTest,
                         testing::Values(0b000010u, 0b000001u, 0b100000u, 0b011110u, 0b101010u, 0b110111u));

TEST(GatheredEndTest, LeavingWithoutAWordIsAFailure) {
  Processes ranks(2, [](Surroundings& with) {
    const auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    with.board.barrier();
    return with.exchange.rank == 1 ? 0 : see_ends(**made, 0b10, Health::failed);
  });
  ranks.expect_all_exit(0);
}

TEST(GatheredEndTest, LeavingInGoodOrderIsNone) {
  Processes ranks(2, [](Surroundings& with) {
    const auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    Bootstrap& me = **made;
    with.board.barrier();
    if (with.exchange.rank == 1) {
      me.finish();
      wait_for_the_test(with.board);
      return 0;
    }
    POLDER_EXPECT_IN_CHILD(comes_true([&] { return me.health(1) == Health::finished; }));
    POLDER_EXPECT_IN_CHILD(me.may_return(1));  // its process is there still
    with.board.counter(1).store(1);
    POLDER_EXPECT_IN_CHILD(comes_true([&] { return !me.may_return(1); }));
    POLDER_EXPECT_IN_CHILD(me.health(1) == Health::finished);
    return 0;
  });
  ranks.expect_all_exit(0);
}

// Ranks 1 to 3 watch no more when rank 4 dies; rank 0 has taken over from them.
TEST(GatheredEndTest, WhoLeavesHandsOver) {
  Processes ranks(5, [](Surroundings& with) {
    auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    Bootstrap& me = **made;
    with.board.barrier();
    const Rank rank = with.exchange.rank;
    if (rank >= 1 && rank <= 3) {
      me.finish();
      made->reset();
    }
    with.board.barrier();
    if (rank != 0) {
      wait_for_the_test(with.board);
      return 0;
    }
    with.board.counter(0).fetch_add(1);
    POLDER_EXPECT_IN_CHILD(comes_true([&] { return me.health(4) == Health::failed; }));
    for (const Rank left : {1u, 2u, 3u}) POLDER_EXPECT_IN_CHILD(me.health(left) == Health::finished);
    with.board.counter(1).store(1);
    return 0;
  });
  when_all_wait(ranks, 5);
  ranks.signal(4, SIGKILL);
  ranks.expect_signal(4, SIGKILL);
  ranks.expect_all_exit(0);
}

TEST(GatheredEndTest, KillEndsARank) {
  Processes ranks(3, [](Surroundings& with) {
    const auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    Bootstrap& me = **made;
    with.board.barrier();
    if (with.exchange.rank == 2)
      while (true) pause();
    if (with.exchange.rank == 0) POLDER_EXPECT_IN_CHILD(me.kill(2).ok());
    POLDER_EXPECT_IN_CHILD(see_ends(me, 0b100, Health::failed) == 0);
    POLDER_EXPECT_IN_CHILD(me.kill(2).code() == Code::peer_failed);
    with.board.counter(0).fetch_add(1);
    POLDER_EXPECT_IN_CHILD(comes_true([&] { return with.board.counter(0).load() == 2; }));
    return 0;
  });
  ranks.expect_signal(2, SIGKILL);
  ranks.expect_all_exit(0);
}

// A child that a rank forks is not the rank, and ending must not take the rank's watcher along.
TEST(GatheredEndTest, AForkedChildDisturbsNothing) {
  Processes ranks(2, [](Surroundings& with) {
    auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    const pid_t child = fork();
    if (child == 0) {
      made->reset();
      _exit(0);
    }
    int status = -1;
    POLDER_EXPECT_IN_CHILD(waitpid(child, &status, 0) == child && status == 0);
    with.board.barrier();
    if (with.exchange.rank == 1) return 0;
    return see_ends(**made, 0b10, Health::failed);
  });
  ranks.expect_all_exit(0);
}

}  // namespace
}  // namespace polder::bootstrap::gathered
