// Reductions of members that load and store each other's memory: vectors of all lengths, in private memory, in
// segments, and partly; the same results as over letters. And what all collectives of such members have in common.
#include "core/ranks.hpp"
#include "node_buffers.hpp"
#include "util/environment.hpp"

#include <polder/collective.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>

namespace polder::test {
namespace {

class NodeTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, NodeTest, testing::ValuesIn(worlds({2, 3, 8})), name_of_param);

// Desks are written past the cache, as between cores that are far from each other.
class NodePastCacheTest : public NodeTest {
  const util::ScopedEnvironment copies_{"POLDER_COLL_COPIES", "past_cache"};
};
INSTANTIATE_TEST_SUITE_P(Worlds, NodePastCacheTest, testing::ValuesIn(worlds({2, 3, 8})), name_of_param);

// Private memory is read where it lies, by the kernel.
class NodeOnceTest : public NodeTest {
  const util::ScopedEnvironment copies_{"POLDER_COLL_PRIVATE", "once"};
};
INSTANTIATE_TEST_SUITE_P(Worlds, NodeOnceTest, testing::ValuesIn(worlds({2, 3})), name_of_param);

std::uint64_t sum_at(Rank ranks, std::size_t i) {
  std::uint64_t sum = 0;
  for (Rank rank = 0; rank < ranks; ++rank) sum += word(rank, i);
  return sum;
}

std::vector<std::size_t> parts_of(std::size_t count, Rank ranks) {
  std::vector<std::size_t> parts(ranks, count / ranks);
  parts[0] += count % ranks;
  return parts;
}

// Of lengths around a line, a desk, and what is claimed in slices.
constexpr std::size_t kCounts[] = {1, 6, 7, 4095, 8192, 8193, 20'000, 100'003};

void expect_sums(WordSpan result, Rank ranks, std::size_t first, std::size_t count, const std::string& what) {
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(result[i], sum_at(ranks, first + i)) << what << " of " << count << " at " << i;
}

void check_reductions(Runtime& rt) {
  for (const Placed placed : kPlaces) {
    Buffers memory(rt, placed);
    for (const std::size_t count : kCounts) {
      memory.fill(count);
      const auto* const send = memory.send.data();
      ASSERT_TRUE(ok(allreduce(rt.world(), sum(count), send, memory.receive.data(), kPatience)));
      expect_sums(memory.receive, rt.size(), 0, count, "allreduce");
      memory.fill(count);
      const Rank root = Rank(count) % rt.size();
      ASSERT_TRUE(ok(reduce(rt.world(), root, sum(count), send, memory.receive.data(), kPatience)));
      if (rt.rank() == root)
        expect_sums(memory.receive, rt.size(), 0, count, "reduce");
      else
        ASSERT_EQ(memory.receive[count - 1], 7u);
      ASSERT_EQ(memory.send[count - 1], word(rt.rank(), count - 1));
      ASSERT_TRUE(ok(allreduce(rt.world(), sum(count), send, memory.send.data(), kPatience)));
      expect_sums(memory.send, rt.size(), 0, count, "allreduce in place");
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  }
}
TEST_P(NodeTest, Reductions) {
  run(check_reductions);
}
TEST_P(NodePastCacheTest, Reductions) {
  run(check_reductions);
}
TEST_P(NodeOnceTest, Reductions) {
  run(check_reductions);
}

// Of a line by looking back, of more over desks, more than there are; what each has is only of those below it, and the first one keeps what it had.
void check_scans(Runtime& rt) {
  for (const Placed placed : kPlaces) {
    Buffers memory(rt, placed);
    for (const std::size_t count : {1, 6, 7, 8193, 100'003}) {
      memory.fill(count);
      auto *const send = memory.send.data(), *const receive = memory.receive.data();
      ASSERT_TRUE(ok(scan(rt.world(), sum(count), send, receive, kPatience)));
      expect_sums(memory.receive, rt.rank() + 1, 0, count, "scan");
      memory.fill(count);
      ASSERT_TRUE(ok(exscan(rt.world(), sum(count), send, receive, kPatience)));
      if (rt.rank() == 0)
        ASSERT_EQ(receive[0], 7u);
      else
        expect_sums(memory.receive, rt.rank(), 0, count, "exscan");
      ASSERT_EQ(send[count - 1], word(rt.rank(), count - 1));
      ASSERT_TRUE(ok(scan(rt.world(), sum(count), send, send, kPatience)));
      expect_sums(memory.send, rt.rank() + 1, 0, count, "scan in place");
      memory.fill(count);
      ASSERT_TRUE(ok(exscan(rt.world(), sum(count), send, send, kPatience)));
      if (rt.rank() != 0) expect_sums(memory.send, rt.rank(), 0, count, "exscan in place");
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  }
}
TEST_P(NodeTest, Scans) {
  run(check_scans);
}
TEST_P(NodePastCacheTest, Scans) {
  run(check_scans);
}
TEST_P(NodeOnceTest, Scans) {
  run(check_scans);
}

void check_reduce_scatter(Runtime& rt) {
  for (const Placed placed : kPlaces) {
    Buffers memory(rt, placed);
    for (const std::size_t unit : {1, 3000}) {
      std::vector<std::size_t> counts(rt.size());
      for (Rank rank = 0; rank < rt.size(); ++rank) counts[rank] = (rt.size() - rank - 1) * unit;
      const std::size_t count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
      const std::size_t first = std::accumulate(counts.begin(), counts.begin() + rt.rank(), std::size_t{0});
      memory.fill(count);
      ASSERT_TRUE(
          ok(reduce_scatter(rt.world(), sum(count), counts, memory.send.data(), memory.receive.data(), kPatience)));
      expect_sums(memory.receive, rt.size(), first, counts[rt.rank()], "reduce_scatter");
      ASSERT_TRUE(
          ok(reduce_scatter(rt.world(), sum(count), counts, memory.send.data(), memory.send.data(), kPatience)));
      expect_sums(memory.send, rt.size(), first, counts[rt.rank()], "reduce_scatter in place");
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  }
}
TEST_P(NodeTest, ReduceScatter) {
  run(check_reduce_scatter);
}
TEST_P(NodePastCacheTest, ReduceScatter) {
  run(check_reduce_scatter);
}
TEST_P(NodeOnceTest, ReduceScatter) {
  run(check_reduce_scatter);
}

// Each result is that of members in turn, however they arrive, and whatever the function puts off.
void check_functions_that_do_not_commute(Runtime& rt) {
  for (const std::size_t count : {1, 500, 30'000}) {
    int puts_off = 0;
    const auto digits = [&puts_off](const void* one, const void* two, void* result, std::size_t n) -> Status {
      if (++puts_off % 3 == 0) return Code::timeout;
      const auto *a = static_cast<const std::uint64_t*>(one), *b = static_cast<const std::uint64_t*>(two);
      auto* to = static_cast<std::uint64_t*>(result);
      if (to != a) std::copy_n(a, n, to);  // the result may be the left operand, and only that
      for (std::size_t i = 0; i < n; ++i) {
        for (std::uint64_t rest = b[i]; rest != 0; rest /= 16) to[i] *= 16;
        to[i] += b[i];
      }
      return {};
    };
    const ReductionSpec spec{count, 8, digits, false};
    std::vector<std::uint64_t> mine(count, rt.rank() + 1), result(count);
    std::uint64_t expected = 0;
    for (Rank rank = 0; rank < rt.size(); ++rank) expected = 16 * expected + rank + 1;
    if (rt.rank() % 2 == 1) rest(1ms);
    ASSERT_TRUE(ok(allreduce(rt.world(), spec, mine.data(), result.data(), kPatience)));
    ASSERT_EQ(result, std::vector<std::uint64_t>(count, expected));
    ASSERT_TRUE(ok(allreduce(rt.world(), spec, mine.data(), mine.data(), kPatience)));
    ASSERT_EQ(mine, result) << "in place";
  }
}
TEST_P(NodeTest, FunctionsThatDoNotCommuteAndThatGiveUpForNow) {
  run(check_functions_that_do_not_commute);
}
TEST_P(NodeOnceTest, FunctionsThatDoNotCommuteAndThatGiveUpForNow) {
  run(check_functions_that_do_not_commute);
}

void check_a_function_that_fails(Runtime& rt) {
  const auto fail = [](const void*, const void*, void*, std::size_t) -> Status {
    return {Code::invalid_argument, "no such sum"};
  };
  for (const std::size_t count : {1, 500, 30'000}) {
    std::vector<std::uint64_t> mine(count, 1), result(count);
    EXPECT_TRUE(
        fails(allreduce(rt.world(), {count, 8, fail}, mine.data(), result.data(), kPatience), Code::invalid_argument));
    ASSERT_TRUE(ok(allreduce(rt.world(), sum(count), mine.data(), result.data(), kPatience)));
    ASSERT_EQ(result, std::vector<std::uint64_t>(count, rt.size()));
  }
}
TEST_P(NodeTest, AFunctionThatFailsIsToldToAllAndTheGroupGoesOn) {
  run(check_a_function_that_fails);
}
TEST_P(NodeOnceTest, AFunctionThatFailsIsToldToAllAndTheGroupGoesOn) {
  run(check_a_function_that_fails);
}

// Nobody waits for anybody but where it must: roots in turn, resumed after timeouts.
TEST_P(NodeTest, RootedOnesInARowAndTimeouts) {
  run([](Runtime& rt) {
    std::vector<std::uint64_t> mine(3000), result(3000);
    for (std::uint64_t round = 0; round < 100; ++round) {
      const std::size_t count = util::mix(round) % 5 == 0 ? 3000 : 1 + util::mix(round) % 10;
      const Rank root = round % 20 < 10 ? 0 : Rank(util::mix(round + 1) % rt.size());
      if (util::mix(round * 100 + rt.rank()) % 16 == 0) rest(100us);
      const Timeout timeout = round % 3 == 0 ? Timeout::test() : Timeout(50us);
      Status status;
      if (round % 2 == 0) {
        std::fill(mine.begin(), mine.end(), rt.rank() == root ? round : 0);
        while ((status = broadcast(rt.world(), root, mine.data(), 8 * count, timeout)).timed_out()) let_others_run();
        ASSERT_TRUE(ok(status));
        ASSERT_EQ(mine[count - 1], round);
      } else {
        std::fill(mine.begin(), mine.end(), round);
        const ReductionSpec spec = sum(count);
        do {
          status = reduce(rt.world(), root, spec, mine.data(), result.data(), timeout);
          let_others_run();
        } while (status.timed_out());
        ASSERT_TRUE(ok(status));
        if (rt.rank() == root) {
          ASSERT_EQ(result[count - 1], round * rt.size());
        }
      }
    }
  });
}

// Long ones in place: whoever is through with a call writes its vector anew at once, and nobody may read the old one any more. Resumed after timeouts.
void check_allreduces_in_a_row(Runtime& rt) {
  constexpr std::size_t kWords = 40'000;
  const std::vector<std::size_t> counts = parts_of(kWords, rt.size());
  std::vector<std::uint64_t> mine(kWords);
  for (std::uint64_t round = 0; round < 40; ++round) {
    if (util::mix(round * 100 + rt.rank()) % 4 == 0) rest(100us);
    for (std::size_t i = 0; i < kWords; ++i) mine[i] = word(rt.rank(), i + round);
    const Timeout timeout = round % 3 == 0 ? Timeout::test() : Timeout(50us);
    const bool is_scattered = round % 4 == 3;
    const ReductionSpec spec = sum(kWords);
    Status status;
    do {
      status = is_scattered ? reduce_scatter(rt.world(), spec, counts, mine.data(), mine.data(), timeout)
                            : allreduce(rt.world(), spec, mine.data(), mine.data(), timeout);
      let_others_run();
    } while (status.timed_out());
    ASSERT_TRUE(ok(status));
    std::size_t first = 0, wrong = 0;
    for (Rank rank = 0; is_scattered && rank < rt.rank(); ++rank) first += counts[rank];
    for (std::size_t i = 0; i < (is_scattered ? counts[rt.rank()] : kWords); ++i)
      wrong += mine[i] != sum_at(rt.size(), first + i + round) ? 1 : 0;
    EXPECT_EQ(wrong, 0u) << "round " << round;  // and the others go on: nobody waits for one that is gone
  }
}
TEST_P(NodeTest, AllreducesInARowAndTimeouts) {
  run(check_allreduces_in_a_row);
}
TEST_P(NodeOnceTest, AllreducesInARowAndTimeouts) {
  run(check_allreduces_in_a_row);
}

// Who needs nothing of the others is through with dozens of calls before they begin.
TEST(NodeRunningAhead, IsForThoseWhoNeedNobody) {
  constexpr Rank kRanks = 4, kLast = kRanks - 1;
  constexpr std::uint64_t kCalls = 60;
  using Call = std::function<Status(Group&, std::uint64_t*, std::uint64_t*)>;
  const std::size_t parts[] = {0, 0, 0, 1}, blocks[] = {8, 8, 8, 8};
  struct Kind {
    const char* name;
    Rank first_late;  // this member and those above it begin late
    Call call;
  };
  const Kind kinds[] = {
      {"broadcast", 1,
       [](Group& g, auto* mine, auto* result) {
         if (g.index() == 0) *result = *mine;
         return broadcast(g, 0, result, 8, kPatience);
       }},
      {"reduce", kLast, [](Group& g, auto* a, auto* b) { return reduce(g, kLast, sum(1), a, b, kPatience); }},
      {"reduce_scatter", kLast,
       [&](Group& g, auto* a, auto* b) { return reduce_scatter(g, sum(1), parts, a, b, kPatience); }},
      {"gather", kLast, [&](Group& g, auto* a, auto* b) { return gather(g, kLast, blocks, a, b, kPatience); }},
      {"scan", kLast, [](Group& g, auto* a, auto* b) { return scan(g, sum(1), a, b, kPatience); }},
      {"exscan", kLast, [](Group& g, auto* a, auto* b) { return exscan(g, sum(1), a, b, kPatience); }},
  };
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::shm})
    for (const Kind& kind : kinds) {
      std::atomic<Rank> through{0};
      run_ranks(kRanks, World{device, kRanks}.options(), [&](Runtime& rt) {
        const Rank me = rt.rank();
        while (me >= kind.first_late && through < kind.first_late) rest(100us);
        for (std::uint64_t round = 1; round <= kCalls; ++round) {
          std::uint64_t mine = round * (me + 1), result[kRanks] = {};
          ASSERT_TRUE(ok(kind.call(rt.world(), &mine, result))) << kind.name << " " << round;
          const std::string_view name = kind.name;
          if (name == "broadcast") {
            ASSERT_EQ(result[0], round);
          }
          if (name == "gather" && me == kLast) {
            ASSERT_EQ(result[1], round * 2);
          }
          if (name.starts_with("reduce") && me == kLast) {
            ASSERT_EQ(result[0], round * 10);
          }
          if (name == "scan") {
            ASSERT_EQ(result[0], round * (me + 1) * (me + 2) / 2);
          }
          if (name == "exscan" && me != 0) {
            ASSERT_EQ(result[0], round * me * (me + 1) / 2);
          }
        }
        ++through;
      });
    }
}

// Kind, count and root that differ, in every pair of kinds.
TEST(NodeMismatch, IsNamedByEveryMemberThatNeedsTheOther) {
  using Call = std::function<Status(Group&, std::uint64_t*)>;
  const Call calls[] = {
      [](Group& group, std::uint64_t* data) { return allreduce(group, sum(8), data, data, kPatience); },
      [](Group& group, std::uint64_t* data) { return allreduce(group, sum(16), data, data, kPatience); },
      [](Group& group, std::uint64_t* data) { return allreduce(group, sum(2), data, data, kPatience); },
      [](Group& group, std::uint64_t* data) { return allreduce(group, sum(50'000), data, data, kPatience); },
      [](Group& group, std::uint64_t* data) { return broadcast(group, 1, data, 64, kPatience); },
      [](Group& group, std::uint64_t* data) { return alltoall(group, 8, data, data + 100, kPatience); },
  };
  for (const SimulatedDevice device : {SimulatedDevice::direct, SimulatedDevice::shm})
    for (const Call& one : calls)
      for (const Call& other : calls) {
        if (&one == &other) continue;
        run_ranks(2, World{device, 2}.options(), [&](Runtime& rt) {
          auto group = rt.create_group(std::vector<Rank>{0, 1});
          ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
          std::vector<std::uint64_t> data(50'000);
          const Status status = (rt.rank() == 0 ? one : other)(**group, data.data());
          const bool is_root = rt.rank() == 1 && &other == &calls[4];
          if (!is_root) {
            EXPECT_TRUE(fails(status, Code::invalid_argument, "there)")) << rt.rank();
          }
          ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
        });
      }
}

}  // namespace
}  // namespace polder::test
