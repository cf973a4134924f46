// Strided and listed transfers against a plain loop.
#include "core/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <utility>

namespace polder::test {
namespace {

class Shapes : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Shapes, testing::ValuesIn(worlds({1, 4})), name_of_param);

// Where pieces of a shape lie at both sides, and how much room that takes.
struct Side {
  std::ptrdiff_t lowest = 0;
  std::ptrdiff_t highest = 0;

  void include(std::ptrdiff_t reach) { (reach < 0 ? lowest : highest) += reach; }
  std::size_t extent() const { return std::size_t(highest - lowest); }
  std::size_t base() const { return std::size_t(-lowest); }  // of the first piece
};

// A strided shape whose pieces do not overlap.
struct RandomShape {
  RandomShape(util::Random& random, std::size_t levels) : bytes(1 + random.below(24)), level_count(levels) {
    local.highest = remote.highest = std::ptrdiff_t(bytes);
    for (std::size_t level = 0; level < levels; ++level) {
      counts[level] = 1 + random.below(levels > 5 ? 2 : 3);
      local_stride[level] = stride(random, local);
      remote_stride[level] = stride(random, remote);
      local.include(local_stride[level] * std::ptrdiff_t(counts[level] - 1));
      remote.include(remote_stride[level] * std::ptrdiff_t(counts[level] - 1));
    }
  }

  static std::ptrdiff_t stride(util::Random& random, const Side& side) {
    const auto step = std::ptrdiff_t(side.extent() + random.below(9));
    return random.below(2) == 0 ? step : -step;
  }

  Strided strided() const {
    return {bytes, std::span(counts.data(), level_count), std::span(local_stride.data(), level_count),
            std::span(remote_stride.data(), level_count)};
  }

  // Calls visit(local, remote) with the offsets of each piece.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::size_t pieces = 1;
    for (std::size_t level = 0; level < level_count; ++level) pieces *= counts[level];
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      auto l = std::ptrdiff_t(local.base()), r = std::ptrdiff_t(remote.base());
      std::size_t rest = piece;
      for (std::size_t level = 0; level < level_count; ++level) {
        l += local_stride[level] * std::ptrdiff_t(rest % counts[level]);
        r += remote_stride[level] * std::ptrdiff_t(rest % counts[level]);
        rest /= counts[level];
      }
      visit(std::size_t(l), std::size_t(r));
    }
  }

  std::size_t bytes;
  std::size_t level_count;
  std::array<std::size_t, Strided::kMaxLevels> counts{};
  std::array<std::ptrdiff_t, Strided::kMaxLevels> local_stride{}, remote_stride{};
  Side local, remote;
};

TEST_P(Shapes, StridedOfEveryDepthAgreesWithALoop) {
  run([](Runtime& rt) {
    constexpr std::size_t kRoom = 1 << 20;
    auto segment = rt.create_segment({.size = kRoom, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (std::size_t levels = 0; levels <= Strided::kMaxLevels; ++levels) {
      util::Random mine(1000 * levels + rt.rank()), theirs(1000 * levels + previous_of(rt));
      const RandomShape shape(mine, levels), arriving(theirs, levels);
      ASSERT_LE(shape.remote.extent(), kRoom);
      std::fill_n(segment->data, kRoom, std::byte{0});
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));

      const auto source = noise(levels * 64 + rt.rank(), shape.local.extent());
      const GlobalAddress place{next_of(rt), 0, shape.remote.base()};
      ASSERT_TRUE(ok(rt.put(source.data() + shape.local.base(), place, shape.strided())));
      ASSERT_TRUE(ok(rt.fence(next_of(rt), kPatience)));
      std::vector<std::byte> back(source.size()), expected_back(source.size());
      ASSERT_TRUE(ok(rt.get(back.data() + shape.local.base(), place, shape.strided())));
      ASSERT_TRUE(ok(rt.queue().wait(Completion::local, kPatience)));
      shape.for_each([&](std::size_t l, std::size_t) { std::copy_n(&source[l], shape.bytes, &expected_back[l]); });
      EXPECT_TRUE(back == expected_back) << levels << " levels";

      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      const auto sent = noise(levels * 64 + previous_of(rt), arriving.local.extent());
      std::vector<std::byte> expected(kRoom);
      arriving.for_each([&](std::size_t l, std::size_t r) { std::copy_n(&sent[l], arriving.bytes, &expected[r]); });
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), segment->data)) << levels << " levels";
    }
  });
}

TEST_P(Shapes, ACountOfZeroMovesNothing) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 64, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const std::array<std::size_t, 3> counts{2, 0, 3};
    const std::array<std::ptrdiff_t, 3> strides{1 << 20, -(1 << 20), 1 << 30};  // none of them is walked
    const Strided strided{8, counts, strides, strides};
    const std::uint64_t value = ~std::uint64_t{0};
    ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 0, 0}, strided)));
    ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 0, 64}, std::span<const ListItem>())));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    EXPECT_TRUE(std::all_of(segment->data, segment->data + 64, [](std::byte b) { return b == std::byte{0}; }));
  });
}

// More pieces than any batch holds, empty ones among them, some larger than a message.
std::vector<ListItem> long_list(std::size_t count) {
  std::vector<ListItem> items;
  std::ptrdiff_t local = 0, remote = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = i % 11 == 0 ? 0 : i % 97 == 1 ? 40'000 : i % 13;
    items.push_back({local, remote, bytes});
    local += std::ptrdiff_t(bytes + 1);
    remote += std::ptrdiff_t(bytes + 2);
  }
  std::reverse(items.begin(), items.end());
  return items;
}

TEST_P(Shapes, ListsOfManyPieces) {
  run([](Runtime& rt) {
    const std::vector<ListItem> items = long_list(300);
    const std::size_t local_room = std::size_t(items.front().local) + 16, room = std::size_t(items.front().remote) + 16;
    auto segment = rt.create_segment({.size = room, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const auto source = noise(rt.rank(), local_room), arriving = noise(previous_of(rt), local_room);
    const Shape shape{std::span<const ListItem>(items)};
    ASSERT_TRUE(ok(rt.put_notify(source.data(), {next_of(rt), 0, 0}, shape, {.id = 3, .value = 9})));
    ASSERT_TRUE(ok(rt.wait_some(0, 3, 1, kPatience)));
    std::vector<std::byte> expected(room);
    for (const ListItem& item : items)
      std::copy_n(arriving.begin() + item.local, item.bytes, expected.begin() + item.remote);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), segment->data));

    std::vector<std::byte> back(local_room), expected_back(local_room);
    ASSERT_TRUE(ok(rt.fence(next_of(rt), kPatience)));  // without it a get may overtake the put
    ASSERT_TRUE(ok(rt.get_notify(back.data(), {next_of(rt), 0, 0}, shape, {.id = 4, .value = 5, .segment = 0})));
    ASSERT_TRUE(ok(rt.wait_some(0, 4, 1, kPatience)));
    for (const ListItem& item : items)
      std::copy_n(source.begin() + item.local, item.bytes, expected_back.begin() + item.local);
    EXPECT_TRUE(back == expected_back);
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
  });
}

}  // namespace
}  // namespace polder::test
