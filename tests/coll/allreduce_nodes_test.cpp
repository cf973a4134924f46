// Allreduce over nodes: all ways of the leaders, orders, interruptions, several at once.
#include "coll/nodes.hpp"

#include <polder/collective.hpp>

#include <cstring>
#include <thread>

namespace polder::test {
namespace {

class AllreduceOfNodes : public testing::TestWithParam<Nodes> {
 protected:
  void run(const std::function<void(Runtime&)>& body) const { run_ranks(GetParam().ranks, GetParam().options(), body); }
};

// One, two, three and four nodes, even and not, consecutive and not; and so many that leaders double, 9 and 11 being no
// powers of two, and 16 being one.
constexpr std::int64_t kDelay = 100'000;
INSTANTIATE_TEST_SUITE_P(Nodes, AllreduceOfNodes,
                         testing::Values(Nodes{3, 4}, Nodes{4, 2}, Nodes{5, 3, false, SimulatedDevice::network, kDelay},
                                         Nodes{7, 3}, Nodes{7, 3, true}, Nodes{6, 3, true, SimulatedDevice::messages},
                                         Nodes{8, 2, false, SimulatedDevice::network, kDelay},
                                         Nodes{11, 1, false, SimulatedDevice::network, kDelay},
                                         Nodes{17, 2, false, SimulatedDevice::messages}, Nodes{18, 2, true},
                                         Nodes{16, 1}),
                         name_of_nodes);

void check_sum(Runtime& rt, Group& group, std::size_t count) {
  std::vector<std::uint64_t> mine(count), all(count);
  for (std::size_t i = 0; i < count; ++i) mine[i] = sent_by(rt.rank(), i);
  ASSERT_TRUE(ok(allreduce(group, Reduction::sum, DataType::uint64, mine.data(), all.data(), count, kPatience)));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t expected = 0;
    for (const Rank rank : group.ranks()) expected += sent_by(rank, i);
    ASSERT_EQ(all[i], expected) << "element " << i << " of " << count;
  }
}

// Around the bounds between the ways: 4 and 16 kB whole, 16 kB by all of a node, 128 kB at a time.
TEST_P(AllreduceOfNodes, OfAllSizes) {
  run([](Runtime& rt) {
    for (const std::size_t count : {0, 1, 3, 512, 513, 2047, 2048, 2049, 7, 16384, 16385, 40000, 1})
      check_sum(rt, rt.world(), count);
  });
}

TEST_P(AllreduceOfNodes, ManyInARow) {
  run([](Runtime& rt) {
    for (std::size_t round = 0; round < 40; ++round) {
      if (rt.rank() == round % rt.size()) let_others_run();
      check_sum(rt, rt.world(), round % 5 == 4 ? 2500 : 1 + round);
    }
  });
}

// Sums of doubles depend on the order of adding, so it must be one order at all ranks.
TEST_P(AllreduceOfNodes, IsEqualToTheBit) {
  run([](Runtime& rt) {
    for (const std::size_t count : {200, 5000}) {
      std::vector<double> mine(count), all(count);
      for (std::size_t i = 0; i < count; ++i)
        mine[i] = double(std::int64_t(sent_by(rt.rank(), i))) / double(1 + sent_by(rt.rank(), i + 1) % 1'000'000);
      ASSERT_TRUE(
          ok(allreduce(rt.world(), Reduction::sum, DataType::float64, mine.data(), all.data(), count, kPatience)));
      std::uint64_t digest = 0;
      for (const double sum : all) digest = util::mix(digest ^ std::bit_cast<std::uint64_t>(sum));
      std::vector<std::uint64_t> digests(rt.size());
      ASSERT_TRUE(ok(rt.world().allgather(std::as_bytes(std::span(&digest, 1)),
                                          std::as_writable_bytes(std::span(digests)), kPatience)));
      for (const std::uint64_t other : digests) EXPECT_EQ(other, digest) << count;
    }
  });
}

TEST_P(AllreduceOfNodes, CombinesInTheOrderOfRanksNodeByNode) {
  run([](Runtime& rt) {
    const std::vector<Rank> order = node_by_node(GetParam());
    for (const std::size_t count : {1, 100, 700, 5000}) {
      std::vector<Matrix> values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = matrix_of(rt.rank(), i);
      ASSERT_TRUE(
          ok(Allreduce(rt.world(), {count, sizeof(Matrix), multiply}, values.data(), values.data()).run(kPatience)));
      for (std::size_t i = 0; i < count; ++i) {
        Matrix expected = matrix_of(order[0], i);
        for (std::size_t next = 1; next < order.size(); ++next) expected = times(expected, matrix_of(order[next], i));
        ASSERT_EQ(values[i], expected) << "element " << i << " of " << count;
      }
    }
  });
}

// Elements too large for slices, and too large for nodes.
TEST_P(AllreduceOfNodes, OfLargeElements) {
  run([](Runtime& rt) {
    for (const std::size_t size : {512, 4096, 5000}) {
      const auto add = [size](const void* one, const void* two, void* result, std::size_t count) -> Status {
        for (std::size_t i = 0; i < count * size; ++i)
          static_cast<unsigned char*>(result)[i] = static_cast<unsigned char>(
              static_cast<const unsigned char*>(one)[i] + static_cast<const unsigned char*>(two)[i]);
        return {};
      };
      const std::size_t count = 9;
      const std::vector<unsigned char> mine(count * size, static_cast<unsigned char>(rt.rank() + 1));
      std::vector<unsigned char> all(count * size);
      ASSERT_TRUE(ok(Allreduce(rt.world(), {count, size, add}, mine.data(), all.data()).run(kPatience)));
      for (const unsigned char sum : all) ASSERT_EQ(sum, (rt.size() * (rt.size() + 1) / 2) % 256);
    }
  });
}

TEST_P(AllreduceOfNodes, IsResumedAtEveryStep) {
  run([](Runtime& rt) {
    for (std::size_t round = 0; round < 8; ++round) {
      const std::size_t count = round % 2 == 0 ? 30 : 20'000;
      std::vector<std::uint64_t> mine(count), all(count);
      for (std::size_t i = 0; i < count; ++i) mine[i] = sent_by(rt.rank(), i);
      // A function that also wants to be called again.
      int asked = 0;
      const auto add = [&](const void* one, const void* two, void* result, std::size_t n) -> Status {
        if (++asked % 3 == int(1 + round / 2 % 2)) return Code::timeout;
        for (std::size_t i = 0; i < n; ++i)
          static_cast<std::uint64_t*>(result)[i] =
              static_cast<const std::uint64_t*>(one)[i] + static_cast<const std::uint64_t*>(two)[i];
        return {};
      };
      Allreduce under_way(rt.world(), {count, sizeof(std::uint64_t), add}, mine.data(), all.data());
      if (rt.rank() == Rank(round) % rt.size()) rest(1ms);
      Status status;
      while ((status = under_way.run(round % 4 < 2 ? Timeout::test() : Timeout(200us))).timed_out()) let_others_run();
      ASSERT_TRUE(ok(status));
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t expected = 0;
        for (Rank rank = 0; rank < rt.size(); ++rank) expected += sent_by(rank, i);
        ASSERT_EQ(all[i], expected) << "round " << round << ", element " << i;
      }
    }
  });
}

// A function that fails at one rank only, which leads a node: that one says so, and nobody hangs. On one node it may not
// be asked at all, if it comes first.
TEST_P(AllreduceOfNodes, AnErrorAtOneRankHangsNobody) {
  run([](Runtime& rt) {
    for (const std::size_t count : {10, 3000, 17'000}) {
      const std::vector<std::uint64_t> mine(count, rt.rank());
      std::vector<std::uint64_t> all(count, 77);
      std::atomic<bool> refused{false};
      const auto refuse = [&](const void* one, const void*, void* result, std::size_t n) -> Status {
        std::memcpy(result, one, n * sizeof(std::uint64_t));
        if (rt.rank() != 0) return {};
        refused = true;
        return {Code::limit, "this one does not want to", Died::operation};
      };
      const Status status =
          Allreduce(rt.world(), {count, sizeof(std::uint64_t), refuse}, mine.data(), all.data()).run(kPatience);
      const std::uint64_t mine_told[2] = {std::uint64_t(status.code()), refused};
      std::uint64_t told[2] = {};
      ASSERT_TRUE(ok(allreduce(rt.world(), Reduction::max, DataType::uint64, mine_told, told, 2, kPatience)))
          << "the group lives on";
      if (refused) {
        EXPECT_TRUE(fails(status, Code::limit, "does not want"));
      }
      EXPECT_EQ(told[0], told[1] != 0 ? std::uint64_t(Code::limit) : 0);
      const bool several_nodes = GetParam().ranks > GetParam().per_node;
      EXPECT_TRUE(told[1] != 0 || !several_nodes) << "leaders combine";
      check_sum(rt, rt.world(), count);
    }
  });
}

// Two threads of each rank, each with a group of its own; barriers of the world in between.
TEST_P(AllreduceOfNodes, OfTwoGroupsAtOnce) {
  run([](Runtime& rt) {
    std::vector<Rank> some;
    for (Rank rank = 0; rank < rt.size(); ++rank)
      if (rank % 3 != 1) some.push_back(rank);
    const bool among_some = rt.rank() % 3 != 1;
    std::unique_ptr<Group> group;
    if (among_some) {
      auto made = rt.create_group(some);
      ASSERT_TRUE(ok(made));
      group = *std::move(made);
      ASSERT_TRUE(ok(group->commit(kPatience)));
    }
    Thread other([&] {
      for (std::size_t round = 0; among_some && round < 15; ++round) check_sum(rt, *group, 1 + round * 300);
    });
    for (std::size_t round = 0; round < 15; ++round) {
      check_sum(rt, rt.world(), 1 + round * 250);
      EXPECT_TRUE(ok(rt.world().barrier(kPatience)));
    }
    other.join();
  });
}

}  // namespace
}  // namespace polder::test
