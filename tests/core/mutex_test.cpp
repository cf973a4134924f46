// Mutexes between ranks: exclusion, everybody's turn, and the death of who holds one.
#include "core/ranks.hpp"

#include <atomic>
#include <thread>

namespace polder::test {
namespace {

class MutexesOnRanks : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, MutexesOnRanks, testing::ValuesIn(worlds({1, 2, 5})), name_of_param);

TEST_P(MutexesOnRanks, ExcludeEachOther) {
  std::atomic<int> inside{0};
  run([&](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 2, kPatience);
    ASSERT_TRUE(ok(mutexes));
    auto segment = rt.create_segment({.size = 8, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const MutexName name{.rank = rt.size() - 1, .index = 1};
    const std::uint64_t rounds = is_delayed(GetParam()) ? 5 : 40;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
      EXPECT_EQ(inside.fetch_add(1), 0);
      std::uint64_t count = 0;  // read and written apart, so that only the mutex keeps them together
      EXPECT_TRUE(ok(rt.get(&count, {0, 1, 0}, 8, {Until::local, kPatience})));
      ++count;
      EXPECT_TRUE(ok(rt.put(&count, {0, 1, 0}, 8, {Until::local, kPatience})));
      EXPECT_EQ(inside.fetch_sub(1), 1);
      ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    }
    ASSERT_TRUE(ok((*mutexes)->destroy(kPatience)));
    if (rt.rank() == 0) {
      EXPECT_EQ(segment->as<std::uint64_t>()[0], rounds * rt.size());
    }
  });
}

TEST_P(MutexesOnRanks, AreIndependentOfEachOther) {
  run([](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), rt.rank() + 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    for (Rank rank = 0; rank < rt.size(); ++rank) EXPECT_EQ((*mutexes)->count(rank), rank + 1);
    EXPECT_EQ((*mutexes)->count(rt.size()), 0u);
    const Rank last = rt.size() - 1;
    const MutexName mine{last, rt.rank()};  // all held at once
    ASSERT_TRUE(ok((*mutexes)->lock(mine, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok((*mutexes)->unlock(mine, kPatience)));
    ASSERT_TRUE(ok((*mutexes)->destroy(kPatience)));
  });
}

TEST_P(MutexesOnRanks, RefuseWhatIsWrong) {
  run([](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    Mutexes& m = **mutexes;
    EXPECT_TRUE(fails(m.lock({.rank = rt.size()}, kPatience), Code::invalid_rank, "mutex 0 of rank"));
    EXPECT_TRUE(fails(m.lock({.rank = 0, .index = 1}, kPatience), Code::invalid_argument, "mutex 1 of rank 0"));
    EXPECT_TRUE(fails(m.unlock({.rank = rt.rank()}, kPatience), Code::invalid_argument, "is not held by rank"));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(m.lock({.rank = rt.rank()}, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.size() > 1) {
      EXPECT_TRUE(fails(m.lock({.rank = next_of(rt)}, Timeout::test()), Code::timeout));
      EXPECT_TRUE(fails(m.lock({.rank = next_of(rt)}, 5ms), Code::timeout));
      EXPECT_TRUE(fails(m.unlock({.rank = next_of(rt)}, kPatience), Code::invalid_argument, "is not held"));
    }
    EXPECT_TRUE(fails(m.lock({.rank = rt.rank()}, 5ms), Code::timeout)) << "it is not recursive";
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(m.unlock({.rank = rt.rank()}, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(m.lock({.rank = next_of(rt)}, kPatience))) << "who gave up left nothing behind";
    ASSERT_TRUE(ok(m.unlock({.rank = next_of(rt)}, kPatience)));
    ASSERT_TRUE(ok(m.destroy(kPatience)));
    EXPECT_TRUE(fails(m.lock({.rank = rt.rank()}, kPatience), Code::invalid_argument, "destroyed"));
  });
}

TEST_P(MutexesOnRanks, ExcludeThreadsOfARankToo) {
  if (is_delayed(GetParam())) GTEST_SKIP() << "nothing that depends on delays";
  std::atomic<int> inside{0};
  run([&](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    const auto work = [&] {
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(ok((*mutexes)->lock({.rank = 0}, kPatience)));
        EXPECT_EQ(inside.fetch_add(1), 0);
        inside.fetch_sub(1);
        ASSERT_TRUE(ok((*mutexes)->unlock({.rank = 0}, kPatience)));
      }
    };
    Thread other(work);
    work();
    other.join();
    ASSERT_TRUE(ok((*mutexes)->destroy(kPatience)));
  });
}

TEST_P(MutexesOnRanks, BelongToTheirGroup) {
  if (GetParam().ranks < 3) GTEST_SKIP() << "needs three ranks";
  run([](Runtime& rt) {
    if (rt.rank() == 0) return;
    auto group = rt.create_group(1, rt.size() - 1);
    ASSERT_TRUE(ok(group));
    EXPECT_TRUE(fails(rt.create_mutexes(**group, 1, kPatience), Code::invalid_group));
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    auto mutexes = rt.create_mutexes(**group, 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    EXPECT_TRUE(fails((*mutexes)->lock({.rank = 0}, kPatience), Code::invalid_rank, "no member"));
    ASSERT_TRUE(ok((*mutexes)->lock({.rank = 2}, kPatience)));
    ASSERT_TRUE(ok((*mutexes)->unlock({.rank = 2}, kPatience)));
    ASSERT_TRUE(ok((*mutexes)->destroy(kPatience)));
  });
}

// Each that waits in vain counts up in the half of the word below that of the holder.
TEST_P(MutexesOnRanks, KeepTheirHolderHoweverOftenOthersWaitInVain) {
  if (GetParam().ranks < 3) GTEST_SKIP() << "needs three ranks";
  run([](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    const MutexName name{.rank = 0};
    if (rt.rank() == 0) {
      ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
      auto memory = rt.segment(rt.segments().back());  // the only one
      ASSERT_TRUE(ok(memory));
      memory->as<std::uint64_t>()[0] = std::uint64_t{1} << 32 | 0xfffffffe;  // as if it had been locked for ages
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 2) {
      EXPECT_TRUE(fails((*mutexes)->lock(name, 1ms), Code::timeout));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 1) {
      EXPECT_TRUE(fails((*mutexes)->lock(name, Timeout::test()), Code::timeout));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 0) {
      EXPECT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    }
    ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
    ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    ASSERT_TRUE(ok((*mutexes)->destroy(kPatience)));
  });
}

// Who unlocks and locks again at once finds that the other was given its turn.
TEST_P(MutexesOnRanks, AreHandedToWhoWaits) {
  if (GetParam().ranks != 2) GTEST_SKIP() << "two ranks tell it";
  std::atomic<bool> locked{false}, done{false};
  run([&](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    const MutexName name{.rank = 0};
    if (rt.rank() == 0) {
      ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
      locked = true;
      rest(30ms);  // the other one is in the set of those who wait
      for (int i = 0; i < 1'000'000 && !done; ++i) {
        ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
        ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
      }
      EXPECT_TRUE(done);
      ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    } else {
      while (!locked) let_others_run();
      ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
      done = true;
      ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    }
    ASSERT_TRUE(ok((*mutexes)->destroy(kPatience)));
  });
}

// ---- deaths ----

class MutexesAndDeath : public testing::TestWithParam<SimulatedDevice> {
 protected:
  SimulationOptions options() const { return {.device = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(Devices, MutexesAndDeath,
                         testing::Values(SimulatedDevice::direct, SimulatedDevice::network, SimulatedDevice::messages,
                                         SimulatedDevice::shm));

// Rank 1 dies with the mutex of rank 0. One of the others is told and holds it, the rest never hears of it.
TEST_P(MutexesAndDeath, TheNextOneIsToldAndHoldsIt) {
  Simulation simulation(4, options());
  std::atomic<int> told{0}, met{0}, taken{0};
  std::atomic<bool> dead{false};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    const MutexName name{.rank = 0};
    if (rt.rank() == 1) {
      ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      while (met < 3 || taken == 0) let_others_run();  // all are through the barrier, one is about to wait
      simulation.kill(1);
      dead = true;
      return;
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ++met;
    if (rt.rank() == 2)
      while (!dead) let_others_run();
    ++taken;
    const Status locked = (*mutexes)->lock(name, kPatience);
    if (locked.code() == Code::owner_died) {
      ++told;
      EXPECT_TRUE(fails(locked, Code::owner_died, "rank 1")) << "it names the dead";
    } else {
      EXPECT_TRUE(ok(locked));
    }
    ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience))) << "all is as before";
    ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    // Survivors meet past the broken group, so that none leaves while others need its memory.
    auto rest = rt.create_group(std::vector<Rank>{0, 2, 3});
    ASSERT_TRUE(ok(rest));
    ASSERT_TRUE(ok((*rest)->commit(kPatience)));
    ASSERT_TRUE(ok((*rest)->barrier(kPatience)));
  })));
  EXPECT_EQ(told, 1);
}

TEST_P(MutexesAndDeath, WhoDiesWaitingIsPassedOver) {
  Simulation simulation(3, options());
  std::atomic<bool> dead{false};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    const MutexName name{.rank = 0};
    if (rt.rank() == 0) {
      ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 1) {
      Thread executioner([&] {
        rest(20ms);
        simulation.kill(1);
        dead = true;
      });
      EXPECT_FALSE((*mutexes)->lock(name, kPatience).ok());
      executioner.join();
      return;
    }
    while (!dead) let_others_run();
    if (rt.rank() == 0) {
      rest(5ms);
      ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    }
    ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
    ASSERT_TRUE(ok((*mutexes)->unlock(name, kPatience)));
    auto rest = rt.create_group(std::vector<Rank>{0, 2});
    ASSERT_TRUE(ok(rest));
    ASSERT_TRUE(ok((*rest)->commit(kPatience)));
    ASSERT_TRUE(ok((*rest)->barrier(kPatience)));
  })));
}

TEST_P(MutexesAndDeath, GoDownWithTheRankWhereTheyLie) {
  Simulation simulation(3, options());
  std::atomic<bool> dead{false};
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto mutexes = rt.create_mutexes(rt.world(), 1, kPatience);
    ASSERT_TRUE(ok(mutexes));
    const MutexName name{.rank = 2};
    if (rt.rank() == 0) {
      ASSERT_TRUE(ok((*mutexes)->lock(name, kPatience)));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    if (rt.rank() == 2) {
      rest(20ms);
      simulation.kill(2);
      dead = true;
      return;
    }
    if (rt.rank() == 1) {
      EXPECT_TRUE(fails((*mutexes)->lock(name, kPatience), Code::peer_failed, "rank 2"));
    }
    while (!dead || rt.health(2) == Health::healthy) let_others_run();
    if (rt.rank() == 0) {
      EXPECT_TRUE(fails((*mutexes)->unlock(name, kPatience), Code::peer_failed, "rank 2"));
    }
    ASSERT_TRUE(ok((*mutexes)->lock({.rank = 0}, kPatience))) << "others live on";
    ASSERT_TRUE(ok((*mutexes)->unlock({.rank = 0}, kPatience)));
    auto rest = rt.create_group(std::vector<Rank>{0, 1});
    ASSERT_TRUE(ok(rest));
    ASSERT_TRUE(ok((*rest)->commit(kPatience)));
    ASSERT_TRUE(ok((*rest)->barrier(kPatience)));
  })));
}

}  // namespace
}  // namespace polder::test
