// Groups: their making in any order and number, and barriers that hold.
#include "core/ranks.hpp"
#include "util/environment.hpp"

#include <algorithm>
#include <atomic>
#include <latch>
#include <map>
#include <numeric>
#include <thread>

namespace polder::test {
namespace {

class Groups : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Groups, testing::ValuesIn(worlds({1, 2, 5})), name_of_param);

using Members = std::vector<Rank>;

std::unique_ptr<Group> committed_group(Runtime& rt, const Members& ranks) {
  auto group = rt.create_group(ranks);
  EXPECT_TRUE(ok(group));
  EXPECT_TRUE(ok((*group)->commit(kPatience)));
  return *std::move(group);
}

Members all_of(const Runtime& rt) {
  Members all(rt.size());
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

// Whether making a group takes no round trips.
bool is_mapped(Runtime& rt) {
  auto segment = rt.create_segment({.size = 8, .id = 0}, rt.world(), kPatience);
  bool all = rt.size() < 8;
  for (Rank peer = 0; peer < rt.size(); ++peer) {
    auto remote = rt.remote_segment(peer, 0, kPatience);
    EXPECT_TRUE(ok(remote));
    all = all && remote->direct != nullptr;
  }
  EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
  return all;
}

TEST_P(Groups, ABarrierHoldsEveryoneUntilTheLast) {
  constexpr std::uint32_t kRounds = 100;
  std::vector<std::atomic<std::uint32_t>> entered(GetParam().ranks);
  run([&](Runtime& rt) {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      entered[rt.rank()].store(round, std::memory_order_relaxed);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      for (const auto& other : entered) ASSERT_GE(other.load(std::memory_order_relaxed), round);
    }
  });
}

// Who waits for greetings also waits for answers: where a partner's group is, and its segment. Were it to sleep through
// one of those, it would do so for a slice, which is longer than all patience.
TEST(GroupsOverANetwork, AnswersWakeWhoMakesAGroup) {
  const util::ScopedEnvironment slice("POLDER_SLICE_MS", "120000"), spin("POLDER_SPIN_US", "0"),
      yield("POLDER_YIELD_US", "0");
  for (const Rank per_node : {1, 2}) {
    SimulationOptions slow{.device = SimulatedDevice::messages, .min_delay_ns = 1'000'000, .max_delay_ns = 2'000'000};
    slow.ranks_per_node = per_node;
    std::latch done(4);
    Simulation simulation(4, slow);
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      for (int round = 0; round < 5; ++round) committed_group(rt, all_of(rt));
      done.arrive_and_wait();
      rest(20ms);  // what a rank has not heard when another leaves, it waits for
    })));
  }
}

TEST_P(Groups, TheWorldIsAllRanksInOrder) {
  run([](Runtime& rt) {
    EXPECT_TRUE(rt.world().committed());
    EXPECT_EQ(rt.world().index(), rt.rank());
    EXPECT_EQ(Members(rt.world().ranks().begin(), rt.world().ranks().end()), all_of(rt));
  });
}

TEST_P(Groups, RangesAndListsInAnyOrder) {
  run([](Runtime& rt) {
    Members reversed = all_of(rt);
    std::reverse(reversed.begin(), reversed.end());
    auto listed = committed_group(rt, reversed);
    EXPECT_EQ(listed->index(), rt.rank());
    const Rank half = rt.size() / 2;
    if (rt.rank() >= half) {
      auto range = rt.create_group(half, rt.size() - half);
      ASSERT_TRUE(ok(range));
      EXPECT_FALSE((*range)->committed());
      EXPECT_TRUE(fails((*range)->barrier(kPatience), Code::invalid_group));
      ASSERT_TRUE(ok((*range)->commit(kPatience)));
      EXPECT_TRUE((*range)->committed());
      EXPECT_EQ((*range)->index(), rt.rank() - half);
      ASSERT_TRUE(ok((*range)->barrier(kPatience)));
      ASSERT_TRUE(ok((*range)->commit(kPatience))) << "a second commit changes nothing";
    }
    ASSERT_TRUE(ok(listed->barrier(kPatience)));
  });
}

TEST_P(Groups, OfOneNeedsNobody) {
  run([](Runtime& rt) {
    auto alone = committed_group(rt, {rt.rank()});
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(ok(alone->barrier(Timeout::test())));
  });
}

TEST_P(Groups, TheSameRanksTwiceAreTwoGroups) {
  run([](Runtime& rt) {
    auto first = rt.create_group(all_of(rt)), second = rt.create_group(all_of(rt));
    ASSERT_TRUE(ok((*first)->commit(kPatience)));
    ASSERT_TRUE(ok((*second)->commit(kPatience)));
    // Half of the ranks go through them in the other order: only by tests that interleave do all come through.
    bool done[2] = {};
    const std::size_t begin = rt.rank() % 2;
    for (std::size_t turn = begin; !done[0] || !done[1]; ++turn) {
      if (done[turn % 2]) continue;
      const Status status = (turn % 2 == 0 ? **first : **second).barrier(1ms);
      ASSERT_TRUE(status.ok() || status.timed_out()) << status.to_string();
      done[turn % 2] = status.ok();
    }
  });
}

// As threads make them that do not wait for each other.
TEST_P(Groups, OfTheSameRanksInAnyOrderIfTheyHaveLabels) {
  run([](Runtime& rt) {
    std::unique_ptr<Group> groups[3];
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned label = (i + rt.rank()) % 3;
      auto made = rt.create_group(all_of(rt), label + 1);
      ASSERT_TRUE(ok(made));
      groups[label] = *std::move(made);
    }
    for (std::uint64_t label = 0; label < 3; ++label) {
      ASSERT_TRUE(ok(groups[label]->commit(kPatience)));
      std::vector<std::uint64_t> all(rt.size());
      ASSERT_TRUE(ok(groups[label]->allgather(std::as_bytes(std::span(&label, 1)),
                                              std::as_writable_bytes(std::span(all)), kPatience)));
      EXPECT_EQ(all, std::vector<std::uint64_t>(rt.size(), label));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Groups, CommitIsResumedAfterTests) {
  run([](Runtime& rt) {
    auto group = rt.create_group(all_of(rt));
    ASSERT_TRUE(ok(group));
    if (rt.rank() == rt.size() - 1) rest(20ms);
    Status status;
    while ((status = (*group)->commit(rt.rank() % 2 == 0 ? Timeout::test() : Timeout(1ms))).timed_out()) {
      EXPECT_FALSE((*group)->committed());
      let_others_run();
    }
    ASSERT_TRUE(ok(status));
    ASSERT_TRUE(ok((*group)->barrier(kPatience)));
  });
}

TEST_P(Groups, ACommitThatTimesOutNamesWhoIsMissing) {
  if (GetParam().ranks < 2) GTEST_SKIP() << "nobody can be missing";
  std::atomic<bool> timed_out{false};
  run([&](Runtime& rt) {
    if (rt.rank() > 1) return;
    while (rt.rank() == 1 && !timed_out) rest(1ms);
    auto group = rt.create_group(0, 2);
    ASSERT_TRUE(ok(group));
    if (rt.rank() == 0) {
      EXPECT_TRUE(fails((*group)->commit(20ms), Code::timeout, "rank 0 waits for rank 1 to make a group of 2"));
    }
    timed_out = true;
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
  });
}

TEST_P(Groups, ABarrierIsResumedAfterTests) {
  constexpr std::uint32_t kRounds = 20;
  std::vector<std::atomic<std::uint32_t>> entered(GetParam().ranks);
  run([&](Runtime& rt) {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      if (rt.rank() == round % rt.size()) rest(1ms);
      entered[rt.rank()].store(round, std::memory_order_relaxed);
      Status status;
      while ((status = rt.world().barrier(round % 2 == 0 ? Timeout::test() : Timeout(300us))).timed_out())
        let_others_run();
      ASSERT_TRUE(ok(status));
      for (const auto& other : entered) ASSERT_GE(other.load(std::memory_order_relaxed), round);
    }
  });
}

TEST_P(Groups, ABarrierAndAGatherMayRunTogether) {
  run([](Runtime& rt) {
    Thread gatherer([&] {
      for (std::uint32_t round = 0; round < 20; ++round) {
        const std::uint32_t mine = 100 * rt.rank() + round;
        std::vector<std::uint32_t> all(rt.size());
        ASSERT_TRUE(ok(rt.world().allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)),
                                            kPatience)));
        for (Rank member = 0; member < rt.size(); ++member) ASSERT_EQ(all[member], 100 * member + round);
      }
    });
    for (int round = 0; round < 20; ++round) EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
    gatherer.join();
  });
}

TEST_P(Groups, ManyAtOnceAndOneAfterTheOther) {
  run([](Runtime& rt) {
    std::vector<std::unique_ptr<Group>> groups;
    const int count = is_mapped(rt) ? 100 : 15;
    for (int i = 0; i < count; ++i) groups.push_back(committed_group(rt, all_of(rt)));
    for (const auto& group : groups) ASSERT_TRUE(ok(group->barrier(kPatience)));
    for (std::size_t i = 0; i < groups.size(); i += 2) groups[i].reset();  // the entries in between are used again
    for (std::size_t i = 0; i < groups.size(); i += 4) groups[i] = committed_group(rt, all_of(rt));
    for (const auto& group : groups)
      if (group != nullptr) {
        ASSERT_TRUE(ok(group->barrier(kPatience)));
      }
  });
}

TEST_P(Groups, ComeAndGoWithoutAnyOtherMeeting) {
  run([](Runtime& rt) {
    for (int round = 0; round < (rt.size() > 4 ? 10 : 30); ++round) {
      auto group = committed_group(rt, all_of(rt));
      if (round % 2 == 0) {
        ASSERT_TRUE(ok(group->barrier(kPatience)));
      }
    }
  });
}

// Each names them in another order, and once as members of a group that has them backwards.
TEST_P(Groups, MembersAreNumberedByRankHoweverTheyAreNamed) {
  run([](Runtime& rt) {
    Members named = all_of(rt);
    std::rotate(named.begin(), named.begin() + rt.rank(), named.end());
    if (rt.rank() % 2 == 1) std::reverse(named.begin(), named.end());
    const auto group = committed_group(rt, named);
    EXPECT_TRUE(std::ranges::equal(group->ranks(), all_of(rt)));
    EXPECT_EQ(group->index(), rt.rank());

    auto backwards = rt.split(rt.world(), 0, -std::int64_t(rt.rank()), kPatience);
    ASSERT_TRUE(ok(backwards));
    ASSERT_TRUE(ok((*backwards)->commit(kPatience)));
    EXPECT_EQ((*backwards)->index(), rt.size() - 1 - rt.rank());
    auto of_it = rt.create_group(**backwards, named);
    ASSERT_TRUE(ok(of_it));
    ASSERT_TRUE(ok((*of_it)->commit(kPatience)));
    EXPECT_TRUE(std::ranges::equal((*of_it)->ranks(), all_of(rt)));
    EXPECT_EQ((*of_it)->index(), rt.rank());
    EXPECT_EQ((*of_it)->parent(), backwards->get());
    EXPECT_TRUE(ok((*of_it)->barrier(kPatience)));
  });
}

// Every pair of ranks, each rank making its groups in an order of its own.
TEST_P(Groups, OverlappingOnesInDifferentOrders) {
  run([](Runtime& rt) {
    Members peers = all_of(rt);
    std::rotate(peers.begin(), peers.begin() + rt.rank(), peers.end());
    if (rt.rank() % 2 == 1) std::reverse(peers.begin(), peers.end());
    std::map<Rank, std::unique_ptr<Group>> groups;
    for (const Rank peer : peers)
      if (peer != rt.rank()) groups[peer] = *rt.create_group(Members{peer, rt.rank()});
    std::size_t open = groups.size();
    while (open != 0) {
      open = 0;
      for (auto& [peer, group] : groups) {
        const Status status = group->commit(Timeout::test());
        ASSERT_TRUE(status.ok() || status.timed_out()) << status.to_string();
        if (!status.ok()) ++open;
      }
      let_others_run();
    }
    for (auto& [peer, group] : groups) EXPECT_EQ(group->index(), rt.rank() < peer ? 0u : 1u);
    for (auto& [peer, group] : groups) {  // in the order of peers nobody waits in a circle
      if (peer < rt.rank()) {
        ASSERT_TRUE(ok(group->barrier(kPatience)));
      }
    }
    for (auto& [peer, group] : groups) {
      if (peer > rt.rank()) {
        ASSERT_TRUE(ok(group->barrier(kPatience)));
      }
    }
  });
}

TEST_P(Groups, TwoThreadsInTheSameBarrierAreRefused) {
  if (GetParam().ranks == 1) GTEST_SKIP() << "nobody to wait for";
  std::atomic<bool> refused{false};
  run([&](Runtime& rt) {
    if (rt.rank() != 0) {
      while (!refused.load()) let_others_run();
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      return;
    }
    Thread other([&] {
      Status status;
      do {
        status = rt.world().barrier(kPatience);  // busy while the main thread is inside
        if (status.code() == Code::busy) let_others_run();
      } while (status.code() == Code::busy);
      EXPECT_TRUE(ok(status));
    });
    Status status;
    do {
      status = rt.world().barrier(Timeout::test());  // timeout if the other thread was not inside
      let_others_run();
    } while (status.timed_out());
    EXPECT_TRUE(fails(status, Code::busy, "barrier"));
    refused = true;
    other.join();
  });
}

TEST_P(Groups, WrongMembersAreRefused) {
  run([](Runtime& rt) {
    EXPECT_TRUE(fails(rt.create_group(Members{}), Code::invalid_group));
    EXPECT_TRUE(fails(rt.create_group(Members{rt.rank(), rt.size()}), Code::invalid_rank, std::to_string(rt.size())));
    EXPECT_TRUE(fails(rt.create_group(Members{rt.rank(), rt.rank()}), Code::invalid_rank, "twice"));
    EXPECT_TRUE(fails(rt.create_group(0, rt.size() + 1), Code::invalid_rank));
    EXPECT_TRUE(fails(rt.create_group(rt.size(), 1), Code::invalid_rank));
    EXPECT_TRUE(fails(rt.create_group(1, ~Rank{0}), Code::invalid_rank));
    EXPECT_TRUE(fails(rt.create_group(rt.rank(), 0), Code::invalid_group));
    if (rt.size() > 1) {
      EXPECT_TRUE(fails(rt.create_group(Members{next_of(rt)}), Code::invalid_group, "not a member"));
    }
  });
}

// What a call that failed leaves behind would be in the way of the next one.
TEST_P(Groups, ASegmentOfOneThatIsNotCommittedIsNotThere) {
  run([](Runtime& rt) {
    auto group = rt.create_group(all_of(rt));
    ASSERT_TRUE(ok(group));
    const SegmentSpec spec{.size = 64, .id = 7};
    EXPECT_TRUE(fails(rt.create_segment(spec, **group, kPatience), Code::invalid_group));
    EXPECT_TRUE(fails(rt.segment(7), Code::invalid_segment));
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    EXPECT_TRUE(ok(rt.create_segment(spec, **group, kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
