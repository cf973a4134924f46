// put_notify: a flag never overtakes its data, nor what the thread has put before.
#include "contract_transfer_fixture.hpp"

namespace polder::device::contract {
namespace {

class ContractNotify : public OverTransfers {
 protected:
  // True once flag `id` has been raised.
  bool raised(std::uint32_t id) {
    return eventually([&] { return control().flags[id].load(std::memory_order_acquire) != 0; });
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, ContractNotify, all_transfers(), transfer_name);

TEST_P(ContractNotify, FlagCarriesItsValueAndRingsTheBell) {
  std::uint64_t value = 99;
  const Piece piece = piece_of(&value, 40, 8);
  const std::int64_t before = util::now_ns();
  std::thread sleeper([&] {
    while (control().flags[3].load(std::memory_order_acquire) == 0 && util::now_ns() - before < 10'000'000'000) {
      util::Bell::Listener listener(control().bell);
      if (control().flags[3].load() == 0) listener.sleep(10'000'000'000);
    }
    EXPECT_EQ(word(5).load(std::memory_order_relaxed), 99u);
  });
  std::this_thread::sleep_for(1ms);
  Watch watch;
  ASSERT_TRUE(put_notify(0, {&piece, 1}, Memory::flag(3, 0xdeadbeef), &watch).ok());
  EXPECT_TRUE(finish(0, watch).ok());
  sleeper.join();
  EXPECT_LT(util::now_ns() - before, 5'000'000'000) << "the sleeper was not woken";
  EXPECT_EQ(control().flags[3], 0xdeadbeefu);
  EXPECT_EQ(control().flags[2], 0u);
  EXPECT_EQ(control().flags[4], 0u);
}

TEST_P(ContractNotify, FlagAlone) {
  Watch watch;
  ASSERT_TRUE(put_notify(0, {}, Memory::flag(63, 5), &watch).ok());
  ASSERT_TRUE(finish(0, watch).ok());
  EXPECT_EQ(control().flags[63], 5u);
}

TEST_P(ContractNotify, RanksNotifyThemselves) {
  std::uint64_t value = 7;
  const Piece piece = piece_of(&value, 0, 8);
  Watch watch;
  ASSERT_TRUE(put_notify(kTarget, {&piece, 1}, Memory::flag(1, 2), &watch).ok());
  ASSERT_TRUE(finish(kTarget, watch).ok());
  EXPECT_EQ(word(0), 7u);
  EXPECT_EQ(control().flags[1], 2u);
}

TEST_P(ContractNotify, FlagOvertakesNeitherItsDataNorEarlierPuts) {
  constexpr std::uint32_t kRounds = 40;
  constexpr std::size_t kPuts = 10, kAll = kRounds * kPuts;
  std::vector<std::uint64_t> values(kAll);
  std::vector<Watch> watches(kAll);
  std::thread reader([&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      ASSERT_TRUE(raised(round)) << "flag " << round;
      for (std::size_t i = 0; i < (round + 1) * kPuts; ++i)
        ASSERT_EQ(word(i).load(std::memory_order_relaxed), i + 1) << "flag " << round << " overtook put " << i;
    }
  });
  for (std::size_t i = 0; i < kAll; ++i) {
    values[i] = i + 1;
    const Piece piece = piece_of(&values[i], i * 8, 8);
    const bool last = i % kPuts == kPuts - 1;
    EXPECT_TRUE((last ? put_notify_patiently(0, {&piece, 1}, Memory::flag(std::uint32_t(i / kPuts)), &watches[i])
                      : put_patiently(0, {&piece, 1}, &watches[i]))
                    .ok());
  }
  for (Watch& watch : watches) EXPECT_TRUE(finish(0, watch).ok());
  reader.join();
}

TEST_P(ContractNotify, FlagWaitsForAllOfManyPieces) {
  constexpr std::size_t kPieces = 700;
  std::vector<std::uint64_t> values(kPieces);
  std::vector<Piece> pieces(kPieces);
  for (std::size_t i = 0; i < kPieces; ++i) {
    values[i] = i + 1;
    pieces[i] = piece_of(&values[i], i * 24, 8);
  }
  std::thread reader([&] {
    ASSERT_TRUE(raised(0));
    for (std::size_t i = 0; i < kPieces; ++i) ASSERT_EQ(word(i * 3).load(std::memory_order_relaxed), i + 1);
  });
  Watch watch;
  EXPECT_TRUE(put_notify(0, pieces, Memory::flag(0), &watch).ok());
  EXPECT_TRUE(finish(0, watch).ok());
  reader.join();
}

TEST_P(ContractNotify, FlagAloneWaitsForALargePut) {
  std::vector<std::uint64_t> values(kSize / 8, 6);
  const Piece piece = piece_of(values.data(), 0, kSize);
  std::thread reader([&] {
    ASSERT_TRUE(raised(0));
    for (std::size_t i = 0; i < values.size(); i += 97) ASSERT_EQ(word(i).load(std::memory_order_relaxed), 6u);
    ASSERT_EQ(word(values.size() - 1).load(std::memory_order_relaxed), 6u);
  });
  Watch data, flag;
  EXPECT_TRUE(put(0, {&piece, 1}, &data).ok());
  EXPECT_TRUE(put_notify(0, {}, Memory::flag(0), &flag).ok());
  EXPECT_TRUE(finish(0, data).ok());
  EXPECT_TRUE(finish(0, flag).ok());
  reader.join();
}

TEST_P(ContractNotify, EachThreadHasItsOwnOrder) {
  constexpr std::uint32_t kThreads = 4, kRounds = 15;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      const Rank rank = thread % 2 == 0 ? 0 : 2;
      for (std::uint32_t round = 0; round < kRounds; ++round) {
        const std::size_t index = (thread * kRounds + round) * 2;
        std::uint64_t first = index + 1, second = index + 2;
        const Piece pieces[] = {piece_of(&first, index * 8, 8), piece_of(&second, index * 8 + 8, 8)};
        Watch data, flag;
        ASSERT_TRUE(put_patiently(rank, {pieces, 1}, &data).ok());
        ASSERT_TRUE(put_notify_patiently(rank, {pieces + 1, 1}, Memory::flag(thread * kRounds + round), &flag).ok());
        EXPECT_TRUE(raised(thread * kRounds + round));
        EXPECT_EQ(word(index).load(std::memory_order_relaxed), first);
        EXPECT_EQ(word(index + 1).load(std::memory_order_relaxed), second);
        ASSERT_TRUE(finish(rank, data).ok());
        ASSERT_TRUE(finish(rank, flag).ok());
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace polder::device::contract
