// Keys to memory: how they come, and how they go with the memory and with the link.
#include "device/wire/format/protocol.hpp"
#include "ucx_access_fixture.hpp"

namespace polder::device::ucx {
namespace {

using UcxAccessKeys = UcxAccess;

TEST_F(UcxAccessKeys, OneForEachRegionAndPeerAndNoneInTheEnd) {
  std::vector<Exposure> exposures;
  for (int i = 0; i < 5; ++i) {
    exposures.push_back(expose(nullptr, kSize));
    ASSERT_NO_FATAL_FAILURE(warm_up(import(exposures.back())));
    EXPECT_EQ(card_.counts().keys, exposures.size());
  }
  const std::size_t memories = card_.counts().memories;
  for (const Exposure& exposure : exposures) one()->conceal(exposure);
  EXPECT_TRUE(eventually([&] { return card_.counts().keys == 0; }));
  EXPECT_TRUE(eventually([&] { return card_.counts().memories == memories - exposures.size(); }));
  zero().close();
  one().close();
  EXPECT_EQ(card_.counts().memories, 0u);
}

TEST_F(UcxAccessKeys, TheyGoWithTheLink) {
  const Exposure exposure = expose(nullptr, kSize);
  ASSERT_NO_FATAL_FAILURE(warm_up(import(exposure)));
  EXPECT_EQ(card_.counts().keys, 1u);
  one().close();
  EXPECT_TRUE(eventually([&] { return card_.counts().keys == 0; }));
}

TEST_F(UcxAccessKeys, ControlMemoryHasNone) {
  const std::size_t before = card_.counts().memories;
  const Exposure exposure = expose(nullptr, wire::kPackLimit);
  EXPECT_EQ(card_.counts().memories, before) << "no access would be large enough";
  one()->conceal(exposure);
}

TEST_F(UcxAccessKeys, ConcealedMemoryStaysUntilPutsHaveEnded) {
  const Exposure exposure = expose(nullptr, kSize);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  std::vector<std::byte> source(kSize, std::byte{5}), late(kSize, std::byte{6});
  Watch watch, refused;
  card_.hold(true);
  const std::size_t memories = card_.counts().memories;
  ASSERT_TRUE(put(region, source, watch).ok());
  ASSERT_TRUE(eventually([&] { return card_.counts().waiting > 0; }));
  one()->conceal(exposure);  // returns: nobody needs that memory for anything else
  EXPECT_EQ(card_.counts().memories, memories);
  card_.hold(false);
  EXPECT_TRUE(watch.wait().ok()) << watch.status().to_string();
  EXPECT_TRUE(eventually([&] { return card_.counts().memories == memories - 1; }));
  ASSERT_TRUE(put(region, late, refused).ok());
  EXPECT_EQ(refused.wait().code(), Code::invalid_segment) << refused.status().to_string();
  EXPECT_EQ(card_.counts().faults, 0u);
}

TEST_F(UcxAccessKeys, MemoryOfTheUserComesBackWithNothingUnderWay) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::byte> mine(kSize, std::byte{1});
    const Exposure exposure = expose(mine.data(), mine.size());
    const Region region = import(exposure);
    ASSERT_NO_FATAL_FAILURE(warm_up(region));
    std::vector<std::byte> source(kSize, std::byte{2});
    std::vector<Watch> watches(4);
    for (Watch& watch : watches) ASSERT_TRUE(put(region, source, watch).ok());
    one()->conceal(exposure);
    std::fill(mine.begin(), mine.end(), std::byte{3});
    for (Watch& watch : watches) {
      const Code code = watch.wait().code();
      EXPECT_TRUE(code == Code::ok || code == Code::invalid_segment) << watch.status().to_string();
    }
    ASSERT_EQ(mine, std::vector<std::byte>(kSize, std::byte{3})) << "written after it was given back";
  }
  EXPECT_EQ(card_.counts().faults, 0u);
}

// The new memory mostly lies where the old one lay.
TEST_F(UcxAccessKeys, AnOldRegionNeverMeansNewMemory) {
  std::optional<Region> old;
  for (int round = 1; round <= 20; ++round) {
    const Exposure exposure = expose(nullptr, kSize);
    const Region region = import(exposure);
    ASSERT_NO_FATAL_FAILURE(warm_up(region));
    std::vector<std::byte> source(kSize, std::byte(round)), intruder(kSize, std::byte{0xee});
    Watch written, refused;
    ASSERT_TRUE(put(region, source, written).ok());
    ASSERT_TRUE(written.wait().ok());
    if (old) {
      ASSERT_TRUE(put(*old, intruder, refused).ok());
      EXPECT_EQ(refused.wait().code(), Code::invalid_segment);
    }
    EXPECT_TRUE(std::equal(source.begin(), source.end(), exposure.data));
    one()->conceal(exposure);
    old = region;
  }
  EXPECT_EQ(card_.counts().faults, 0u);
}

TEST_F(UcxAccessKeys, MemoryThatCannotBeRegisteredIsReachedByMessages) {
  card_.refuse_memory();
  const Exposure exposure = expose(nullptr, kSize);
  const Region region = import(exposure);
  for (int round = 1; round <= 3; ++round) {
    std::vector<std::byte> source(kSize, std::byte(round)), back(kSize);
    Watch written, read;
    ASSERT_TRUE(put(region, source, written).ok());
    ASSERT_TRUE(written.wait().ok());
    ASSERT_TRUE(get(region, back, read).ok());
    ASSERT_TRUE(read.wait().ok());
    EXPECT_EQ(back, source);
  }
  EXPECT_EQ(card_.counts().puts + card_.counts().gets, 0u);
}

TEST(UcxAccessOptions, OffAndAutomaticUseMessagesOverTcp) {
  for (const char* how : {"off", "auto"}) {
    Card card;
    const WithOption option("POLDER_UCX_RMA", how), all("POLDER_UCX_RMA_BYTES", "1");
    NetworkRank zero(0, 2), one(1, 2);
    ASSERT_TRUE(zero && one);
    ASSERT_TRUE(zero->connect(1, one->address()).ok() && one->connect(0, zero->address()).ok());
    const Exposure exposure = one->expose(nullptr, 1 << 20).value_or({});
    const Region region = zero->import(1, exposure.key, nullptr).value_or({});
    std::vector<std::byte> source(1 << 20, std::byte{7});
    const Piece piece{source.data(), 0, source.size()};
    for (int round = 0; round < 3; ++round) {
      Watch watch;
      ASSERT_TRUE(zero->put(1, region, {&piece, 1}, &watch).ok());
      ASSERT_TRUE(watch.wait().ok());
    }
    EXPECT_EQ(card.counts().puts, 0u) << how;
  }
}

}  // namespace
}  // namespace polder::device::ucx
