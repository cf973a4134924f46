// Two ranks whose large puts and gets are done by the test's network card.
#pragma once

#include "network_fixture.hpp"
#include "ucx_card.hpp"

#include <algorithm>
#include <optional>

namespace polder::device::ucx {

using network::NetworkRank;
using network::piece_of;
using network::WithOption;

class UcxAccess : public testing::Test {
 protected:
  static constexpr std::size_t kSize = 256 << 10;

  // `patience`: POLDER_UCX_PEER_TIMEOUT_MS.
  explicit UcxAccess(const char* patience = "7500")
      : patience_("POLDER_UCX_PEER_TIMEOUT_MS", patience), zero_(std::in_place, 0, 2), one_(std::in_place, 1, 2) {
    if (!*zero_ || !*one_) return;
    EXPECT_TRUE(zero()->connect(1, one()->address()).ok());
    EXPECT_TRUE(one()->connect(0, zero()->address()).ok());
    control_ = expose(nullptr, sizeof(Memory));
    flags_ = import(control_);
  }

  ~UcxAccess() override {
    zero_->close();
    one_->close();
    EXPECT_EQ(card_.counts().waiting, 0u) << "accesses that nobody ended";
    EXPECT_EQ(card_.counts().keys, 0u);
    EXPECT_EQ(card_.counts().faults, 0u);
  }

  NetworkRank& zero() { return *zero_; }
  NetworkRank& one() { return *one_; }

  Exposure expose(void* memory, std::size_t bytes) {
    auto exposure = one()->expose(memory, bytes);
    EXPECT_TRUE(exposure.ok()) << exposure.status().to_string();
    return exposure.value_or({});
  }
  Region import(const Exposure& exposure) { return zero()->import(1, exposure.key, nullptr).value_or({}); }

  Status put(const Region& region, std::vector<std::byte>& source, Watch& watch, std::uint64_t offset = 0) {
    const Piece piece{source.data(), offset, source.size()};
    Status status;
    eventually([&] { return (status = zero()->put(1, region, {&piece, 1}, &watch)).code() != Code::queue_full; });
    return status;
  }
  Status put_notify(const Region& region, std::vector<std::byte>& source, std::uint32_t flag, std::uint32_t value,
                    Watch& watch, std::uint64_t offset = 0) {
    const Piece piece{source.data(), offset, source.size()};
    Status status;
    eventually([&] {
      status = zero()->put_notify(1, region, {&piece, 1}, flags_, Memory::flag(flag, value), &watch);
      return status.code() != Code::queue_full;
    });
    return status;
  }
  Status get(const Region& region, std::vector<std::byte>& back, Watch& watch) {
    const Piece piece{back.data(), 0, back.size()};
    return zero()->get(1, region, {&piece, 1}, &watch);
  }

  // Until the card does what concerns that memory: the first puts go by messages, because there is no key yet.
  void warm_up(const Region& region) {
    std::vector<std::byte> source(kSize);
    const std::size_t before = card_.counts().puts;
    ASSERT_TRUE(eventually([&] {
      Watch watch;
      return put(region, source, watch).ok() && watch.wait().ok() && card_.counts().puts > before;
    })) << "memory is never reached";
  }
  std::uint32_t flag(std::uint32_t id) const {
    return reinterpret_cast<Memory*>(control_.data)->flags[id].load(std::memory_order_acquire);
  }

  Card card_;
  WithOption patience_, on_{"POLDER_UCX_RMA", "on"}, all_{"POLDER_UCX_RMA_BYTES", "1"};
  std::optional<NetworkRank> zero_, one_;
  Exposure control_;
  Region flags_;
};

}  // namespace polder::device::ucx
