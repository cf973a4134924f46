// Put and get of contiguous bytes.
#include "core/ranks.hpp"

#include <algorithm>
#include <cstring>

namespace polder::test {
namespace {

class Transfer : public OnRanks {};
INSTANTIATE_TEST_SUITE_P(Worlds, Transfer, testing::ValuesIn(worlds({1, 2, 4, 8})), name_of_param);

constexpr std::size_t kSize = (1 << 20) + 64;
constexpr std::byte kUntouched{0xee};

// What a rank's segment holds after a put of `bytes` at `offset`.
std::vector<std::byte> image(std::span<const std::byte> bytes, std::size_t offset) {
  std::vector<std::byte> all(kSize, kUntouched);
  std::copy(bytes.begin(), bytes.end(), all.begin() + std::ptrdiff_t(offset));
  return all;
}

std::uint64_t seed_of(Rank rank, std::size_t bytes) {
  return rank * std::uint64_t{7919} + bytes;
}

TEST_P(Transfer, PutsChangeWhatTheyNameAndGetsBringItBack) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = kSize, .id = 0}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{4096},
                                    std::size_t{(1 << 20) + 3}, kSize}) {
      std::fill_n(segment->data, kSize, kUntouched);
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      const std::size_t offset = bytes == kSize ? 0 : 5;
      const auto source = noise(seed_of(rt.rank(), bytes), bytes);
      std::vector<std::byte> back(bytes);
      const GlobalAddress place{next_of(rt), 0, offset};
      ASSERT_TRUE(ok(rt.put(source.data(), place, bytes)));
      ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
      ASSERT_TRUE(ok(rt.get(back.data(), place, bytes)));
      ASSERT_TRUE(ok(rt.queue().wait(Completion::local, kPatience)));
      EXPECT_TRUE(source == back) << bytes << " bytes";
      ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
      const auto expected = image(noise(seed_of(previous_of(rt), bytes), bytes), offset);
      EXPECT_EQ(std::memcmp(segment->data, expected.data(), kSize), 0) << bytes << " bytes";
    }
  });
}

TEST_P(Transfer, SourceOfAPutIsFreeAtLocalCompletion) {
  run([](Runtime& rt) {
    constexpr std::size_t kCount = 50;
    auto segment = rt.create_segment({.size = kCount * sizeof(std::uint64_t), .id = 7}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      value = 1000 * rt.rank() + i;
      ASSERT_TRUE(ok(rt.put(&value, {next_of(rt), 7, i * sizeof value}, sizeof value)));
      ASSERT_TRUE(ok(rt.queue().wait(Completion::local, kPatience)));
    }
    ASSERT_TRUE(ok(rt.queue().wait(Completion::remote, kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    const auto words = segment->as<std::uint64_t>();
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(words[i], 1000 * previous_of(rt) + i);
  });
}

TEST_P(Transfer, EveryRankReachesEveryOther) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = rt.size() * sizeof(Rank), .id = 1}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    const Rank mine = rt.rank() + 100;
    for (Rank peer = 0; peer < rt.size(); ++peer)
      ASSERT_TRUE(ok(rt.put(&mine, {peer, 1, rt.rank() * sizeof mine}, sizeof mine)));
    ASSERT_TRUE(ok(rt.fence_all(kPatience)));
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    for (Rank peer = 0; peer < rt.size(); ++peer) EXPECT_EQ(segment->as<Rank>()[peer], peer + 100);
    std::vector<Rank> seen(rt.size());
    for (Rank peer = 0; peer < rt.size(); ++peer)
      ASSERT_TRUE(ok(rt.get(&seen[peer], {peer, 1, rt.rank() * sizeof mine}, sizeof mine)));
    ASSERT_TRUE(ok(rt.queue().wait(Completion::local, kPatience)));
    for (const Rank value : seen) EXPECT_EQ(value, mine);
  });
}

TEST_P(Transfer, DirectMemoryIsWhereItSaysItIs) {
  run([](Runtime& rt) {
    auto segment = rt.create_segment({.size = 4096, .id = 2, .notifications = 12}, rt.world(), kPatience);
    ASSERT_TRUE(ok(segment));
    auto remote = rt.remote_segment(next_of(rt), 2, kPatience);
    ASSERT_TRUE(ok(remote));
    EXPECT_EQ(remote->size, 4096u);
    EXPECT_EQ(remote->notifications, 12u);
    if (remote->direct != nullptr) remote->direct[9] = std::byte{77};
    ASSERT_TRUE(ok(rt.world().barrier(kPatience)));
    auto previous = rt.remote_segment(previous_of(rt), 2, kPatience);  // who reaches us where we reach it
    ASSERT_TRUE(ok(previous));
    EXPECT_EQ(segment->data[9], previous->direct != nullptr ? std::byte{77} : std::byte{0});
  });
}

}  // namespace
}  // namespace polder::test
