// Capabilities::in_order, where the device claims it: what is posted is carried out in that order.
#include "contract_transfer_fixture.hpp"

namespace polder::device::contract {
namespace {

class ContractOrder : public OverTransfers {
 protected:
  void SetUp() override {
    OverTransfers::SetUp();
    if (!IsSkipped() && !HasFatalFailure() && !device(0).capabilities().in_order)
      GTEST_SKIP() << "the device keeps no order";
  }
  Status get_patiently(std::span<const Piece> pieces, Watch* watch) {
    Status status;
    eventually([&] { return (status = get(0, pieces, watch)).code() != Code::queue_full; });
    return status;
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, ContractOrder, all_transfers(), transfer_name);

// Large ones, which travel in parts, and small ones, which are packed, over the same bytes.
constexpr std::size_t kSizes[] = {8, 300'000, 64, 4096, 200'000, 4104, 16, 70'000};
constexpr std::size_t kLargest = 300'000;

TEST_P(ContractOrder, TheLastPutStays) {
  for (unsigned round = 0; round < 4; ++round) {
    std::vector<std::vector<std::byte>> sources;
    std::vector<Watch> watches(std::size(kSizes));
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
      const std::size_t bytes = kSizes[(i + round) % std::size(kSizes)];
      sources.emplace_back(bytes, std::byte(i + 1));
      const Piece piece{sources.back().data(), 0, bytes};
      ASSERT_TRUE(put_patiently(0, {&piece, 1}, &watches[i]).ok());
    }
    for (Watch& watch : watches) ASSERT_TRUE(finish(0, watch).ok());
    std::vector<std::byte> wanted(kLargest);
    for (const auto& source : sources) std::copy(source.begin(), source.end(), wanted.begin());
    ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), memory())) << "round " << round;
  }
}

TEST_P(ContractOrder, AGetSeesThePutsBeforeIt) {
  constexpr std::size_t kGets = std::size(kSizes);
  std::vector<std::vector<std::byte>> sources, results;
  std::vector<Watch> written(kGets), read(kGets);
  sources.reserve(kGets);
  results.reserve(kGets);
  // Each to a place of its own: the next put may pass the get.
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < kGets; ++i) {
    sources.emplace_back(kSizes[i], std::byte(i + 101));
    results.emplace_back(kSizes[i]);
    const Piece out{sources[i].data(), place, kSizes[i]}, in{results[i].data(), place, kSizes[i]};
    ASSERT_TRUE(put_patiently(0, {&out, 1}, &written[i]).ok());
    ASSERT_TRUE(get_patiently({&in, 1}, &read[i]).ok());
    place += kSizes[i];
  }
  for (std::size_t i = 0; i < kGets; ++i) {
    ASSERT_TRUE(finish(0, read[i]).ok());
    ASSERT_TRUE(finish(0, written[i]).ok());
    ASSERT_EQ(results[i], sources[i]) << i;
  }
}

TEST_P(ContractOrder, AnAtomicSeesThePutsAndAtomicsBeforeIt) {
  if (!regions_[0].atomics) GTEST_SKIP() << "the device has no atomics for such memory";
  constexpr std::size_t kRounds = 20;
  std::vector<std::uint64_t> old(2 * kRounds), large(kLargest / 8);
  std::vector<Watch> watches(3 * kRounds);
  std::vector<std::vector<std::uint64_t>> sources;
  for (std::size_t i = 0; i < kRounds; ++i) {
    sources.emplace_back(i % 4 == 3 ? large.size() : 1, 1000 * (i + 1));
    const Piece piece = piece_of(sources[i].data(), 0, sources[i].size() * 8);
    ASSERT_TRUE(put_patiently(0, {&piece, 1}, &watches[3 * i]).ok());
    for (std::size_t k = 0; k < 2; ++k) {
      const AtomicRequest add{.offset = 0, .operand = 1, .old = &old[2 * i + k]};
      Status status;
      eventually([&] {
        status = device(0).atomic(kTarget, regions_[0], add, &watches[3 * i + 1 + k]);
        return status.code() != Code::queue_full;
      });
      ASSERT_TRUE(status.ok());
    }
  }
  for (Watch& watch : watches) ASSERT_TRUE(finish(0, watch).ok());
  for (std::size_t i = 0; i < kRounds; ++i) {
    EXPECT_EQ(old[2 * i], 1000 * (i + 1));
    EXPECT_EQ(old[2 * i + 1], 1000 * (i + 1) + 1);
  }
}

}  // namespace
}  // namespace polder::device::contract
