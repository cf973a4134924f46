#include "sim_fixture.hpp"

namespace polder::device::sim {
namespace {

TEST(SimMemory, FreshMemoryIsZeroedAndAligned) {
  Network network({.ranks = 1});
  auto exposure = network.device(0).expose(nullptr, 10'000);
  ASSERT_TRUE(exposure.ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(exposure->data) % 64, 0u);
  for (std::size_t i = 0; i < exposure->size; ++i) ASSERT_EQ(exposure->data[i], std::byte{0});
  network.device(0).conceal(*exposure);
}

TEST(SimMemory, MemoryOfTheUserIsReached) {
  Network network({.ranks = 2});
  std::vector<std::uint64_t> mine(100, 3);
  auto exposure = network.device(1).expose(mine.data(), mine.size() * 8);
  ASSERT_TRUE(exposure.ok());
  EXPECT_EQ(exposure->data, reinterpret_cast<std::byte*>(mine.data()));
  auto region = network.device(0).import(1, exposure->key, nullptr);
  ASSERT_TRUE(region.ok());
  std::uint64_t value = 8;
  const Piece piece{reinterpret_cast<std::byte*>(&value), 99 * 8, 8};
  Watch watch;
  ASSERT_TRUE(network.device(0).put(1, *region, {&piece, 1}, &watch).ok());
  ASSERT_TRUE(watch.wait().ok());
  EXPECT_EQ(mine[99], 8u);
  EXPECT_EQ(mine[98], 3u);
}

// False: the put was carried out before the memory was concealed, because this thread was not given a core for long.
bool conceals_in_time(Network& network) {
  std::uint64_t mine = 3, value = 8;
  auto exposure = network.device(1).expose(&mine, 8);
  auto region = network.device(0).import(1, exposure->key, nullptr);
  EXPECT_TRUE(region.ok()) << region.status().to_string();
  const Piece piece{reinterpret_cast<std::byte*>(&value), 0, 8};
  Watch under_way, later;
  EXPECT_TRUE(network.device(0).put(1, *region, {&piece, 1}, &under_way).ok());
  network.device(1).conceal(*exposure);
  const std::uint64_t concealed = mine;
  EXPECT_TRUE(network.device(0).put(1, *region, {&piece, 1}, &later).ok());
  EXPECT_EQ(under_way.wait().code(), concealed == 3 ? Code::invalid_segment : Code::ok);
  EXPECT_EQ(later.wait().code(), Code::invalid_segment);
  EXPECT_EQ(mine, concealed);
  EXPECT_EQ(network.device(0).import(1, exposure->key, nullptr).status().code(), Code::invalid_segment);
  return concealed == 3;
}

TEST(SimMemory, ConcealedMemoryIsNotTouchedAnyMore) {
  Network network({.ranks = 2, .min_delay_ns = 20'000'000, .max_delay_ns = 20'000'000});
  int turns = 1;
  while (turns < 100 && !conceals_in_time(network)) ++turns;
  EXPECT_LT(turns, 100);
}

TEST(SimMemory, DirectRegionIsTheMemoryItself) {
  Network network({.ranks = 2, .direct = true});
  const Region region = network.region(0, 1);
  ASSERT_EQ(region.direct, network.exposure(1).data);
  EXPECT_FALSE(network.device(0).capabilities().needs_progress);
  std::uint64_t mine = 0;
  auto users = network.device(1).expose(&mine, 8);
  ASSERT_TRUE(users.ok());
  auto reached = network.device(0).import(1, users->key, nullptr);
  ASSERT_TRUE(reached.ok());
  EXPECT_EQ(reached->direct, nullptr) << "memory of the user is not shared memory";
  EXPECT_TRUE(reached->put_get);
}

TEST(SimMemory, DirectRegionStaysReadableAfterItsOwnerHasGone) {
  Network network({.ranks = 2, .direct = true});
  const Region region = network.region(0, 1);
  network.memory(1).words[0] = 7;
  network.device(1).conceal(network.exposure(1));
  network.close(1);
  EXPECT_EQ(reinterpret_cast<Memory*>(region.direct)->words[0], 7u);
}

TEST(SimMemory, AbilitiesAreAsTheOptionsSay) {
  Network network({.ranks = 2, .put_get = false, .atomics = false});
  const Region region = network.region(0, 1);
  EXPECT_EQ(region.direct, nullptr);
  EXPECT_FALSE(region.put_get);
  EXPECT_FALSE(region.atomics);
  EXPECT_TRUE(network.device(0).capabilities().needs_progress);
  std::uint64_t value = 0;
  Watch watch;
  EXPECT_EQ(network.put(0, 1, &value, 0, &watch).code(), Code::unsupported);
  EXPECT_EQ(network.notify(0, 1, Memory::flag(0), &watch).code(), Code::unsupported);
  EXPECT_EQ(network.atomic(0, 1, {}, &watch).code(), Code::unsupported);
}

TEST(SimMemory, KeysAndAddressesOfOthersAreRefused) {
  Network network({.ranks = 2}), other({.ranks = 2});
  EXPECT_EQ(network.device(0).import(1, Key::of(7), nullptr).status().code(), Code::invalid_argument);
  EXPECT_EQ(network.device(0).import(1, network.exposure(0).key, nullptr).status().code(), Code::invalid_segment)
      << "this memory is of rank 0";
  EXPECT_EQ(network.device(0).connect(1, other.device(1).address()).code(), Code::invalid_argument);
  EXPECT_EQ(network.device(0).connect(1, network.device(0).address()).code(), Code::invalid_argument);
  EXPECT_EQ(network.device(0).connect(1, {}).code(), Code::invalid_argument);
}

TEST(SimFabric, OptionsThatMakeNoSenseAreRefused) {
  const FabricOptions wrong[] = {{.ranks = 0},         {.min_delay_ns = 2, .max_delay_ns = 1},
                                 {.min_delay_ns = -1}, {.detection_ns = -1},
                                 {.max_message = 100}, {.queue_depth = 0}};
  for (const FabricOptions& options : wrong) EXPECT_EQ(Fabric::create(options).status().code(), Code::invalid_argument);
}

TEST(SimFabric, ARankHasOneDevice) {
  auto fabric = Fabric::create({.ranks = 2});
  ASSERT_TRUE(fabric.ok());
  auto first = (*fabric)->device(0);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*fabric)->device(0).status().code(), Code::exists);
  EXPECT_EQ((*fabric)->device(2).status().code(), Code::invalid_rank);
}

}  // namespace
}  // namespace polder::device::sim
