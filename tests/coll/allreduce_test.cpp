// Allreduce: every operation and type, sizes around the chunk, resuming, and functions of the user.
#include "core/ranks.hpp"
#include "core/reference.hpp"

#include <polder/collective.hpp>

#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace polder::test {
namespace {

class AllreduceTest : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, AllreduceTest, testing::ValuesIn(worlds({1, 2, 4, 8})), name_of_param);

template <class T>
T contribution(Rank rank, std::size_t i) {
  return small<T>(31 * rank + i);
}

// Products are kept exact by few factors that differ from one.
template <class T>
T sent(Reduction op, Rank rank, std::size_t i) {
  if (op == Reduction::product && rank % 4 != i % 4) return T(1);
  return contribution<T>(rank, i);
}

template <class T>
void check(Runtime& rt, Reduction op, std::size_t count) {
  std::vector<T> mine(count), all(count);
  for (std::size_t i = 0; i < count; ++i) mine[i] = sent<T>(op, rt.rank(), i);
  const Status status = allreduce(rt.world(), op, kDataType<T>, mine.data(), all.data(), count, kPatience);
  if (!defined<T>(op) || op == Reduction::axpy) {
    EXPECT_TRUE(fails(status, Code::invalid_argument, to_string(op)));
    return;
  }
  ASSERT_TRUE(ok(status));
  for (std::size_t i = 0; i < count; ++i) {
    T expected = sent<T>(op, 0, i);
    for (Rank rank = 1; rank < rt.size(); ++rank) expected = combined(op, expected, sent<T>(op, rank, i), T{});
    ASSERT_EQ(all[i], expected) << to_string(op) << " of " << to_string(kDataType<T>) << ", element " << i;
  }
}

TEST_P(AllreduceTest, EveryOperationOnEveryType) {
  run([](Runtime& rt) {
    for (const Reduction op : kReductions) for_each_type([&](auto type) { check<decltype(type)>(rt, op, 255); });
  });
}

TEST_P(AllreduceTest, AllSizes) {
  run([](Runtime& rt) {
    for (const std::size_t count : {0, 1, 2, 512, 513, 5000}) check<double>(rt, Reduction::sum, count);
    check<std::complex<double>>(rt, Reduction::sum, 257);
  });
}

TEST_P(AllreduceTest, InPlace) {
  run([](Runtime& rt) {
    std::vector<std::int64_t> values(1500);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = contribution<std::int64_t>(rt.rank(), i);
    ASSERT_TRUE(ok(allreduce(rt.world(), Reduction::max, DataType::int64, values.data(), values.data(), values.size(),
                             kPatience)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::int64_t largest = contribution<std::int64_t>(0, i);
      for (Rank rank = 1; rank < rt.size(); ++rank) largest = std::max(largest, contribution<std::int64_t>(rank, i));
      ASSERT_EQ(values[i], largest);
    }
  });
}

TEST_P(AllreduceTest, IsResumedAfterTimeouts) {
  run([](Runtime& rt) {
    for (int round = 0; round < 5; ++round) {
      const std::vector<std::uint64_t> ones(1200, rt.rank() + 1);
      std::vector<std::uint64_t> all(1200);
      Allreduce under_way(rt.world(), *reduction(Reduction::sum, DataType::uint64, ones.size()), ones.data(),
                          all.data());
      if (rt.rank() == Rank(round) % rt.size()) rest(1ms);
      Status status;
      while ((status = under_way.run(round % 2 == 0 ? Timeout::test() : Timeout(200us))).timed_out()) let_others_run();
      ASSERT_TRUE(ok(status));
      for (const std::uint64_t sum : all) ASSERT_EQ(sum, std::uint64_t{rt.size()} * (rt.size() + 1) / 2);
    }
  });
}

// The longer of two words; elements that no built-in type describes.
struct Word {
  char letters[24];
};

TEST_P(AllreduceTest, CombinesWithAFunctionOfTheUser) {
  run([](Runtime& rt) {
    const auto longer = [](const void* one, const void* two, void* result, std::size_t count) -> Status {
      for (std::size_t i = 0; i < count; ++i) {
        const Word a = static_cast<const Word*>(one)[i], b = static_cast<const Word*>(two)[i];
        static_cast<Word*>(result)[i] = std::strlen(b.letters) > std::strlen(a.letters) ? b : a;
      }
      return {};
    };
    std::vector<Word> mine(300), all(300);
    for (std::size_t i = 0; i < mine.size(); ++i)
      std::memset(mine[i].letters, 'a' + int(rt.rank()), (rt.rank() + i) % rt.size() + 1);
    ASSERT_TRUE(ok(Allreduce(rt.world(), {mine.size(), sizeof(Word), longer}, mine.data(), all.data()).run(kPatience)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Rank winner = Rank((2 * rt.size() - 1 - i % rt.size()) % rt.size());
      ASSERT_EQ(std::string(all[i].letters), std::string(rt.size(), char('a' + int(winner)))) << i;
    }
  });
}

// Elements of more than one board: the function sees them whole, also when the gathering was interrupted.
TEST_P(AllreduceTest, LargeElementsAreNotTornApart) {
  run([](Runtime& rt) {
    const std::size_t size = 2 * Group::kMaxGather + 100, count = 3;
    const auto larger_ends = [&](const void* one, const void* two, void* result, std::size_t n) -> Status {
      for (std::size_t i = 0; i < n; ++i) {
        const auto* a = static_cast<const unsigned char*>(one) + i * size;
        const auto* b = static_cast<const unsigned char*>(two) + i * size;
        EXPECT_TRUE(a[0] == a[size - 1] && b[0] == b[size - 1]);
        const std::vector<unsigned char> winner(b[size - 1] > a[0] ? b : a, (b[size - 1] > a[0] ? b : a) + size);
        std::memcpy(static_cast<unsigned char*>(result) + i * size, winner.data(), size);
      }
      return {};
    };
    std::vector<unsigned char> mine(count * size), all(count * size);
    for (std::size_t i = 0; i < count; ++i)
      std::memset(mine.data() + i * size, int(1 + (rt.rank() + i) % rt.size()), size);
    Allreduce under_way(rt.world(), {count, size, larger_ends}, mine.data(), all.data());
    Status status;
    while ((status = under_way.run(Timeout::test())).timed_out()) let_others_run();
    ASSERT_TRUE(ok(status));
    for (const unsigned char byte : all) ASSERT_EQ(byte, rt.size());
  });
}

TEST_P(AllreduceTest, BeginsAgainInTheSameMemory) {
  run([](Runtime& rt) {
    std::vector<double> mine(700), all(700);
    Allreduce reused(rt.world(), *reduction(Reduction::sum, DataType::float64, 1), mine.data(), all.data());
    ASSERT_TRUE(ok(reused.run(kPatience)));
    for (const std::size_t count : {700, 1, 40, 513}) {
      for (std::size_t i = 0; i < count; ++i) mine[i] = double(rt.rank() + i);
      reused.begin_again(*reduction(Reduction::max, DataType::float64, count), mine.data(), all.data());
      ASSERT_TRUE(ok(reused.run(kPatience)));
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(all[i], double(rt.size() - 1 + i));
    }
  });
}

TEST_P(AllreduceTest, AnErrorOfTheFunctionIsTheResult) {
  run([](Runtime& rt) {
    if (rt.size() == 1) return;  // nothing to combine
    const auto refuse = [](const void*, const void*, void*, std::size_t) {
      return Status(Code::limit, "these do not go together");
    };
    const std::uint64_t mine = 1;
    std::uint64_t all = 77;
    EXPECT_TRUE(
        fails(Allreduce(rt.world(), {1, sizeof mine, refuse}, &mine, &all).run(kPatience), Code::limit, "go together"));
    EXPECT_EQ(all, 77u);
    EXPECT_TRUE(ok(allreduce(rt.world(), Reduction::sum, DataType::uint64, &mine, &all, 1, kPatience)))
        << "the group lives on";
    EXPECT_EQ(all, rt.size());
  });
}

TEST_P(AllreduceTest, WrongArguments) {
  run([](Runtime& rt) {
    std::uint64_t word = 0;
    EXPECT_TRUE(fails(allreduce(rt.world(), Reduction::sum, DataType::uint64, nullptr, &word, 1, kPatience),
                      Code::invalid_argument, "null"));
    EXPECT_TRUE(fails(allreduce(rt.world(), Reduction::sum, DataType::uint64, &word, nullptr, 1, kPatience),
                      Code::invalid_argument, "null"));
    const auto keep = [](const void*, const void*, void*, std::size_t) { return Status(); };
    EXPECT_TRUE(fails(Allreduce(rt.world(), {1, 0, keep}, &word, &word).run(kPatience), Code::invalid_size));
    EXPECT_FALSE(Allreduce(rt.world(), {1, 8, nullptr}, &word, &word).run(kPatience).ok());
    auto group = rt.create_group(0, rt.size());
    EXPECT_TRUE(
        fails(allreduce(**group, Reduction::sum, DataType::uint64, &word, &word, 1, kPatience), Code::invalid_group));
  });
}

// Over boards, with a core for each member and with fewer.
TEST(AllreduceMismatch, OfMembersOnANodeIsNamedAtAll) {
  struct Call {
    Reduction op = Reduction::sum;
    DataType type = DataType::uint64;
    std::size_t count = 1;
    bool gathers = false;
  };
  const struct {
    Call other;
    const char* difference;
  } cases[] = {{{.op = Reduction::max}, "another operation"},
               {{.type = DataType::float64}, "another type"},
               {{.count = 2}, "bytes here"},
               {{.gathers = true}, "allgather"}};
  for (const Rank ranks : {Rank{2}, Rank{12}})
    run_ranks(ranks, World{SimulatedDevice::direct, ranks}.options(), [&](Runtime& rt) {
      std::vector<Rank> all(rt.size());
      std::iota(all.begin(), all.end(), Rank{0});
      for (const auto& one : cases) {
        auto group = rt.create_group(all);
        ASSERT_TRUE(ok(group) && ok((*group)->commit(kPatience)));
        const auto make = [&](const Call& call) -> Status {
          const std::vector<std::uint64_t> mine(call.count, rt.rank());
          std::vector<std::uint64_t> result(call.count * rt.size());
          if (call.gathers)
            return (*group)->allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(result)),
                                       kPatience);
          return allreduce(**group, call.op, call.type, mine.data(), result.data(), call.count, kPatience);
        };
        for (int round = 0; round < 3; ++round) ASSERT_TRUE(ok(make({})));
        EXPECT_TRUE(fails(make(rt.rank() == 1 ? one.other : Call{}), Code::invalid_argument, one.difference));
        EXPECT_TRUE(fails(make({}), Code::invalid_argument, one.difference));  // and so are all that follow
        ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      }
    });
}

TEST(AllreduceExceptions, BecomeErrorsAndTheGroupLivesOn) {
  run_ranks(2, {.device = SimulatedDevice::direct}, [](Runtime& rt) {
    const Combine throws = [](const void*, const void*, void*, std::size_t) -> Status {
      throw std::runtime_error("too large");
    };
    const double mine = 1;
    double sum = 0;
    Allreduce first(rt.world(), {.count = 1, .element_size = 8, .combine = throws}, &mine, &sum);
    EXPECT_TRUE(fails(first.run(kPatience), Code::system, "too large"));
    ASSERT_TRUE(ok(allreduce(rt.world(), Reduction::sum, DataType::float64, &mine, &sum, 1, kPatience)));
    EXPECT_EQ(sum, 2);
  });
}

}  // namespace
}  // namespace polder::test
