// abort() ends every rank of the node, whatever it is doing.

#include "bootstrap/gathered/gathered.hpp"

#include "processes.hpp"

namespace polder::bootstrap::gathered {
namespace {

TEST(GatheredAbortTest, AllRanksEndWithItsCode) {
  Processes ranks(4, [](Surroundings& with) {
    const auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    with.board.barrier();
    if (with.exchange.rank == 2) (*made)->abort(42, "a test says so");
    while (true) pause();
    return 1;
  });
  ranks.expect_all_exit(42);
}

TEST(GatheredAbortTest, ItIsNoSuccess) {
  Processes ranks(2, [](Surroundings& with) {
    const auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    with.board.barrier();
    if (with.exchange.rank == 0) (*made)->abort(0, "code 0");
    while (true) pause();
    return 1;
  });
  ranks.expect_all_exit(1);
}

TEST(GatheredAbortTest, WhoCannotFollowIsKilled) {
  Processes ranks(3, [](Surroundings& with) {
    auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    with.board.barrier();
    if (with.exchange.rank == 1) {
      (*made)->finish();
      made->reset();  // watches no more
    }
    with.board.counter(0).fetch_add(1);
    while (with.exchange.rank != 0 || with.board.counter(1).load() == 0) usleep(1000);
    (*made)->abort(7, "two are out of reach");
    return 1;
  });
  ASSERT_TRUE(comes_true([&] { return ranks.board().counter(0).load() == 3; }));
  ranks.stop(2);
  ranks.board().counter(1).store(1);
  ranks.expect_exit(0, 7);
  ranks.expect_signal(1, SIGKILL);
  ranks.expect_signal(2, SIGKILL);
}

TEST(GatheredAbortTest, TwoAtOnceAreOne) {
  Processes ranks(4, [](Surroundings& with) {
    const auto made = create(with.exchange);
    POLDER_EXPECT_IN_CHILD(made.ok());
    with.board.barrier();
    (*made)->abort(9, "all together");
    return 1;
  });
  ranks.expect_all_exit(9);
}

}  // namespace
}  // namespace polder::bootstrap::gathered
