// What a checkpoint keeps, refuses and gives back where nobody dies.
#include "ckpt/checkpoint_state.hpp"
#include "ckpt/copy_layout.hpp"
#include "core/ranks.hpp"

#include <polder/checkpoint.hpp>

#include <cstring>
#include <numeric>
#include <vector>

namespace polder::test {
namespace {

class Checkpoints : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Checkpoints, testing::ValuesIn(worlds({2, 5})), name_of_param);

// Ranges of different sizes, one of them empty, at each member.
struct Data {
  explicit Data(Rank rank) : numbers(1000 + 37 * rank), bytes(3 + rank) {}
  void fill(std::uint64_t epoch, Rank rank) {
    std::iota(numbers.begin(), numbers.end(), epoch * 1'000'000 + rank * 10'000);
    std::fill(bytes.begin(), bytes.end(), char(epoch + rank));
  }
  void add_to(Checkpoint& saved) {
    ASSERT_TRUE(ok(saved.add(numbers.data(), numbers.size() * 8)));
    ASSERT_TRUE(ok(saved.add(nullptr, 0)));
    ASSERT_TRUE(ok(saved.add(bytes.data(), bytes.size())));
  }
  friend bool operator==(const Data&, const Data&) = default;

  std::vector<std::uint64_t> numbers;
  std::vector<char> bytes;
};

void save_and_restore(Runtime& rt, bool changed_pages) {
  Data data(rt.rank()), wanted(rt.rank());
  Checkpoint saved(rt, rt.world(), {.mirrors = 1, .changed_pages = changed_pages});
  data.add_to(saved);
  ASSERT_TRUE(ok(saved.open(kPatience)));
  for (std::uint64_t epoch = 1; epoch <= 4; ++epoch) {
    data.fill(epoch == 3 ? 2 : epoch, rt.rank());  // the third changes nothing
    ASSERT_TRUE(ok(saved.start(kPatience)));
    EXPECT_TRUE(fails(saved.start(kPatience), Code::busy));
    data.fill(99, rt.rank());  // what has been copied may change
    ASSERT_TRUE(ok(saved.commit(kPatience)));
    EXPECT_EQ(saved.epoch(), epoch);
  }
  wanted.fill(4, rt.rank());
  data.fill(5, rt.rank());
  if (rt.rank() == 0) {
    ASSERT_TRUE(ok(saved.start(kPatience)));  // of an epoch that is never committed
  }
  auto restored = saved.restore(kPatience);
  ASSERT_TRUE(ok(restored));
  EXPECT_EQ(restored->epoch, 4u);
  EXPECT_TRUE(restored->failed.empty());
  EXPECT_EQ(data, wanted);

  const Rank next = next_of(rt);
  Data others(next);
  others.fill(4, next);
  EXPECT_EQ(saved.copies_of(next).front(), next);
  EXPECT_EQ(saved.copies_of(next).size(), 2u);
  auto bytes = saved.bytes_of(next);
  ASSERT_TRUE(ok(bytes));
  std::vector<std::byte> part(*bytes);
  ASSERT_TRUE(ok(saved.fetch(next, part, kPatience)));
  EXPECT_EQ(std::memcmp(part.data(), others.numbers.data(), others.numbers.size() * 8), 0);
  EXPECT_EQ(std::memcmp(part.data() + others.numbers.size() * 8, others.bytes.data(), others.bytes.size()), 0);
  EXPECT_TRUE(fails(saved.fetch(next, std::span(part).first(1), kPatience), Code::invalid_size));
  EXPECT_TRUE(fails(saved.fetch(rt.size(), part, kPatience), Code::invalid_rank));
  EXPECT_TRUE(fails(saved.start(kPatience), Code::peer_failed)) << "it has ended";
  ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
}

TEST_P(Checkpoints, BringAllBackToTheLastEpoch) {
  run([](Runtime& rt) { save_and_restore(rt, false); });
}

TEST_P(Checkpoints, OfChangedPagesDoTheSame) {
  run([](Runtime& rt) { save_and_restore(rt, true); });
}

TEST_P(Checkpoints, CommitGoesOnAfterTimeouts) {
  run([](Runtime& rt) {
    std::uint64_t value = 7;
    Checkpoint saved(rt, rt.world());
    ASSERT_TRUE(ok(saved.add(&value, sizeof value)));
    ASSERT_TRUE(ok(saved.open(kPatience)));
    EXPECT_TRUE(fails(saved.commit(kPatience), Code::invalid_argument)) << "nothing was started";
    ASSERT_TRUE(ok(saved.start(kPatience)));
    if (rt.rank() == 0) {
      EXPECT_TRUE(fails(saved.commit(Timeout::test()), Code::timeout));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    Status status;
    do status = saved.commit(1ms);
    while (status.timed_out());
    EXPECT_TRUE(ok(status));
    EXPECT_EQ(saved.epoch(), 1u);
  });
}

TEST_P(Checkpoints, WithoutAnEpochChangeNothing) {
  run([](Runtime& rt) {
    int value = 5;
    Checkpoint saved(rt, rt.world(), {.first_epoch = 12});
    ASSERT_TRUE(ok(saved.add(&value, sizeof value)));
    ASSERT_TRUE(ok(saved.open(kPatience)));
    auto restored = saved.restore(kPatience);
    ASSERT_TRUE(ok(restored));
    EXPECT_EQ(restored->epoch, 12u);
    EXPECT_EQ(value, 5);
  });
}

TEST_P(Checkpoints, AreRefusedWhereNoMirrorCanHoldThem) {
  run([](Runtime& rt) {
    Checkpoint many(rt, rt.world(), {.mirrors = rt.size()});
    EXPECT_TRUE(fails(many.add(nullptr, 8), Code::invalid_argument));
    EXPECT_TRUE(fails(many.start(kPatience), Code::invalid_argument));
    EXPECT_TRUE(fails(many.open(kPatience), Code::invalid_argument));
    char data[1000] = {};
    Checkpoint large(rt, rt.world(), {.mirrors = 1, .memory_limit = 3000});
    ASSERT_TRUE(ok(large.add(data, sizeof data)));
    EXPECT_TRUE(fails(large.open(kPatience), Code::limit));
  });
}

// What a rank that joins forgets most easily is the epoch that the others go on from.
TEST_P(Checkpoints, HaveTheSameSpecAtAllMembers) {
  run([](Runtime& rt) {
    const bool is_other = rt.rank() == 1;
    const auto opened = [&](const CheckpointSpec& spec) { return Checkpoint(rt, rt.world(), spec).open(kPatience); };
    EXPECT_TRUE(fails(opened({.first_epoch = is_other ? 0U : 4U}), Code::invalid_argument,
                      "first_epoch is 4 at rank 0 and 0 at rank 1"));
    EXPECT_TRUE(fails(opened({.mirrors = is_other ? 0U : 1U}), Code::invalid_argument, "mirrors"));
    EXPECT_TRUE(fails(opened({.memory_limit = is_other ? 0U : 3000U}), Code::invalid_argument, "memory_limit"));
    EXPECT_TRUE(ok(opened({.first_epoch = 4})));
  });
}

TEST_P(Checkpoints, TakeNoRangeOnceOpenHasBegun) {
  run([](Runtime& rt) {
    std::uint64_t value = rt.rank(), more[100] = {};
    Checkpoint saved(rt, rt.world());
    ASSERT_TRUE(ok(saved.add(&value, sizeof value)));
    if (rt.rank() == 0) {
      EXPECT_TRUE(fails(saved.open(Timeout::test()), Code::timeout));
      EXPECT_TRUE(fails(saved.add(more, sizeof more), Code::invalid_argument));
    }
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    ASSERT_TRUE(ok(saved.open(kPatience)));
    EXPECT_EQ(*saved.bytes_of(0), sizeof value);
    ASSERT_TRUE(ok(saved.start(kPatience)));
    ASSERT_TRUE(ok(saved.commit(kPatience)));
  });
}

// Damages the copy that `keeper` has of the part of `member`.
void damage(Checkpoint& saved, Rank member, Rank keeper, Rank me) {
  if (keeper == me) saved.state().copy_here(member, saved.epoch())[sizeof(ckpt::CopyHeader) + 2] ^= std::byte{1};
}

// One epoch of data that are damaged: the own copy of rank 0, or all copies of it. How the restore ends.
void restore_damaged(Runtime& rt, bool all, const std::function<void(const Result<Restored>&, bool is_saved)>& look) {
  Data data(rt.rank()), wanted(rt.rank());
  Checkpoint saved(rt, rt.world());
  data.add_to(saved);
  data.fill(1, rt.rank()), wanted.fill(1, rt.rank());
  ASSERT_TRUE(ok(saved.open(kPatience)));
  ASSERT_TRUE(ok(saved.start(kPatience)));
  ASSERT_TRUE(ok(saved.commit(kPatience)));
  for (const Rank keeper : saved.copies_of(0))
    if (keeper == 0 || all) damage(saved, 0, keeper, rt.rank());
  data.fill(2, rt.rank());
  ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
  const Result<Restored> restored = saved.restore(kPatience);
  look(restored, data == wanted);
  ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
}

TEST_P(Checkpoints, TakeAMirrorsCopyWhereTheOwnIsDamaged) {
  run([](Runtime& rt) {
    restore_damaged(rt, false, [](const Result<Restored>& restored, bool is_saved) {
      EXPECT_TRUE(ok(restored));
      EXPECT_TRUE(is_saved);
    });
  });
}

TEST_P(Checkpoints, ChangeNothingWhereNoCopyIsWhole) {
  run([](Runtime& rt) {
    restore_damaged(rt, true, [](const Result<Restored>& restored, bool is_saved) {
      EXPECT_TRUE(fails(restored, Code::peer_failed, "of epoch 1 no copy is left of the parts of rank 0"));
      EXPECT_FALSE(is_saved);
    });
  });
}

// ---- who keeps what ----

TEST(CopyLayout, PutsMirrorsOnOtherNodesFirstAndThenOnNodesOfTheirOwn) {
  const ckpt::CopyLayout layout({{8, 0}, {8, 0}, {8, 2}, {8, 2}, {8, 4}}, 3);
  EXPECT_EQ(layout.keepers(0), (std::vector<std::size_t>{0, 2, 4, 3}));
  EXPECT_EQ(layout.keepers(2), (std::vector<std::size_t>{2, 4, 0, 1}));
}

TEST(CopyLayout, GivesEachCopyAPlaceOfItsOwn) {
  const ckpt::CopyLayout layout({{100, 0}, {0, 1}, {1, 2}}, 2);
  for (std::size_t keeper = 0; keeper < 3; ++keeper) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::size_t member = 0; member < 3; ++member)
      for (unsigned half = 0; half < 2; ++half) {
        const auto begin = layout.place(member, keeper, half);
        const auto end = begin + sizeof(ckpt::CopyHeader) + layout.bytes(member);
        EXPECT_LE(end, layout.memory(keeper));
        for (const auto& [from, to] : taken) EXPECT_TRUE(end <= from || to <= begin);
        taken.emplace_back(begin, end);
      }
  }
}

TEST(Checksum, SeesAnyBitAndTheEpoch) {
  std::vector<std::byte> data(21);
  const auto sum = ckpt::checksum_of(3, data);
  EXPECT_NE(sum, ckpt::checksum_of(4, data));
  for (auto& byte : data) {
    byte = std::byte{16};
    EXPECT_NE(sum, ckpt::checksum_of(3, data));
    byte = std::byte{0};
  }
}

}  // namespace
}  // namespace polder::test
