// atomic, where the device claims it.
#include "contract_transfer_fixture.hpp"

#include <algorithm>

namespace polder::device::contract {
namespace {

class ContractAtomic : public OverTransfers {
 protected:
  void SetUp() override {
    OverTransfers::SetUp();
    const auto lacks_atomics = [](const Region& region) { return !region.atomics; };
    if (!IsSkipped() && !HasFatalFailure() && std::any_of(std::begin(regions_), std::end(regions_), lacks_atomics))
      GTEST_SKIP() << "the device has no atomics for such memory";
  }
  // Carries out `request` for `rank` and waits for it.
  Status atomic(Rank rank, const AtomicRequest& request) {
    Watch watch;
    Status status;
    eventually([&] {
      status = device(rank).atomic(kTarget, regions_[rank], request, &watch);
      return status.code() != Code::queue_full;
    });
    return status.ok() ? finish(rank, watch) : status;
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, ContractAtomic, all_transfers(), transfer_name);

struct Case {
  AtomicOp op;
  std::uint64_t before, operand, compare, after;
};

TEST_P(ContractAtomic, EveryOperationInBothWidths) {
  const Case cases[] = {
      {AtomicOp::fetch_add, 10, 5, 0, 15},         {AtomicOp::swap, 10, 5, 0, 5},
      {AtomicOp::compare_swap, 10, 5, 10, 5},      {AtomicOp::compare_swap, 10, 5, 11, 10},
      {AtomicOp::fetch_and, 0b1100, 0b1010, 0, 8}, {AtomicOp::fetch_or, 0b1100, 0b1010, 0, 14},
      {AtomicOp::fetch_xor, 0b1100, 0b1010, 0, 6},
  };
  for (const Case& c : cases)
    for (const std::uint8_t width : {4, 8}) {
      SCOPED_TRACE("op " + std::to_string(int(c.op)) + " width " + std::to_string(width));
      // What lies beside a word of 4 bytes, in memory and in the operands, must not matter.
      const std::uint64_t high = width == 4 ? 0xabcd'0000'0000'0000 : 0;
      word(1) = c.before | high;
      std::uint64_t old = ~0ull;
      ASSERT_TRUE(atomic(0, {.op = c.op,
                             .width = width,
                             .offset = 8,
                             .operand = c.operand | high << 1,
                             .compare = c.compare | high << 1,
                             .old = &old})
                      .ok());
      EXPECT_EQ(old, c.before) << "zero-extended";
      EXPECT_EQ(word(1), c.after | high);
    }
}

TEST_P(ContractAtomic, NobodyNeedAskForTheOldValue) {
  ASSERT_TRUE(atomic(0, {.offset = 16, .operand = 3}).ok());
  EXPECT_EQ(word(2), 3u);
}

TEST_P(ContractAtomic, AreAtomicAmongAllRanks) {
  constexpr std::uint64_t kAdds = 200;
  std::vector<std::uint64_t> old(kRanks * kAdds);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      for (std::uint64_t i = 0; i < kAdds; ++i)
        ASSERT_TRUE(atomic(rank, {.offset = 8, .operand = 1, .old = &old[rank * kAdds + i]}).ok());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(word(1), kRanks * kAdds);
  std::sort(old.begin(), old.end());
  for (std::uint64_t i = 0; i < old.size(); ++i) ASSERT_EQ(old[i], i) << "each value is seen by one";
}

TEST_P(ContractAtomic, DisconnectedPeersAreRefused) {
  device(0).disconnect(kTarget);
  EXPECT_EQ(atomic(0, {.offset = 8, .operand = 1}).code(), Code::peer_failed);
  ASSERT_TRUE(connect(0, kTarget).ok());
  EXPECT_TRUE(atomic(0, {.offset = 8, .operand = 1}).ok());
  EXPECT_EQ(word(1), 1u);
}

}  // namespace
}  // namespace polder::device::contract
