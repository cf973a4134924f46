// Parts of an epoch beside restore(): read while the checkpoint goes on, saved in place of the ranges, and told to ranks that had
// none.
#include "ckpt/checkpoint_state.hpp"
#include "core/ranks.hpp"

#include <polder/checkpoint.hpp>
#include <polder/collective.hpp>
#include <polder/saved_parts.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace polder::test {
namespace {

class Parts : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Parts, testing::ValuesIn(worlds({2, 5})), name_of_param);

std::vector<std::uint64_t> numbers_of(Rank rank, std::uint64_t epoch) {
  std::vector<std::uint64_t> numbers(500 + 10 * rank);
  std::iota(numbers.begin(), numbers.end(), 1'000'000 * epoch + 10'000 * rank);
  return numbers;
}

std::span<const std::byte> bytes_of(const std::vector<std::uint64_t>& numbers) {
  return std::as_bytes(std::span(numbers));
}

std::vector<std::uint64_t> fetched(Checkpoint& saved, Rank member) {
  auto bytes = saved.bytes_of(member);
  EXPECT_TRUE(ok(bytes));
  std::vector<std::uint64_t> part(*bytes / 8);
  EXPECT_TRUE(ok(saved.fetch(member, std::as_writable_bytes(std::span(part)), kPatience)));
  return part;
}

// One commit of each rank's numbers of epoch 1.
void save(Checkpoint& saved, std::vector<std::uint64_t>& numbers) {
  ASSERT_TRUE(ok(saved.add(numbers.data(), numbers.size() * 8)));
  ASSERT_TRUE(ok(saved.open(kPatience)));
  ASSERT_TRUE(ok(saved.start(kPatience)));
  ASSERT_TRUE(ok(saved.commit(kPatience)));
}

TEST_P(Parts, AreReadWhileTheCheckpointGoesOn) {
  run([](Runtime& rt) {
    auto numbers = numbers_of(rt.rank(), 1);
    Checkpoint saved(rt, rt.world());
    std::byte one{};
    EXPECT_TRUE(fails(saved.fetch(0, {&one, 1}, kPatience), Code::invalid_rank)) << "it is not open";
    save(saved, numbers);
    for (std::uint64_t epoch = 1; epoch < 4; ++epoch) {
      std::ranges::copy(numbers_of(rt.rank(), epoch + 1), numbers.begin());
      ASSERT_TRUE(ok(saved.start(kPatience)));  // what others write meanwhile is another half
      EXPECT_EQ(fetched(saved, next_of(rt)), numbers_of(next_of(rt), epoch));
      EXPECT_EQ(fetched(saved, rt.rank()), numbers_of(rt.rank(), epoch));
      ASSERT_TRUE(ok(saved.commit(kPatience)));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Parts, AreLeftAloneByEndAndFilledByRestore) {
  run([](Runtime& rt) {
    auto numbers = numbers_of(rt.rank(), 1);
    Checkpoint saved(rt, rt.world());
    save(saved, numbers);
    std::ranges::copy(numbers_of(rt.rank(), 7), numbers.begin());
    auto ended = saved.end(kPatience);
    ASSERT_TRUE(ok(ended));
    EXPECT_EQ(ended->epoch, 1u);
    EXPECT_EQ(numbers, numbers_of(rt.rank(), 7));
    EXPECT_EQ(fetched(saved, next_of(rt)), numbers_of(next_of(rt), 1));
    EXPECT_TRUE(fails(saved.start(kPatience), Code::peer_failed)) << "it has ended";
    ASSERT_TRUE(ok(saved.restore(kPatience)));
    EXPECT_EQ(numbers, numbers_of(rt.rank(), 1));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

TEST_P(Parts, AreSavedInPlaceOfTheRanges) {
  run([](Runtime& rt) {
    auto numbers = numbers_of(rt.rank(), 1);
    const auto others = numbers_of(rt.rank(), 2);
    Checkpoint saved(rt, rt.world());
    EXPECT_TRUE(fails(saved.start(bytes_of(others), kPatience), Code::invalid_argument)) << "it is not open";
    save(saved, numbers);
    EXPECT_TRUE(fails(saved.start(bytes_of(others).first(8), kPatience), Code::invalid_size));
    ASSERT_TRUE(ok(saved.start(bytes_of(others), kPatience)));
    ASSERT_TRUE(ok(saved.commit(kPatience)));
    EXPECT_EQ(numbers, numbers_of(rt.rank(), 1));
    ASSERT_TRUE(ok(saved.restore(kPatience)));
    EXPECT_EQ(numbers, others);
  });
}

TEST_P(Parts, AreToldToRanksThatHadNone) {
  run([](Runtime& rt) {
    const Rank last = Rank(rt.size() - 1);  // joins
    std::unique_ptr<Group> before;
    std::unique_ptr<Checkpoint> saved;
    auto numbers = numbers_of(rt.rank(), 1);
    if (rt.rank() != last) {
      auto made = rt.create_group(0, last);
      ASSERT_TRUE(ok(made));
      before = *std::move(made);
      ASSERT_TRUE(ok(before->commit(kPatience)));
      saved =
          std::make_unique<Checkpoint>(rt, *before, CheckpointSpec{.mirrors = last > 1 ? 1u : 0u, .first_epoch = 40});
      save(*saved, numbers);
    }
    {
      SharedParts early(rt, rt.world(), saved.get());
      EXPECT_TRUE(fails(early.share(kPatience), Code::invalid_argument)) << "nobody has ended a checkpoint";
    }
    if (saved) {
      ASSERT_TRUE(ok(saved->end(kPatience)));
    }
    SharedParts parts(rt, rt.world(), saved.get());
    if (rt.rank() == 0) {
      EXPECT_TRUE(fails(parts.share(Timeout::test()), Code::timeout));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(parts.share(kPatience)));
    EXPECT_EQ(parts.epoch(), 41u);
    ASSERT_EQ(parts.size(), last);
    for (Rank place = 0; place < last; ++place) {
      EXPECT_EQ(parts.ranks()[place], place);
      std::vector<std::uint64_t> part(parts.bytes_of(place) / 8);
      ASSERT_TRUE(ok(parts.read(place, 0, std::as_writable_bytes(std::span(part)), kPatience)));
      EXPECT_EQ(part, numbers_of(place, 1));
    }
    std::byte one{};
    EXPECT_TRUE(fails(parts.read(last, 0, {&one, 1}, kPatience), Code::invalid_rank));
    EXPECT_TRUE(fails(parts.read(0, parts.bytes_of(0), {&one, 1}, kPatience), Code::invalid_size));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  });
}

// Rank 1 is alone in the broadcast, because rank 0 is not back since it entered the allgather.
TEST(SharedPartsAlone, WhoGivesUpLeavesNoBroadcastThatHasItsMemory) {
  Simulation simulation(2, {.runtime = {.timeout = kPatience}, .deterministic = true});
  EXPECT_TRUE(ok(simulation.run([&](Runtime& rt) {
    auto numbers = numbers_of(rt.rank(), 1);
    auto group = rt.create_group(0, 2);
    ASSERT_TRUE(ok(group));
    ASSERT_TRUE(ok((*group)->commit(kPatience)));
    Checkpoint saved(rt, rt.world());
    save(saved, numbers);
    ASSERT_TRUE(ok(saved.end(kPatience)));
    {
      SharedParts parts(rt, **group, &saved);
      if (rt.rank() == 1) simulation.sleep(10'000'000);
      EXPECT_TRUE(fails(parts.share(rt.rank() == 0 ? Timeout::test() : Timeout(10ms)), Code::timeout));
      if (rt.rank() == 0) simulation.sleep(1'000'000'000);
    }
    EXPECT_EQ((*group)->out_of_step(), rt.rank() == 1);
    std::uint64_t word = 0;
    if (rt.rank() == 1) {
      EXPECT_TRUE(fails(broadcast(**group, 0, &word, sizeof word, Timeout::test()), Code::invalid_group));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  })));
}

}  // namespace
}  // namespace polder::test
