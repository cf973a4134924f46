// What reaches into memory keeps its order with what travels in messages.
#include "device/wire/link/accesses.hpp"
#include "ucx_access_fixture.hpp"

#include <random>

namespace polder::device::ucx {
namespace {

using UcxAccessOrder = UcxAccess;

TEST_F(UcxAccessOrder, NoFlagOvertakesTheDataBeforeIt) {
  constexpr std::uint32_t kRounds = 200;
  const Exposure exposure = expose(nullptr, kRounds * kSize / 4);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  std::vector<std::vector<std::byte>> sources;
  for (std::uint32_t i = 0; i < kRounds; ++i) sources.emplace_back(kSize / 4, std::byte(i % 250 + 1));
  std::vector<Watch> watches(2 * kRounds);
  std::thread reader([&] {
    for (std::uint32_t i = 0; i < kRounds; ++i) {
      ASSERT_TRUE(eventually([&] { return flag(i % 64) > i / 64; })) << "flag " << i;
      const std::byte* data = exposure.data + i * kSize / 4;
      ASSERT_TRUE(std::equal(data, data + kSize / 4, sources[i].begin())) << "flag " << i << " came before its data";
    }
  });
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    // Every third time the data comes with a put of its own.
    if (i % 3 == 0) {
      EXPECT_TRUE(put(region, sources[i], watches[2 * i], i * kSize / 4).ok());
      std::vector<std::byte> none;
      EXPECT_TRUE(put_notify(region, none, i % 64, i / 64 + 1, watches[2 * i + 1]).ok());
    } else {
      EXPECT_TRUE(put_notify(region, sources[i], i % 64, i / 64 + 1, watches[2 * i + 1], i * kSize / 4).ok());
    }
  }
  reader.join();
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    EXPECT_TRUE(watches[2 * i + 1].wait().ok());
    if (i % 3 == 0) {
      EXPECT_TRUE(watches[2 * i].wait().ok());
    }
  }
  EXPECT_EQ(card_.counts().faults, 0u);
}

TEST_F(UcxAccessOrder, NoMessageOvertakesTheDataBeforeIt) {
  const Exposure exposure = expose(nullptr, kSize);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  for (std::size_t i = 1; i <= 30; ++i) {
    std::vector<std::byte> source(kSize, std::byte(i));
    Watch watch;
    ASSERT_TRUE(put(region, source, watch).ok());
    ASSERT_TRUE(zero()->send(1, 1, bytes_of("look"), {}).ok());
    ASSERT_TRUE(eventually([&] { return one().mail().size() == i; }));
    ASSERT_TRUE(std::equal(source.begin(), source.end(), exposure.data)) << "round " << i;
    ASSERT_TRUE(watch.wait().ok());
  }
}

// A put is done when it is there, not when the source is free.
TEST_F(UcxAccessOrder, TheEndOfAPutMeansThatItIsThere) {
  const Exposure exposure = expose(nullptr, 3 * wire::kAccessBytes + 77);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  for (std::size_t i = 1; i <= 10; ++i) {
    std::vector<std::byte> source(exposure.size, std::byte(i)), back(exposure.size);
    Watch written, read;
    ASSERT_TRUE(put(region, source, written).ok());
    ASSERT_TRUE(written.wait().ok());
    ASSERT_TRUE(std::equal(source.begin(), source.end(), exposure.data)) << "round " << i;
    ASSERT_TRUE(get(region, back, read).ok());
    ASSERT_TRUE(read.wait().ok());
    ASSERT_EQ(back, source);
  }
  EXPECT_GT(card_.counts().gets, 0u);
}

TEST_F(UcxAccessOrder, LargeAndSmallPiecesEndTogether) {
  const Exposure exposure = expose(nullptr, 4 * kSize);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  for (unsigned round = 1; round <= 30; ++round) {
    std::vector<std::byte> source(4 * kSize, std::byte(round));
    const Piece pieces[] = {{source.data(), 0, 64},
                            {source.data(), 64, kSize},
                            {source.data(), 64 + kSize, 100},
                            {source.data(), 164 + kSize, 2 * kSize}};
    Watch watch;
    ASSERT_TRUE(zero()->put(1, region, pieces, &watch).ok());
    ASSERT_TRUE(watch.wait().ok());
    ASSERT_TRUE(std::equal(source.begin(), source.begin() + 164 + 3 * kSize, exposure.data)) << "round " << round;
  }
}

TEST_F(UcxAccessOrder, APutIsNotDoneBeforeItsSmallPiecesAre) {
  const Exposure exposure = expose(nullptr, 2 * kSize);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  one().stop_helper();  // nothing is carried out there now
  std::vector<std::byte> source(2 * kSize, std::byte{3});
  const Piece pieces[] = {{source.data(), 0, 64}, {source.data() + 64, 64, kSize}};
  Watch watch;
  const std::size_t before = card_.counts().puts;
  ASSERT_TRUE(zero()->put(1, region, pieces, &watch).ok());
  ASSERT_TRUE(eventually([&] { return card_.counts().puts > before && card_.counts().waiting == 0; }));
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(watch.is_done());
  ASSERT_TRUE(eventually([&] { return one().poll(), watch.is_done(); }));
  EXPECT_TRUE(watch.status().ok());
  EXPECT_TRUE(std::equal(source.begin(), source.begin() + 64 + kSize, exposure.data));
}

// From memory that is Polder's own. What is the caller's is copied first, one put after the other.
TEST_F(UcxAccessOrder, SeveralLargePutsAreUnderWayAtOnce) {
  constexpr std::uint32_t kPuts = 8;
  const Exposure exposure = expose(nullptr, kPuts * kSize);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  std::vector<std::byte> source(kSize, std::byte{9});
  zero()->own(source.data(), source.size());
  std::vector<Watch> watches(kPuts);
  card_.hold(true);
  const std::size_t before = card_.counts().puts;
  for (std::uint32_t i = 0; i < kPuts; ++i) ASSERT_TRUE(put_notify(region, source, i, 1, watches[i], i * kSize).ok());
  EXPECT_TRUE(eventually([&] { return card_.counts().puts == before + kPuts; }))
      << card_.counts().puts - before << " puts are under way";
  for (std::uint32_t i = 0; i < kPuts; ++i) EXPECT_EQ(flag(i), 0u) << "before the data";
  card_.hold(false);
  for (Watch& watch : watches) EXPECT_TRUE(watch.wait().ok());
  for (std::uint32_t i = 0; i < kPuts; ++i) EXPECT_EQ(flag(i), 1u);
}

// Large and small ones over the same bytes, some with a flag: the memory must end as if one had followed the other.
TEST_F(UcxAccessOrder, PutsOfAnySizeEndAsIfTheyCameOneAfterTheOther) {
  constexpr std::size_t kPuts = 300;
  const Exposure exposure = expose(nullptr, kSize);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  std::mt19937 random(11);
  std::vector<std::byte> wanted(exposure.data, exposure.data + kSize);
  std::vector<std::vector<std::byte>> sources;
  std::vector<Watch> watches(kPuts);
  for (std::size_t i = 0; i < kPuts; ++i) {
    const std::size_t bytes = random() % 3 == 0 ? 1 + random() % 200 : 1 + random() % (kSize / 2);
    const std::size_t offset = random() % (kSize - bytes + 1);
    sources.emplace_back(bytes, std::byte(i % 255 + 1));
    std::copy(sources[i].begin(), sources[i].end(), wanted.begin() + std::ptrdiff_t(offset));
    const Status status = random() % 4 == 0 ? put_notify(region, sources[i], 1, 1, watches[i], offset)
                                            : put(region, sources[i], watches[i], offset);
    ASSERT_TRUE(status.ok()) << status.to_string();
  }
  for (Watch& watch : watches) ASSERT_TRUE(watch.wait().ok()) << watch.status().to_string();
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), exposure.data));
}

// As letters do: what is unawaited touches nothing that is under way.
TEST_F(UcxAccessOrder, AnAccessDoesNotWaitForWhatIsUnawaited) {
  const Exposure exposure = expose(nullptr, 2 * kSize);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  one().stop_helper();  // nothing is carried out or acknowledged there now
  std::vector<std::byte> small(64, std::byte{3}), large(kSize, std::byte{4});
  const Piece letter{small.data(), 8, small.size()};
  device::Flag flag = Memory::flag(1, 1);
  flag.unawaited = true;
  Watch first, second;
  const std::size_t before = card_.counts().puts;
  ASSERT_TRUE(zero()->put_notify(1, region, {&letter, 1}, flags_, flag, &first).ok());
  ASSERT_TRUE(put(region, large, second).ok());
  EXPECT_TRUE(eventually([&] { return card_.counts().puts > before; }));
  ASSERT_TRUE(eventually([&] { return one().poll(), first.is_done() && second.is_done(); }));
}

TEST_F(UcxAccessOrder, AWrongRangeIsRefusedByTheTarget) {
  const Exposure exposure = expose(nullptr, kSize);
  const Region region = import(exposure);
  ASSERT_NO_FATAL_FAILURE(warm_up(region));
  std::vector<std::byte> bytes(kSize);
  for (const std::uint64_t offset : {std::uint64_t{1}, std::uint64_t{kSize}, ~std::uint64_t{0} - 7}) {
    const Piece piece{bytes.data(), offset, bytes.size()};
    Watch written, read;
    ASSERT_TRUE(zero()->put(1, region, {&piece, 1}, &written).ok());
    ASSERT_TRUE(zero()->get(1, region, {&piece, 1}, &read).ok());
    EXPECT_EQ(written.wait().code(), Code::invalid_offset);
    EXPECT_EQ(read.wait().code(), Code::invalid_offset);
  }
  EXPECT_EQ(card_.counts().faults, 0u);
}

}  // namespace
}  // namespace polder::device::ucx
