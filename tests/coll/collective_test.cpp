// The public collectives: what they do on every device, in their forms, what they refuse.
#include "core/ranks.hpp"
#include "words.hpp"

#include <polder/collective.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace polder::test {
namespace {

class CollectiveTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, CollectiveTest, testing::ValuesIn(worlds({1, 2, 3, 8})), name_of_param);

// Each twice as long as the last, the first one of nothing.
std::vector<std::size_t> growing(Rank ranks, std::size_t unit) {
  std::vector<std::size_t> parts(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) parts[rank] = rank * unit;
  return parts;
}

TEST_P(CollectiveTest, BroadcastFromEveryRoot) {
  run([](Runtime& rt) {
    for (const std::size_t count : {0, 1, 500, 9000})
      for (Rank root = 0; root < rt.size(); ++root) {
        Words data = rt.rank() == root ? words(root, count) : Words(count);
        ASSERT_TRUE(ok(broadcast(rt.world(), root, data.data(), 8 * count, kPatience)));
        ASSERT_EQ(data, words(root, count));
      }
  });
}

TEST_P(CollectiveTest, ReduceAndAllreduce) {
  run([](Runtime& rt) {
    for (const std::size_t count : {0, 1, 300, 9000}) {
      const Words mine = words(rt.rank(), count), all = sum_of(rt.size(), count);
      const Rank root = rt.size() - 1;
      Words result(count, 7);
      ASSERT_TRUE(ok(reduce(rt.world(), root, sum(count), mine.data(), result.data(), kPatience)));
      ASSERT_EQ(result, rt.rank() == root ? all : Words(count, 7));
      ASSERT_TRUE(ok(allreduce(rt.world(), sum(count), mine.data(), result.data(), kPatience)));
      ASSERT_EQ(result, all);
      Words in_place = mine;
      ASSERT_TRUE(ok(allreduce(rt.world(), sum(count), in_place.data(), in_place.data(), kPatience)));
      ASSERT_EQ(in_place, all);
      ASSERT_EQ(mine, words(rt.rank(), count));
    }
  });
}

// Takes the left one and the right one's number: only the right order gives all numbers in turn.
TEST_P(CollectiveTest, FunctionsThatDoNotCommute) {
  run([](Runtime& rt) {
    const auto append = [](const void* one, const void* two, void* result, std::size_t count) -> Status {
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t a, b;
        std::memcpy(&a, static_cast<const std::byte*>(one) + 8 * i, 8);
        std::memcpy(&b, static_cast<const std::byte*>(two) + 8 * i, 8);
        std::uint64_t scale = 1;
        for (std::uint64_t rest = b; rest != 0; rest /= 16) scale *= 16;
        const std::uint64_t both = a * scale + b;
        std::memcpy(static_cast<std::byte*>(result) + 8 * i, &both, 8);
      }
      return {};
    };
    for (const std::size_t count : {1, 9000}) {
      ReductionSpec spec{count, 8, append, false};
      const Words mine(count, rt.rank() + 1);
      std::uint64_t expected = 0;
      for (Rank rank = 0; rank < rt.size(); ++rank) expected = 16 * expected + rank + 1;
      Words result(count);
      ASSERT_TRUE(ok(allreduce(rt.world(), spec, mine.data(), result.data(), kPatience)));
      ASSERT_EQ(result, Words(count, expected));
      const Rank root = rt.size() / 2;
      ASSERT_TRUE(ok(reduce(rt.world(), root, spec, mine.data(), result.data(), kPatience)));
      if (rt.rank() == root) {
        ASSERT_EQ(result, Words(count, expected));
      }
      ASSERT_TRUE(ok(scan(rt.world(), spec, mine.data(), result.data(), kPatience)));
      ASSERT_EQ(result, Words(count, expected >> 4 * (rt.size() - 1 - rt.rank())));
    }
  });
}

// What is thrown inside of a lane's coroutine, or by whoever drives it.
TEST_P(CollectiveTest, AFunctionThatThrowsFailsTheCollective) {
  std::atomic<int> told{0};  // ranks that combined something have its text, others that it failed elsewhere
  run([&](Runtime& rt) {
    const Combine throws = [](const void*, const void*, void*, std::size_t) -> Status {
      throw std::runtime_error("too large");
    };
    for (const std::size_t count : {1, 9000}) {
      const Words mine(count, 1);
      Words result(count);
      const Status status = allreduce(rt.world(), {count, 8, throws}, mine.data(), result.data(), kPatience);
      EXPECT_TRUE(rt.size() == 1 ? ok(status) : fails(status, Code::system));
      if (status.to_string().find("too large") != std::string::npos) ++told;
    }
  });
  EXPECT_TRUE(told > 0 || GetParam().ranks == 1);
}

// Members in the order of split(): backwards here, so that blocks, scans and roots are told by places.
TEST_P(CollectiveTest, AGroupKeepsTheOrderOfItsSplit) {
  run([](Runtime& rt) {
    auto group = rt.split(rt.world(), 0, -std::int64_t(rt.rank()), kPatience);
    ASSERT_TRUE(ok(group));
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    const Rank last = rt.size() - 1;
    const std::uint64_t mine = rt.rank();
    Words gathered(rt.size());
    const std::vector<std::size_t> bytes(rt.size(), 8);
    ASSERT_TRUE(ok(allgather(**group, bytes, &mine, gathered.data(), kPatience)));
    for (Rank place = 0; place < rt.size(); ++place) EXPECT_EQ(gathered[place], last - place);
    std::uint64_t before = 0;
    ASSERT_TRUE(ok(scan(**group, sum(1), &mine, &before, kPatience)));
    EXPECT_EQ(before, (last + mine) * (last - mine + 1) / 2);
    std::uint64_t from_root = mine;
    ASSERT_TRUE(ok(broadcast(**group, 0, &from_root, 8, kPatience)));
    EXPECT_EQ(from_root, last);
  });
}

TEST_P(CollectiveTest, Scans) {
  run([](Runtime& rt) {
    const Words mine = words(rt.rank(), 40);
    Words result(40, 5);
    ASSERT_TRUE(ok(scan(rt.world(), sum(40), mine.data(), result.data(), kPatience)));
    ASSERT_EQ(result, sum_of(rt.rank() + 1, 40));
    result.assign(40, 5);
    ASSERT_TRUE(ok(exscan(rt.world(), sum(40), mine.data(), result.data(), kPatience)));
    ASSERT_EQ(result, rt.rank() == 0 ? Words(40, 5) : sum_of(rt.rank(), 40));
  });
}

TEST_P(CollectiveTest, PartsOfDifferentSizes) {
  run([](Runtime& rt) {
    const auto elements = growing(rt.size(), 50);
    auto bytes = elements;
    for (std::size_t& part : bytes) part *= 8;
    const std::size_t all = std::accumulate(elements.begin(), elements.end(), std::size_t{0});
    Words gathered;
    for (Rank rank = 0; rank < rt.size(); ++rank) {
      const Words part = words(rank, elements[rank]);
      gathered.insert(gathered.end(), part.begin(), part.end());
    }
    const std::size_t mine = elements[rt.rank()];
    const std::size_t begin = std::accumulate(elements.begin(), elements.begin() + rt.rank(), std::size_t{0});
    const Words own = words(rt.rank(), mine);
    const Rank root = rt.size() - 1;
    const bool at_root = rt.rank() == root;

    Words result(all);
    ASSERT_TRUE(ok(allgather(rt.world(), bytes, own.data(), result.data(), kPatience)));
    ASSERT_EQ(result, gathered);
    result.assign(at_root ? all : 0, 0);
    ASSERT_TRUE(ok(gather(rt.world(), root, bytes, own.data(), at_root ? result.data() : nullptr, kPatience)));
    if (at_root) {
      ASSERT_EQ(result, gathered);
    }
    Words part(mine);
    ASSERT_TRUE(ok(scatter(rt.world(), root, bytes, at_root ? gathered.data() : nullptr, part.data(), kPatience)));
    ASSERT_EQ(part, own);
    const Words vector = words(rt.rank(), all), total = sum_of(rt.size(), all);
    ASSERT_TRUE(ok(reduce_scatter(rt.world(), sum(all), elements, vector.data(), part.data(), kPatience)));
    ASSERT_EQ(part, Words(total.begin() + std::ptrdiff_t(begin), total.begin() + std::ptrdiff_t(begin + mine)));
  });
}

TEST_P(CollectiveTest, Alltoall) {
  run([](Runtime& rt) {
    for (const std::size_t count : {1, 700}) {
      Words send, expected;
      for (Rank other = 0; other < rt.size(); ++other)
        for (std::size_t i = 0; i < count; ++i) {
          send.push_back(word(rt.rank(), other * 10'000 + i));
          expected.push_back(word(other, rt.rank() * 10'000 + i));
        }
      Words result(send.size());
      ASSERT_TRUE(ok(alltoall(rt.world(), 8 * count, send.data(), result.data(), kPatience)));
      ASSERT_EQ(result, expected);
      // The same in reverse order of blocks on both sides.
      std::vector<Part> parts;
      for (Rank other = 0; other < rt.size(); ++other)
        parts.push_back({8 * count * (rt.size() - 1 - other), 8 * count});
      Words turned(send.size()), back(send.size());
      for (Rank other = 0; other < rt.size(); ++other)
        std::copy_n(send.begin() + std::ptrdiff_t(count * other), count,
                    turned.begin() + std::ptrdiff_t(parts[other].offset / 8));
      ASSERT_TRUE(ok(alltoallv(rt.world(), turned.data(), parts, back.data(), parts, kPatience)));
      for (Rank other = 0; other < rt.size(); ++other)
        ASSERT_TRUE(std::equal(expected.begin() + std::ptrdiff_t(count * other),
                               expected.begin() + std::ptrdiff_t(count * (other + 1)),
                               back.begin() + std::ptrdiff_t(parts[other].offset / 8)));
    }
  });
}

TEST_P(CollectiveTest, ABlockingCallGoesOnWhenItIsRepeated) {
  run([](Runtime& rt) {
    for (Rank round = 0; round < 5; ++round) {
      const Words mine = words(rt.rank(), 6000);
      Words result(6000);
      if (rt.rank() == round % rt.size()) rest(1ms);
      Status status;
      do {
        status = allreduce(rt.world(), sum(6000), mine.data(), result.data(), round % 2 == 0 ? Timeout::test() : 100us);
      } while (status.timed_out());
      ASSERT_TRUE(ok(status));
      ASSERT_EQ(result, sum_of(rt.size(), 6000));
    }
  });
}

TEST_P(CollectiveTest, NonBlockingOnesOverlapAndAnyMayEndFirst) {
  run([](Runtime& rt) {
    const Words mine = words(rt.rank(), 3000);
    Words one(3000), two = rt.rank() == 0 ? mine : Words(3000), three(3000);
    auto sums = Collective::allreduce(rt.world(), sum(3000), mine.data(), one.data());
    auto copy = Collective::broadcast(rt.world(), 0, two.data(), 8 * 3000);
    auto scans = Collective::scan(rt.world(), sum(3000), mine.data(), three.data());
    auto meeting = Collective::barrier(rt.world());
    ASSERT_TRUE(ok(sums) && ok(copy) && ok(scans) && ok(meeting));
    std::atomic<int> ended{0};
    std::vector<Collective*> left{&*sums, &*copy, &*scans, &*meeting};
    for (Collective* each : left) ASSERT_TRUE(ok(each->start([&] { ++ended; })));
    while (!left.empty()) {
      const auto any = Collective::wait_any(left, kPatience);
      ASSERT_TRUE(ok(any));
      ASSERT_TRUE(ok(left[*any]->wait(Timeout::test())));
      left.erase(left.begin() + std::ptrdiff_t(*any));
    }
    EXPECT_EQ(one, sum_of(rt.size(), 3000));
    EXPECT_EQ(two, words(0, 3000));
    EXPECT_EQ(three, sum_of(rt.rank() + 1, 3000));
    // A continuation may run a moment after its collective is seen to have ended.
    while (ended != 4) let_others_run();
  });
}

TEST_P(CollectiveTest, APersistentOneIsBegunAgainAndAgain) {
  run([](Runtime& rt) {
    Words data(100), result(100);
    auto sums = Collective::allreduce(rt.world(), sum(100), data.data(), result.data());
    ASSERT_TRUE(ok(sums));
    EXPECT_TRUE(fails(sums->wait(Timeout::test()), Code::invalid_argument, "never begun"));
    for (std::uint64_t round = 0; round < 30; ++round) {
      data.assign(100, round + rt.rank());
      if (round % 2 == 0) {
        ASSERT_TRUE(ok(sums->start()));
        ASSERT_TRUE(ok(sums->wait(kPatience)));
      } else {
        ASSERT_TRUE(ok(sums->run(kPatience)));
      }
      ASSERT_EQ(result[99], round * rt.size() + std::uint64_t{rt.size()} * (rt.size() - 1) / 2);
    }
  });
}

TEST(Collective, RefusesWhatCannotBeRightAndChangesNothing) {
  run_ranks(2, World{SimulatedDevice::direct, 2}.options(), [](Runtime& rt) {
    Group& world = rt.world();
    Words data(16), other(16);
    const std::vector<std::size_t> one{8}, both{8, 8}, much{~std::size_t{0}, 8};
    EXPECT_TRUE(fails(broadcast(world, 2, data.data(), 8, kPatience), Code::invalid_rank, "broadcast: root 2"));
    EXPECT_TRUE(fails(broadcast(world, 0, nullptr, 8, kPatience), Code::invalid_argument, "null"));
    EXPECT_TRUE(
        fails(allreduce(world, {1, 0, sum(1).combine}, data.data(), other.data(), kPatience), Code::invalid_size));
    EXPECT_TRUE(
        fails(allreduce(world, sum(~std::size_t{0} / 4), data.data(), other.data(), kPatience), Code::invalid_size));
    EXPECT_TRUE(
        fails(allreduce(world, sum(8), data.data(), data.data() + 4, kPatience), Code::invalid_argument, "overlap"));
    EXPECT_TRUE(fails(allgather(world, one, data.data(), other.data(), kPatience), Code::invalid_argument, "1 parts"));
    EXPECT_TRUE(fails(allgather(world, much, data.data(), other.data(), kPatience), Code::invalid_size));
    EXPECT_TRUE(fails(allgather(world, both, data.data(), data.data(), kPatience), Code::invalid_argument, "the same"));
    EXPECT_TRUE(fails(reduce_scatter(world, sum(17), both, data.data(), other.data(), kPatience), Code::invalid_size));
    EXPECT_TRUE(fails(alltoall(world, 8, data.data(), data.data(), kPatience), Code::invalid_argument, "the same"));
    auto group = rt.create_group(std::vector<Rank>{0, 1});
    ASSERT_TRUE(ok(group));
    EXPECT_TRUE(fails(broadcast(**group, 0, data.data(), 8, kPatience), Code::invalid_group));
    // All of that was nothing: the next one fits.
    ASSERT_TRUE(ok(broadcast(world, 0, data.data(), 8, kPatience)));
  });
}

TEST(Collective, CallsThatDoNotFitAreNamed) {
  run_ranks(2, World{SimulatedDevice::direct, 2}.options(), [](Runtime& rt) {
    auto group = rt.create_group(std::vector<Rank>{0, 1});
    ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
    Words mine(8), all(8);
    const Reduction op = rt.rank() == 0 ? Reduction::sum : Reduction::max;
    const Status status = allreduce(**group, *reduction(op, DataType::uint64, 8), mine.data(), all.data(), kPatience);
    ASSERT_TRUE(fails(status, Code::invalid_argument, "operation: ")) << rt.rank();
    EXPECT_NE(status.to_string().find(rt.rank() == 0 ? "sum here, max there" : "max here, sum there"),
              std::string::npos)
        << status.to_string();
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));  // until both have said so
  });
}

}  // namespace
}  // namespace polder::test
