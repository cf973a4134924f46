// Collective allocation, memory of one's own, and pointers into that of others.
#include "core/ranks.hpp"

#include <cstring>

namespace polder::test {
namespace {

class Allocations : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Allocations, testing::ValuesIn(worlds({1, 2, 4})), name_of_param);

TEST_P(Allocations, AreSymmetric) {
  run([](Runtime& rt) {
    auto array = rt.allocate(rt.world(), {.size = 1024 * (rt.rank() + 1), .gather = true}, kPatience);
    ASSERT_TRUE(ok(array));
    Allocation& a = **array;
    EXPECT_TRUE(a.committed());
    EXPECT_EQ(a.segment().size, 1024 * (rt.rank() + 1));
    ASSERT_EQ(a.contributions().size(), rt.size());
    for (Rank rank = 0; rank < rt.size(); ++rank) EXPECT_EQ(a.contributions()[rank].size, 1024 * (rank + 1));
    EXPECT_EQ(a.contributions()[rt.rank()].address, reinterpret_cast<std::uintptr_t>(a.segment().data));
    SegmentId id = a.id();
    std::vector<SegmentId> ids(rt.size());
    ASSERT_TRUE(
        ok(rt.world().allgather(std::as_bytes(std::span(&id, 1)), std::as_writable_bytes(std::span(ids)), kPatience)));
    for (const SegmentId each : ids) EXPECT_EQ(each, id);
    const std::uint64_t mine = rt.rank() + 50;
    ASSERT_TRUE(ok(rt.put(&mine, a.at(next_of(rt), 8), 8)));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_EQ(reinterpret_cast<const std::uint64_t*>(a.segment().data)[1], previous_of(rt) + 50u);
    ASSERT_TRUE(ok(a.free(kPatience)));
    EXPECT_FALSE(a.committed());
    EXPECT_TRUE(fails(a.free(kPatience), Code::invalid_argument));
    EXPECT_TRUE(rt.segments().empty());
  });
}

TEST_P(Allocations, MayBeEmptyAtSomeMembers) {
  run([](Runtime& rt) {
    auto array = rt.allocate(rt.world(), {.size = rt.rank() % 2 == 0 ? 64u : 0u, .gather = true}, kPatience);
    ASSERT_TRUE(ok(array));
    for (Rank rank = 0; rank < rt.size(); ++rank)
      EXPECT_EQ((*array)->contributions()[rank].address != 0, rank % 2 == 0);
    const std::uint64_t value = 1;
    const Rank to = next_of(rt);
    if (to % 2 == 0)
      EXPECT_TRUE(ok(rt.put(&value, (*array)->at(to), 8)));
    else
      EXPECT_TRUE(fails(rt.put(&value, (*array)->at(to), 8), Code::invalid_offset));
    ASSERT_TRUE(ok((*array)->free(kPatience)));
  });
}

// Members whose automatic ids differ still find one that is free everywhere.
TEST_P(Allocations, AgreeOnAnIdThatIsFreeEverywhere) {
  run([](Runtime& rt) {
    std::vector<SegmentId> own;
    for (Rank i = 0; i < rt.rank() * 2; ++i) {
      auto segment = rt.create_segment({.size = 64});
      ASSERT_TRUE(ok(segment));
      own.push_back(segment->id);
    }
    if (own.size() > 1) {
      ASSERT_TRUE(ok(rt.delete_segment(own[0])));  // a hole that others do not have
    }
    std::vector<std::unique_ptr<Allocation>> arrays;
    for (int i = 0; i < 5; ++i) {
      auto array = rt.allocate(rt.world(), {.size = 8}, kPatience);
      ASSERT_TRUE(ok(array));
      arrays.push_back(*std::move(array));
    }
    for (std::uint64_t i = 0; i < arrays.size(); ++i)
      ASSERT_TRUE(ok(rt.put(&i, arrays[i]->at(next_of(rt)), 8, {Until::local, kPatience})));
    for (auto& array : arrays) ASSERT_TRUE(ok(rt.fence_segment(array->id(), kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (std::uint64_t i = 0; i < arrays.size(); ++i)
      EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>(arrays[i]->segment().data), i);
    for (auto& array : arrays) ASSERT_TRUE(ok(array->free(kPatience)));
  });
}

TEST_P(Allocations, WorkOnGroupsOfGroups) {
  if (GetParam().ranks < 4) GTEST_SKIP() << "needs four ranks";
  run([](Runtime& rt) {
    EXPECT_EQ(rt.world().parent(), nullptr);
    if (rt.rank() == 0) return;
    auto upper = rt.create_group(1, 3);
    ASSERT_TRUE(ok(upper));
    ASSERT_TRUE(ok((*upper)->commit(kPatience)));
    EXPECT_EQ((*upper)->relative(0), std::nullopt);
    EXPECT_EQ((*upper)->relative(rt.rank()), std::optional<Rank>(rt.rank() - 1));
    EXPECT_EQ((*upper)->absolute(2), 3u);
    const Rank wrong[] = {0, 3};
    EXPECT_TRUE(fails(rt.create_group(**upper, wrong), Code::invalid_rank, "index 3"));
    if (rt.rank() == 2) return;
    const Rank outer[] = {0, 2};
    auto pair = rt.create_group(**upper, outer);
    ASSERT_TRUE(ok(pair));
    EXPECT_EQ((*pair)->parent(), upper->get());
    EXPECT_EQ((*pair)->absolute(1), 3u);
    EXPECT_TRUE(fails(rt.create_allocation(**pair, {.size = 8}), Code::invalid_group));
    ASSERT_TRUE(ok((*pair)->commit(kPatience)));
    auto array = rt.allocate(**pair, {.size = 8}, kPatience);
    ASSERT_TRUE(ok(array));
    const std::uint64_t value = rt.rank();
    const Rank other = rt.rank() == 1 ? 3 : 1;
    ASSERT_TRUE(ok(rt.put(&value, (*array)->at(other), 8)));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok((*pair)->barrier(kPatience)));
    EXPECT_EQ(*reinterpret_cast<const std::uint64_t*>((*array)->segment().data), other);
    ASSERT_TRUE(ok((*array)->free(kPatience)));
  });
}

TEST_P(Allocations, GoOnAfterATimeout) {
  run([](Runtime& rt) {
    auto array = rt.create_allocation(rt.world(), {.size = 64});
    ASSERT_TRUE(ok(array));
    Status status = Code::timeout;
    while (status.timed_out()) status = (*array)->commit(Timeout::test());
    ASSERT_TRUE(ok(status));
    status = Code::timeout;
    while (status.timed_out()) status = (*array)->free(Timeout::test());
    EXPECT_TRUE(ok(status));
  });
}

// Others have not met yet, so what they may use stays.
TEST_P(Allocations, AreNotGivenBackBesideAThreadInTheBarrier) {
  if (GetParam().ranks == 1) GTEST_SKIP() << "nobody to wait for";
  std::atomic<bool> refused{false};
  run([&](Runtime& rt) {
    auto array = rt.allocate(rt.world(), {.size = 64}, kPatience);
    ASSERT_TRUE(ok(array));
    if (rt.rank() != 0) {
      while (!refused.load()) let_others_run();
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      ASSERT_TRUE(ok((*array)->free(kPatience)));
      return;
    }
    Thread other([&] {
      Status status = Code::busy;
      for (; status.code() == Code::busy; let_others_run()) status = rt.world().barrier(kPatience);
      EXPECT_TRUE(ok(status));
    });
    Status status = Code::timeout;
    for (; status.timed_out(); let_others_run()) status = (*array)->free(Timeout::test());
    EXPECT_TRUE(fails(status, Code::busy));
    EXPECT_TRUE(ok(rt.segment((*array)->id())));
    refused = true;
    other.join();
    EXPECT_TRUE(ok((*array)->free(kPatience)));
  });
}

TEST_P(Allocations, FailAtAllMembersAlike) {
  run([](Runtime& rt) {
    const std::size_t size = rt.rank() == rt.size() - 1 ? SIZE_MAX / 4 : 8;
    const auto array = rt.allocate(rt.world(), {.size = size}, kPatience);
    EXPECT_FALSE(array.ok());
    EXPECT_NE(array.status().to_string().find("rank " + std::to_string(rt.size() - 1)), std::string::npos)
        << array.status().to_string();
    EXPECT_TRUE(rt.segments().empty());
    auto next = rt.allocate(rt.world(), {.size = 8}, kPatience);
    ASSERT_TRUE(ok(next)) << "and nothing is left behind";
    ASSERT_TRUE(ok((*next)->free(kPatience)));
  });
}

TEST_P(Allocations, HandOutPointersWhereTheyCanBeLoaded) {
  const bool mapped = GetParam().device == SimulatedDevice::direct || GetParam().device == SimulatedDevice::shm;
  run([&](Runtime& rt) {
    auto array = rt.allocate(rt.world(), {.size = 64}, kPatience);
    ASSERT_TRUE(ok(array));
    const Rank to = next_of(rt);
    auto pointer = rt.direct_pointer((*array)->at(to, 16), kPatience);
    ASSERT_TRUE(ok(pointer));
    const Rank per_node = GetParam().ranks_per_node;
    const bool near = per_node != 0 && to / per_node == rt.rank() / per_node;
    EXPECT_EQ(*pointer != nullptr, mapped || near || to == rt.rank());
    if (*pointer != nullptr) {
      const std::uint64_t value = rt.rank() + 1;
      std::memcpy(*pointer, &value, 8);
      std::uint64_t back = 0;
      ASSERT_TRUE(ok(rt.get(&back, (*array)->at(to, 16), 8)));
      EXPECT_EQ(back, value);
    }
    EXPECT_TRUE(ok(rt.direct_pointer((*array)->at(to, 63), kPatience)));
    EXPECT_TRUE(fails(rt.direct_pointer((*array)->at(to, 64), kPatience), Code::invalid_offset)) << "behind the end";
    EXPECT_TRUE(fails(rt.direct_pointer({to, 60'000, 0}, kPatience), Code::invalid_segment));
    ASSERT_TRUE(ok((*array)->free(kPatience)));
  });
}

TEST_P(Allocations, LocalMemoryIsForTransfers) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 4096, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    auto memory = rt.allocate_local(4096);
    ASSERT_TRUE(ok(memory));
    ASSERT_EQ(memory->size(), 4096u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->data()) % 64, 0u);
    EXPECT_EQ(copy_of(memory->data(), 4096), std::vector<std::byte>(4096)) << "zeroed";
    const auto bytes = noise(rt.rank() + 1, 4096);
    std::memcpy(memory->data(), bytes.data(), 4096);
    ASSERT_TRUE(ok(rt.put(memory->data(), {next_of(rt), 1, 0}, 4096, {Until::remote, kPatience})));
    LocalMemory moved = *std::move(memory);
    std::memset(moved.data(), 0, 4096);
    ASSERT_TRUE(ok(rt.get(moved.data(), {next_of(rt), 1, 0}, 4096, {Until::local, kPatience})));
    EXPECT_EQ(copy_of(moved.data(), 4096), bytes);
    auto nothing = rt.allocate_local(0);
    ASSERT_TRUE(ok(nothing));
    EXPECT_EQ(nothing->data(), nullptr);
    EXPECT_TRUE(fails(rt.allocate_local(SIZE_MAX), Code::invalid_size));
    EXPECT_EQ(rt.segments().size(), 1u) << "peers see nothing of it";
  });
}

TEST(AllocationsAndDeath, AreFreedByTheSurvivors) {
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::network}) {
    Simulation simulation(3, {.device = device});
    EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
      auto array = rt.allocate(rt.world(), {.size = 64}, kPatience);
      ASSERT_TRUE(ok(array));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() == 1) {
        simulation.kill(1);
        return;
      }
      EXPECT_TRUE(fails((*array)->free(kPatience), Code::peer_failed));
      EXPECT_TRUE(rt.segments().empty());
    })));
  }
}

}  // namespace
}  // namespace polder::test
