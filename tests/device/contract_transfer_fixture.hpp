// Rank 1's memory as ranks 0 and 2 reach it through put and get.
#pragma once

#include "contract_fixture.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>
#include <vector>

namespace polder::device::contract {

enum class Origin { fresh, user };  // who allocated the memory

using TransferCase = std::tuple<DeviceKind, Origin>;

inline auto all_transfers() {
  return testing::Combine(testing::ValuesIn(all_devices()), testing::Values(Origin::fresh, Origin::user));
}

inline std::string transfer_name(const testing::TestParamInfo<TransferCase>& info) {
  const bool fresh = std::get<1>(info.param) == Origin::fresh;
  return std::get<0>(info.param).name + std::string(fresh ? "_fresh" : "_user");
}

class OverTransfers : public World, public testing::WithParamInterface<TransferCase> {
 protected:
  static constexpr Rank kTarget = 1;
  static constexpr std::size_t kSize = std::size_t{2} << 20;

  void SetUp() override {
    build(std::get<0>(GetParam()));
    if (HasFatalFailure()) return;
    const bool user = std::get<1>(GetParam()) == Origin::user;
    if (user) users_.resize(kSize / sizeof(std::uint64_t));
    auto exposure = device(kTarget).expose(user ? users_.data() : nullptr, kSize);
    if (exposure.status().code() == Code::unsupported) GTEST_SKIP() << "the device reaches no memory of the user";
    ASSERT_TRUE(exposure.ok()) << exposure.status().to_string();
    exposure_ = *exposure;
    control_ = expose(kTarget, nullptr, sizeof(Memory));
    for (Rank rank = 0; rank < kRanks; ++rank) {
      regions_[rank] = import(rank, kTarget, exposure_);
      controls_[rank] = import(rank, kTarget, control_);
    }
    const auto lacks_put_get = [](const Region& region) { return !region.put_get; };
    if (std::any_of(std::begin(regions_), std::end(regions_), lacks_put_get))
      GTEST_SKIP() << (regions_[0].direct != nullptr ? "such memory is loaded and stored: no put and get"
                                                     : "the device has no put and get for such memory");
    start_helpers();
  }
  void TearDown() override { stop_helpers(); }

  // The memory as its owner sees it.
  std::byte* memory() const { return exposure_.data; }
  std::atomic_ref<std::uint64_t> word(std::size_t index) const {
    return std::atomic_ref(reinterpret_cast<std::uint64_t*>(memory())[index]);
  }
  Memory& control() const { return *reinterpret_cast<Memory*>(control_.data); }
  void fill(unsigned seed) const {
    for (std::size_t i = 0; i < kSize; ++i) memory()[i] = pattern(i, seed);
  }

  Status put(Rank rank, std::span<const Piece> pieces, Watch* watch) {
    return device(rank).put(kTarget, regions_[rank], pieces, watch);
  }
  Status get(Rank rank, std::span<const Piece> pieces, Watch* watch) {
    return device(rank).get(kTarget, regions_[rank], pieces, watch);
  }
  Status put_notify(Rank rank, std::span<const Piece> pieces, const Flag& flag, Watch* watch) {
    return device(rank).put_notify(kTarget, regions_[rank], pieces, controls_[rank], flag, watch);
  }

  // As put and put_notify, but tries again while the device says queue_full.
  Status put_patiently(Rank rank, std::span<const Piece> pieces, Watch* watch) {
    return patiently([&] { return put(rank, pieces, watch); });
  }
  Status put_notify_patiently(Rank rank, std::span<const Piece> pieces, const Flag& flag, Watch* watch) {
    return patiently([&] { return put_notify(rank, pieces, flag, watch); });
  }

  Exposure exposure_, control_;
  Region regions_[kRanks], controls_[kRanks];

 private:
  template <class Post>
  static Status patiently(Post&& post) {
    Status status;
    eventually([&] { return (status = post()).code() != Code::queue_full; });
    return status;
  }

  std::vector<std::uint64_t> users_;  // words: atomics may meet there
};

inline Piece piece_of(void* local, std::uint64_t remote, std::uint64_t bytes) {
  return {static_cast<std::byte*>(local), remote, bytes};
}

}  // namespace polder::device::contract
