// expose, conceal and import.
#include "contract_fixture.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace polder::device::contract {
namespace {

using Bytes = std::vector<std::byte>;

class ContractMemory : public OverDevices {
 protected:
  void SetUp() override {
    OverDevices::SetUp();
    if (!HasFatalFailure()) start_helpers();
  }
  static void fill(const Exposure& exposure, unsigned seed) {
    for (std::size_t i = 0; i < exposure.size; ++i) exposure.data[i] = pattern(i, seed);
  }

  // What `rank` finds in memory of rank 1; nothing if the device cannot tell, or says that the memory is gone.
  std::optional<Bytes> read(Rank rank, const Region& region) {
    if (region.direct != nullptr) return Bytes(region.direct, region.direct + region.size);
    if (!region.put_get) return std::nullopt;
    Bytes bytes(region.size);
    const Piece piece{bytes.data(), 0, bytes.size()};
    Watch watch;
    if (!device(rank).get(1, region, {&piece, 1}, &watch).ok()) return std::nullopt;
    return finish(rank, watch).ok() ? std::optional(bytes) : std::nullopt;
  }
  static bool is_filled(const Bytes& bytes, unsigned seed) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (bytes[i] != pattern(i, seed)) return false;
    return true;
  }
  void expect_filled(Rank rank, const Region& region, unsigned seed) {
    const auto bytes = read(rank, region);
    if (region.direct == nullptr && !region.put_get) return;
    ASSERT_TRUE(bytes.has_value());
    EXPECT_TRUE(is_filled(*bytes, seed));
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, ContractMemory, testing::ValuesIn(all_devices()),
                         device_name<testing::TestParamInfo<DeviceKind>>);

TEST_P(ContractMemory, FreshMemoryIsZeroedAndAligned) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{64}, std::size_t{10'001}, std::size_t{1} << 20}) {
    const Exposure exposure = expose(0, nullptr, size);
    ASSERT_NE(exposure.data, nullptr);
    EXPECT_EQ(exposure.size, size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(exposure.data) % 64, 0u);
    EXPECT_TRUE(std::all_of(exposure.data, exposure.data + size, [](std::byte b) { return b == std::byte{0}; }));
    fill(exposure, 1);
    device(0).conceal(exposure);
  }
}

TEST_P(ContractMemory, OneThatWasUsedBeforeIsZeroedAgain) {
  for (int round = 0; round < 20; ++round) {
    const Exposure exposure = expose(0, nullptr, 5000);
    ASSERT_NE(exposure.data, nullptr);
    ASSERT_TRUE(std::all_of(exposure.data, exposure.data + 5000, [](std::byte b) { return b == std::byte{0}; }));
    fill(exposure, 1);
    device(0).conceal(exposure);
  }
}

TEST_P(ContractMemory, MemoryOfTheUserIsOfferedWhereItLies) {
  Bytes mine(10'000, std::byte{7});
  const auto exposure = device(1).expose(mine.data(), mine.size());
  if (exposure.status().code() == Code::unsupported) GTEST_SKIP() << "the device reaches no memory of the user";
  ASSERT_TRUE(exposure.ok()) << exposure.status().to_string();
  EXPECT_EQ(exposure->data, mine.data());
  EXPECT_EQ(exposure->size, mine.size());
  const Region region = import(0, 1, *exposure);
  EXPECT_EQ(region.size, mine.size());
  if (const auto bytes = read(0, region)) {
    EXPECT_EQ(*bytes, mine);
  }
  device(1).conceal(*exposure);
  EXPECT_TRUE(std::all_of(mine.begin(), mine.end(), [](std::byte b) { return b == std::byte{7}; }));
}

TEST_P(ContractMemory, EveryRankImportsTheSameMemory) {
  const Exposure first = expose(1, nullptr, 5000), second = expose(1, nullptr, 5000);
  fill(first, 1);
  fill(second, 2);
  for (Rank rank = 0; rank < kRanks; ++rank) {
    const Region region = import(rank, 1, first), other = import(rank, 1, second);
    EXPECT_EQ(region.size, 5000u);
    expect_filled(rank, region, 1);
    expect_filled(rank, other, 2);
    expect_filled(rank, import(rank, 1, first), 1);
  }
}

TEST_P(ContractMemory, AKeyIsJustBytes) {
  const Exposure exposure = expose(1, nullptr, 100);
  fill(exposure, 3);
  Key copy;
  std::memcpy(static_cast<void*>(&copy), &exposure.key, sizeof copy);
  const auto region = device(0).import(1, copy, nullptr);
  ASSERT_TRUE(region.ok()) << region.status().to_string();
  expect_filled(0, *region, 3);
}

TEST_P(ContractMemory, KeysThatAreNoneAreRefused) {
  const Exposure exposure = expose(1, nullptr, 100);
  Key shorter = exposure.key, longer = exposure.key, full = exposure.key;
  --shorter.size;
  ++longer.size;
  full.size = Key::kCapacity;
  for (const Key& key : {Key{}, Key::of('x'), shorter, longer, full}) {
    const auto region = device(0).import(1, key, nullptr);
    ASSERT_FALSE(region.ok()) << "a key of " << key.size << " bytes";
    EXPECT_EQ(region.status().code(), Code::invalid_argument) << region.status().to_string();
    EXPECT_NE(region.status().message().find('1'), std::string_view::npos) << "the owner is named";
  }
}

TEST_P(ContractMemory, KeysWithNonsenseInThemAreRefused) {
  Key nonsense = expose(1, nullptr, 100).key;
  std::fill_n(nonsense.bytes.begin(), nonsense.size, std::byte{0x5a});
  EXPECT_FALSE(device(0).import(1, nonsense, nullptr).ok());
}

TEST_P(ContractMemory, ConcealedMemoryKeepsItsContentOrIsGone) {
  const Exposure exposure = expose(1, nullptr, 9000);
  fill(exposure, 1);
  const Region region = import(0, 1, exposure);
  device(1).conceal(exposure);
  std::vector<Exposure> secrets;
  for (int i = 0; i < 8; ++i) {
    secrets.push_back(expose(1, nullptr, 9000));
    fill(secrets.back(), 2);
  }
  if (const auto bytes = read(0, region)) {
    EXPECT_TRUE(is_filled(*bytes, 1));
  }
  if (region.direct != nullptr) std::fill_n(region.direct, region.size, std::byte{0});
  for (const Exposure& secret : secrets)
    EXPECT_TRUE(is_filled(Bytes(secret.data, secret.data + secret.size), 2)) << "written through a stale region";
}

TEST_P(ContractMemory, AStaleKeyDoesNotOpenOtherMemory) {
  const Exposure exposure = expose(1, nullptr, 9000);
  fill(exposure, 1);
  device(1).conceal(exposure);
  for (int i = 0; i < 8; ++i) fill(expose(1, nullptr, 9000), 2);
  const auto region = device(0).import(1, exposure.key, nullptr);
  if (!region.ok()) return;
  if (const auto bytes = read(0, *region)) {
    EXPECT_TRUE(is_filled(*bytes, 1));
  }
}

TEST_P(ContractMemory, ConcealedMemoryOfTheUserIsNotReached) {
  Bytes mine(5000, std::byte{1});
  const auto exposure = device(1).expose(mine.data(), mine.size());
  if (exposure.status().code() == Code::unsupported) GTEST_SKIP() << "the device reaches no memory of the user";
  ASSERT_TRUE(exposure.ok()) << exposure.status().to_string();
  const Region region = import(0, 1, *exposure);
  if (!region.put_get) GTEST_SKIP() << "the device has no put and get for memory of the user";
  device(1).conceal(*exposure);
  std::fill(mine.begin(), mine.end(), std::byte{2});  // the user's again, for something else
  if (const auto bytes = read(0, region)) {
    EXPECT_EQ(*bytes, Bytes(5000, std::byte{1}));
  }
  std::byte intruder{3};
  const Piece piece{&intruder, 0, 1};
  Watch put;
  if (device(0).put(1, region, {&piece, 1}, &put).ok()) static_cast<void>(finish(0, put));
  EXPECT_EQ(mine, Bytes(5000, std::byte{2}));
}

TEST_P(ContractMemory, OneThatReplacesTakesThePlace) {
  const std::size_t sizes[] = {9000, 9000, 5000, 100, 9000, 50'000, 1};
  const Exposure witness = expose(1, nullptr, 3000);
  fill(witness, 99);
  const Region unharmed = import(0, 1, witness);
  Exposure exposure;
  Region region;
  unsigned seed = 0;
  for (const std::size_t size : sizes) {
    if (seed > 0) device(1).conceal(exposure);
    exposure = expose(1, nullptr, size);
    fill(exposure, ++seed);
    region = seed == 1 ? import(0, 1, exposure) : import(0, 1, exposure, &region);
    ASSERT_EQ(region.size, size);
    expect_filled(0, region, seed);
    expect_filled(0, unharmed, 99);
  }
}

TEST_P(ContractMemory, FreshMemoryMayReplaceThatOfTheUser) {
  Bytes mine(100, std::byte{1});
  const auto users = device(1).expose(mine.data(), mine.size());
  if (users.status().code() == Code::unsupported) GTEST_SKIP() << "the device reaches no memory of the user";
  ASSERT_TRUE(users.ok()) << users.status().to_string();
  const Region old = import(0, 1, *users);
  device(1).conceal(*users);
  const Exposure exposure = expose(1, nullptr, 4);
  const Region region = import(0, 1, exposure, &old);
  EXPECT_FALSE(read(0, old).has_value()) << "it is concealed, whatever took its place";
  std::fill_n(exposure.data, 4, std::byte{0});
  EXPECT_FALSE(read(0, old).has_value());
  fill(exposure, 5);
  expect_filled(0, region, 5);
}

TEST_P(ContractMemory, MayComeAndGoOften) {
  Region region;
  for (unsigned round = 0; round < 300; ++round) {
    const Exposure exposure = expose(1, nullptr, 4096 + round);
    ASSERT_NE(exposure.data, nullptr);
    fill(exposure, round);
    region = import(0, 1, exposure, round > 0 ? &region : nullptr);
    expect_filled(0, region, round);
    ASSERT_FALSE(HasFailure()) << "in round " << round;
    device(1).conceal(exposure);
  }
}

TEST_P(ContractMemory, MayComeAndGoInManyThreads) {
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (unsigned round = 0; round < 40; ++round) {
        const Exposure exposure = expose(1, nullptr, 2000);
        fill(exposure, thread + 10);
        expect_filled(0, import(0, 1, exposure), thread + 10);
        device(1).conceal(exposure);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// ---- regions that are direct ----

TEST_P(ContractMemory, ItIsKnownWhoseFreshMemoryIsDirect) {
  const Exposure exposure = expose(1, nullptr, 100);
  for (const Rank rank : {Rank{0}, Rank{2}}) {
    EXPECT_EQ(import(rank, 1, exposure).direct != nullptr, device(rank).is_direct(1)) << "at rank " << rank;
    EXPECT_EQ(device(rank).is_direct(1), device(1).is_direct(rank)) << "rank " << rank;
  }
}

TEST_P(ContractMemory, DirectRegionsAreLoadedAndStored) {
  const Exposure exposure = expose(1, nullptr, sizeof(Memory));
  const Region region = import(0, 1, exposure), other = import(2, 1, exposure);
  if (region.direct == nullptr) GTEST_SKIP() << "the device has no direct memory";
  auto& here = *reinterpret_cast<Memory*>(exposure.data);
  auto& there = *reinterpret_cast<Memory*>(region.direct);
  there.words[6] = 41;
  EXPECT_EQ(here.words[6], 41u);
  if (other.direct == nullptr) return;  // rank 2 is elsewhere
  auto& elsewhere = *reinterpret_cast<Memory*>(other.direct);
  there.words[7] = 42;
  EXPECT_EQ(here.words[7], 42u);
  EXPECT_EQ(elsewhere.words[7], 42u);
  here.words[8] = 43;
  EXPECT_EQ(there.words[8], 43u);
  elsewhere.flags[3] = 44;
  EXPECT_EQ(there.flags[3], 44u);
}

TEST_P(ContractMemory, AtomicsMeetInDirectRegions) {
  constexpr std::uint64_t kAdds = 20'000;
  const Exposure exposure = expose(1, nullptr, sizeof(Memory));
  if (import(0, 1, exposure).direct == nullptr) GTEST_SKIP() << "the device has no direct memory";
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < kRanks; ++rank) {
    const Region region = import(rank, 1, exposure);
    if (region.direct == nullptr) continue;
    threads.emplace_back([region] {
      auto& memory = *reinterpret_cast<Memory*>(region.direct);
      for (std::uint64_t i = 0; i < kAdds; ++i) memory.words[1].fetch_add(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(reinterpret_cast<Memory*>(exposure.data)->words[1], threads.size() * kAdds);
}

TEST_P(ContractMemory, ABellInADirectRegionWakesItsOwner) {
  const Exposure exposure = expose(1, nullptr, sizeof(Memory));
  const Region region = import(0, 1, exposure);
  if (region.direct == nullptr) GTEST_SKIP() << "the device has no direct memory";
  auto& here = *reinterpret_cast<Memory*>(exposure.data);
  auto& there = *reinterpret_cast<Memory*>(region.direct);
  const std::int64_t before = util::now_ns();
  std::thread sleeper([&] {
    util::Bell::Listener listener(here.bell);
    if (here.flags[0] == 0) listener.sleep(10'000'000'000);
    EXPECT_EQ(here.flags[0], 1u);
  });
  std::this_thread::sleep_for(2ms);
  there.flags[0] = 1;
  there.bell.ring();
  sleeper.join();
  EXPECT_LT(util::now_ns() - before, 5'000'000'000);
}

// Mappings of what stands beside memory of the user, in this process.
int mapped_grants() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) found += line.find("polder-grant") != std::string::npos;
  return found;
}

TEST_P(ContractMemory, OfTheUserMayComeAndGoOften) {
  Region region;
  int after_the_first = 0;
  for (unsigned round = 0; round < 100; ++round) {
    Bytes mine(100 + round, std::byte(round));
    const auto users = device(1).expose(mine.data(), mine.size());
    if (users.status().code() == Code::unsupported) GTEST_SKIP() << "the device reaches no memory of the user";
    ASSERT_TRUE(users.ok()) << users.status().to_string();
    const Region old = region;
    region = import(0, 1, *users, round == 0 ? nullptr : &old);
    ASSERT_EQ(region.size, mine.size());
    if (region.put_get) {
      const auto bytes = read(0, region);
      ASSERT_TRUE(bytes.has_value());
      EXPECT_EQ(*bytes, mine);
      if (round != 0) {
        EXPECT_FALSE(read(0, old).has_value()) << "it is concealed, whatever took its place";
      }
    }
    device(1).conceal(*users);
    if (round == 0) after_the_first = mapped_grants();
  }
  EXPECT_EQ(mapped_grants(), after_the_first);
}

}  // namespace
}  // namespace polder::device::contract
