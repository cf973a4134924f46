// Runs: many pieces, few words. And transfers of many pieces by message, against the same transfers one by one.
#include "core/emulate/packing.hpp"

#include "core/ranks.hpp"

#include <utility>

namespace polder::test {
namespace {

using Pieces = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Pieces unpacked(const core::RunList& list, std::uint64_t* total = nullptr) {
  Pieces pieces;
  std::uint64_t end = 0;
  EXPECT_TRUE(ok(core::for_each_packed(std::as_bytes(list.runs()),
                                       [&](std::uint64_t remote, std::uint64_t bytes, std::uint64_t at) -> Status {
                                         EXPECT_EQ(at, end);
                                         end = at + bytes;
                                         pieces.emplace_back(remote, bytes);
                                         return {};
                                       })));
  if (total != nullptr) *total = end;
  return pieces;
}

TEST(RunList, HoldsAPatchInOneRun) {
  core::RunList list;
  Pieces rows;
  for (std::uint64_t row = 0; row < 1000; ++row) {
    list.add(8192 * row + 16, 24);
    rows.emplace_back(8192 * row + 16, 24);
  }
  EXPECT_EQ(list.runs().size(), 1u);
  std::uint64_t total = 0;
  EXPECT_EQ(unpacked(list, &total), rows);
  EXPECT_EQ(total, 24'000u);
}

TEST(RunList, GoesBackwards) {
  core::RunList list;
  Pieces rows;
  for (std::uint64_t row = 10; row-- > 0;) {
    list.add(row * 100, 8);
    rows.emplace_back(row * 100, 8);
  }
  EXPECT_EQ(list.runs().size(), 1u);
  EXPECT_EQ(unpacked(list), rows);
}

TEST(RunList, GivesBackWhateverWentIn) {
  util::Random random(7);
  for (int round = 0; round < 200; ++round) {
    core::RunList list;
    Pieces pieces;
    while (list.has_room() && pieces.size() < 500) {
      const std::uint64_t remote = random.next() % 50 * 8, bytes = 8 * (1 + random.next() % 2);
      list.add(remote, std::uint32_t(bytes));
      pieces.emplace_back(remote, bytes);
    }
    EXPECT_EQ(unpacked(list), pieces);
  }
}

// ---- by message ----

constexpr std::size_t kSegment = 300'000;

// Pieces that do not overlap, of all sizes: many tiny ones, and some that no message holds.
std::vector<ListItem> scattered(std::uint64_t seed) {
  util::Random random(seed);
  std::vector<ListItem> items;
  std::ptrdiff_t local = 0, remote = 0;
  while (true) {
    const std::size_t bytes = random.next() % 20 == 0 ? random.next() % 40'000 / 8 * 8 : 8 * (random.next() % 12);
    if (remote + bytes > kSegment) return items;
    items.push_back({local, remote, bytes});
    local += std::ptrdiff_t(bytes + 8 * (random.next() % 3));
    remote += std::ptrdiff_t(bytes + 8 * (random.next() % 5));
  }
}

TEST(PackedTransfers, ScatterAndGatherListsOfAllSizes) {
  for (const SimulatedDevice device : {SimulatedDevice::messages, SimulatedDevice::network}) {
    run_ranks(2, {.device = device}, [](Runtime& rt) {
      auto segment = rt.create_segment({.size = kSegment, .id = 1}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      const auto items = scattered(rt.rank() + 3);
      const auto source = noise(rt.rank() + 1, kSegment + 100'000);
      ASSERT_TRUE(ok(rt.put(source.data(), {next_of(rt), 1, 0}, Shape(items), {Until::remote, kPatience})));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      const auto theirs = noise(previous_of(rt) + 1, kSegment + 100'000);
      for (const ListItem& item : scattered(previous_of(rt) + 3))
        ASSERT_EQ(copy_of(segment->data + item.remote, item.bytes), copy_of(theirs.data() + item.local, item.bytes));
      std::vector<std::byte> back(source.size());
      ASSERT_TRUE(ok(rt.get(back.data(), {next_of(rt), 1, 0}, Shape(items), {Until::local, kPatience})));
      for (const ListItem& item : items)
        ASSERT_EQ(copy_of(back.data() + item.local, item.bytes), copy_of(source.data() + item.local, item.bytes));
    });
  }
}

TEST(PackedTransfers, AccumulatePatchesFromAllSides) {
  constexpr std::size_t kRows = 200, kWidth = 64, kColumns = 16;
  for (const SimulatedDevice device : {SimulatedDevice::messages, SimulatedDevice::network}) {
    run_ranks(4, {.device = device}, [&](Runtime& rt) {
      auto segment = rt.create_segment({.size = kRows * kWidth * 8, .id = 1}, rt.world(), kPatience);
      ASSERT_TRUE(ok(segment));
      std::vector<double> patch(kRows * kColumns);
      for (std::size_t i = 0; i < patch.size(); ++i) patch[i] = double(i) + rt.rank();
      const double scale = 2;
      const std::size_t counts[] = {kRows};
      const std::ptrdiff_t here[] = {kColumns * 8}, there[] = {kWidth * 8};
      const Strided shape{.bytes = kColumns * 8, .counts = counts, .local_stride = here, .remote_stride = there};
      ASSERT_TRUE(ok(rt.accumulate({.op = Reduction::axpy, .type = DataType::float64, .scale = &scale}, patch.data(),
                                   {0, 1, 8}, Shape(shape), {Until::local, kPatience})));
      std::fill(patch.begin(), patch.end(), -1);
      ASSERT_TRUE(ok(rt.fence_all(kPatience)));
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      if (rt.rank() != 0) return;
      const auto data = segment->as<double>();
      for (std::size_t row = 0; row < kRows; ++row)
        for (std::size_t column = 0; column < kWidth; ++column) {
          const bool inside = column >= 1 && column <= kColumns;
          const double one = double(row * kColumns + column - 1);
          ASSERT_EQ(data[row * kWidth + column], inside ? 2 * (4 * one + 6) : 0) << row << ", " << column;
        }
    });
  }
}

TEST(PackedTransfers, RaiseTheirFlagBehindAllPieces) {
  run_ranks(2, {.device = SimulatedDevice::messages, .max_delay_ns = 100'000}, [](Runtime& rt) {
    auto segment = rt.create_segment({.size = kSegment, .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const auto items = scattered(11);
    const auto source = noise(rt.rank() + 1, kSegment + 100'000);
    ASSERT_TRUE(ok(rt.put_notify(source.data(), {next_of(rt), 1, 0}, Shape(items), {.id = 9})));
    ASSERT_TRUE(ok(rt.wait_some(1, 9, 1, kPatience)));
    const auto theirs = noise(previous_of(rt) + 1, kSegment + 100'000);
    for (const ListItem& item : items)
      ASSERT_EQ(copy_of(segment->data + item.remote, item.bytes), copy_of(theirs.data() + item.local, item.bytes));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
