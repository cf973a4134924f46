// A member that lives and cannot make the smaller group: then nobody has it, everybody hears why, and nobody waits.
#include "faulty.hpp"

#include <memory>
#include <vector>

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace polder::test {
namespace {

thread_local bool has_no_memory = false;

}  // namespace
}  // namespace polder::test

// In place of the C library's: what a rank of the shared-memory device shows to others lies in such a file.
extern "C" int memfd_create(const char* name, unsigned flags) {
  if (!polder::test::has_no_memory) return int(syscall(SYS_memfd_create, name, flags));
  errno = ENOMEM;
  return -1;
}

namespace polder::test {
namespace {

// A shrink that does not end fails with that. Real time where ranks are threads.
constexpr Timeout kHang = 20s;

std::string named(Rank rank) {
  return "rank " + std::to_string(rank) + " ";
}

using Groups = std::vector<std::unique_ptr<Group>>;

// All groups that this rank can still have.
Groups fill_table(Runtime& rt) {
  Groups groups;
  while (true) {
    auto group = rt.create_group(std::vector<Rank>{rt.rank()});
    if (!group.ok()) {
      EXPECT_TRUE(fails(group, Code::limit));
      return groups;
    }
    groups.push_back(*std::move(group));
  }
}

void shrink_in_vain(Runtime& rt, Rank refuser, Code own, Code others) {
  auto smaller = rt.world().shrink(kHang);
  if (rt.rank() == refuser) {
    EXPECT_TRUE(fails(smaller, own));
  } else {
    EXPECT_TRUE(fails(smaller, others, named(refuser)));
  }
}

void shrink_to_all(Runtime& rt) {
  auto smaller = rt.world().shrink(kPatience);
  ASSERT_TRUE(ok(smaller));
  EXPECT_EQ((*smaller)->size(), rt.size());
  EXPECT_TRUE(ok((*smaller)->barrier(kPatience)));
}

class ShrinkRefused : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, ShrinkRefused, testing::ValuesIn(worlds({2, 5})), name_of_param);

// It has said that there is room, and fills its table before the others have: so the agreement ends with a yes.
TEST_P(ShrinkRefused, ByATableThatIsFullByNow) {
  run([](Runtime& rt) {
    for (Rank refuser = 0; refuser < rt.size(); ++refuser) {
      Groups groups;
      if (rt.rank() == refuser) {
        EXPECT_TRUE(fails(rt.world().shrink(Timeout::test()), Code::timeout));
        groups = fill_table(rt);
      }
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      shrink_in_vain(rt, refuser, Code::limit, Code::limit);
      groups.clear();
      shrink_to_all(rt);
    }
  });
}

TEST_P(ShrinkRefused, WhereTheOthersTryAgainAndAgain) {
  run([](Runtime& rt) {
    const Rank refuser = rt.size() - 1;
    Groups groups;
    if (rt.rank() == refuser) {
      EXPECT_TRUE(fails(rt.world().shrink(Timeout::test()), Code::timeout));
      groups = fill_table(rt);
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    Result<std::unique_ptr<Group>> smaller = rt.world().shrink(Timeout::test());
    for (const util::Deadline end(kHang, clock_here()); smaller.status().timed_out() && !end.passed();) {
      rest(100us);
      smaller = rt.world().shrink(Timeout::test());
    }
    EXPECT_TRUE(fails(smaller, Code::limit, rt.rank() == refuser ? "" : named(refuser)));
    groups.clear();
    shrink_to_all(rt);
  });
}

// As one whose table is full, in a commit.
TEST(ShrinkWithoutMemory, AtOneMember) {
  constexpr Rank kRanks = 5;
  Simulation simulation(kRanks, {.device = SimulatedDevice::shm, .runtime = {.timeout = kPatience}});
  run_ranks(simulation, [](Runtime& rt) {
    for (Rank refuser = 0; refuser < rt.size(); ++refuser) {
      has_no_memory = rt.rank() == refuser;
      shrink_in_vain(rt, refuser, Code::out_of_memory, Code::system);
      has_no_memory = false;
      shrink_to_all(rt);
    }
  });
}

}  // namespace
}  // namespace polder::test
