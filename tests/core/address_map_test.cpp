#include <polder/address_map.hpp>

#include "core/ranks.hpp"

#include <atomic>
#include <map>
#include <thread>

namespace polder::test {
namespace {

TEST(AddressMap, FindsWhatLiesInARange) {
  AddressMap map(4);
  EXPECT_EQ(map.find(1, std::uint64_t{100}), std::nullopt);
  ASSERT_TRUE(ok(map.add(1, std::uint64_t{100}, 50, {1, 7, 1000})));
  EXPECT_EQ(map.find(1, std::uint64_t{99}), std::nullopt);
  EXPECT_EQ(map.find(1, std::uint64_t{100}), (GlobalAddress{1, 7, 1000}));
  EXPECT_EQ(map.find(1, std::uint64_t{149}), (GlobalAddress{1, 7, 1049}));
  EXPECT_EQ(map.find(1, std::uint64_t{150}), std::nullopt);
  EXPECT_EQ(map.find(2, std::uint64_t{100}), std::nullopt) << "each rank has its own";
  EXPECT_EQ(map.find(9, std::uint64_t{100}), std::nullopt) << "no such rank";
}

TEST(AddressMap, RefusesOverlapsAndStrangers) {
  AddressMap map(2);
  ASSERT_TRUE(ok(map.add(0, std::uint64_t{100}, 50, {0, 1, 0})));
  EXPECT_TRUE(fails(map.add(0, std::uint64_t{149}, 1, {0, 2, 0}), Code::exists, "rank 0"));
  EXPECT_TRUE(fails(map.add(0, std::uint64_t{50}, 51, {0, 2, 0}), Code::exists));
  EXPECT_TRUE(fails(map.add(0, std::uint64_t{90}, 100, {0, 2, 0}), Code::exists));
  EXPECT_TRUE(ok(map.add(0, std::uint64_t{150}, 10, {0, 2, 0}))) << "neighbours";
  EXPECT_TRUE(ok(map.add(0, std::uint64_t{90}, 10, {0, 3, 0}))) << "neighbours";
  EXPECT_TRUE(ok(map.add(1, std::uint64_t{100}, 50, {1, 1, 0}))) << "of another rank";
  EXPECT_TRUE(ok(map.add(0, std::uint64_t{120}, 0, {0, 4, 0}))) << "nothing";
  EXPECT_TRUE(fails(map.add(2, std::uint64_t{100}, 50, {2, 1, 0}), Code::invalid_rank, "rank 2"));
  EXPECT_TRUE(fails(map.add(0, UINT64_MAX - 5, 10, {0, 1, 0}), Code::invalid_size));
  EXPECT_FALSE(map.remove(0, std::uint64_t{101}));
  EXPECT_FALSE(map.remove(7, std::uint64_t{100}));
  EXPECT_TRUE(map.remove(0, std::uint64_t{100}));
  EXPECT_FALSE(map.remove(0, std::uint64_t{100}));
  EXPECT_EQ(map.find(0, std::uint64_t{120}), std::nullopt);
  EXPECT_EQ(map.find(0, std::uint64_t{155}), (GlobalAddress{0, 2, 5}));
}

// Against a plain map, with ranges that come and go in any order.
TEST(AddressMap, AgreesWithAReference) {
  util::Random random(5);
  AddressMap map(1);
  std::map<std::uint64_t, SegmentId> ranges;
  for (SegmentId step = 0; step < 4000; ++step) {
    const std::uint64_t slot = random.next() % 100;
    if (const auto at = ranges.find(slot); at != ranges.end()) {
      EXPECT_TRUE(map.remove(0, 1000 + slot * 10));
      ranges.erase(at);
    } else {
      ASSERT_TRUE(ok(map.add(0, 1000 + slot * 10, 7, {0, step, 0})));
      ranges[slot] = step;
    }
    const std::uint64_t probe = 990 + random.next() % 1020, in = (probe - 1000) % 10;
    const auto expected = probe < 1000 || in >= 7 ? ranges.end() : ranges.find((probe - 1000) / 10);
    const auto found = map.find(0, probe);
    if (expected == ranges.end())
      EXPECT_EQ(found, std::nullopt);
    else
      EXPECT_EQ(found, (GlobalAddress{0, expected->second, in}));
  }
}

TEST(AddressMap, IsReadWhileItChanges) {
  AddressMap map(1);
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(ok(map.add(0, 1000 * i, 100, {0, SegmentId(i), 0})));
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int round = 0; round < 2000; ++round)
      for (std::uint64_t i = 1; i < 40; i += 2) {  // odd ones come and go, even ones stay
        if (i < 20)
          EXPECT_TRUE(map.remove(0, 1000 * i));
        else
          EXPECT_TRUE(ok(map.add(0, 1000 * (i - 20) + (i % 2 == 0 ? 1 : 0), 100, {0, SegmentId(i - 20), 0})));
      }
    stop = true;
  });
  util::Random random(3);
  std::uint64_t looked = 0;
  while (!stop || looked < 1000) {
    const std::uint64_t i = random.next() % 20, offset = random.next() % 100;
    const auto found = map.find(0, 1000 * i + offset);
    if (i % 2 == 0) {
      ASSERT_EQ(found, (GlobalAddress{0, SegmentId(i), offset}));
    } else if (found) {
      ASSERT_EQ(*found, (GlobalAddress{0, SegmentId(i), offset}));
    }
    ++looked;
  }
  writer.join();
}

}  // namespace
}  // namespace polder::test
