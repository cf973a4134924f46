// put and get.
#include "contract_transfer_fixture.hpp"

#include <algorithm>

namespace polder::device::contract {
namespace {

using Bytes = std::vector<std::byte>;

Bytes patterned(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = pattern(i, seed);
  return bytes;
}

// Pieces of 0 .. 66 bytes at odd places on both sides, with gaps of three bytes at the target.
std::vector<Piece> scattered(Bytes& local, std::size_t count) {
  std::vector<Piece> pieces;
  std::size_t at = 1;
  std::uint64_t remote = 5;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = i % 67;
    pieces.push_back({local.data() + at, remote, bytes});
    at += bytes;
    remote += bytes + 3;
  }
  EXPECT_LE(at, local.size());
  return pieces;
}

class ContractTransfer : public OverTransfers {};

INSTANTIATE_TEST_SUITE_P(Devices, ContractTransfer, all_transfers(), transfer_name);

TEST_P(ContractTransfer, PutArrivesAndNothingElseChanges) {
  fill(1);
  Bytes source = patterned(100, 2);
  const Piece piece{source.data(), 1000, source.size()};
  Watch watch;
  ASSERT_TRUE(put(0, {&piece, 1}, &watch).ok());
  ASSERT_TRUE(finish(0, watch).ok());
  for (std::size_t i = 0; i < kSize; ++i) {
    const bool inside = i >= 1000 && i < 1100;
    ASSERT_EQ(memory()[i], inside ? pattern(i - 1000, 2) : pattern(i, 1)) << "byte " << i;
  }
}

TEST_P(ContractTransfer, GetBringsWhatIsThereAndNothingElseChanges) {
  fill(1);
  Bytes target(200, std::byte{0});
  const Piece piece{target.data() + 50, 999, 100};
  Watch watch;
  ASSERT_TRUE(get(2, {&piece, 1}, &watch).ok());
  ASSERT_TRUE(finish(2, watch).ok());
  for (std::size_t i = 0; i < target.size(); ++i)
    ASSERT_EQ(target[i], i >= 50 && i < 150 ? pattern(999 + i - 50, 1) : std::byte{0}) << "byte " << i;
}

TEST_P(ContractTransfer, EveryAlignmentAndSmallSize) {
  fill(1);
  Bytes source = patterned(64, 7), back(64);
  for (std::size_t from = 0; from < 9; ++from)
    for (std::uint64_t to = 0; to < 9; ++to)
      for (const std::size_t bytes : {1, 3, 8, 17}) {
        const Piece out{source.data() + from, 4096 + to, bytes};
        const Piece in{back.data() + (from + 3) % 9, 4096 + to, bytes};
        Watch written, read;
        ASSERT_TRUE(put(0, {&out, 1}, &written).ok());
        ASSERT_TRUE(finish(0, written).ok());
        ASSERT_TRUE(get(0, {&in, 1}, &read).ok());
        ASSERT_TRUE(finish(0, read).ok());
        ASSERT_TRUE(std::equal(out.local, out.local + bytes, in.local)) << from << ' ' << to << ' ' << bytes;
      }
}

// While the device and its peer are busy, so that much of it cannot have left when put returns.
TEST_P(ContractTransfer, WhatPutCopiesMayBeChangedWhenItReturns) {
  const std::size_t limit = std::min<std::size_t>(device(0).capabilities().copied_at_once, 4096);
  if (limit == 0) GTEST_SKIP() << "the device copies nothing";
  constexpr std::size_t kPuts = 64;
  std::vector<Watch> watches(kPuts);
  Bytes source(limit);
  for (std::size_t i = 0; i < kPuts; ++i) {
    source = patterned(limit, unsigned(i));
    const Piece piece{source.data(), i * limit, limit};
    ASSERT_TRUE(put_patiently(0, {&piece, 1}, &watches[i]).ok());
    std::fill(source.begin(), source.end(), std::byte{0xee});
  }
  for (Watch& watch : watches) ASSERT_TRUE(finish(0, watch).ok());
  for (std::size_t i = 0; i < kPuts; ++i) {
    const Bytes wanted = patterned(limit, unsigned(i));
    ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), memory() + i * limit)) << "put " << i;
  }
}

TEST_P(ContractTransfer, ManyPieces) {
  for (const std::size_t count : {2, 255, 256, 257, 600, 1500}) {
    std::fill_n(memory(), kSize, std::byte{0});
    Bytes source = patterned(count * 67 + 1, 3), back(source.size());
    const auto out = scattered(source, count), in = scattered(back, count);
    Watch written, read;
    ASSERT_TRUE(put(0, out, &written).ok()) << count;
    ASSERT_TRUE(finish(0, written).ok()) << count;
    std::uint64_t gap = 0;
    for (const Piece& piece : out) {
      ASSERT_TRUE(std::equal(piece.local, piece.local + piece.bytes, memory() + piece.remote));
      for (; gap < piece.remote; ++gap) ASSERT_EQ(memory()[gap], std::byte{0}) << "between the pieces of " << count;
      gap = piece.remote + piece.bytes;
    }
    ASSERT_TRUE(get(0, in, &read).ok()) << count;
    ASSERT_TRUE(finish(0, read).ok()) << count;
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(std::equal(in[i].local, in[i].local + in[i].bytes, out[i].local)) << "piece " << i << " of " << count;
  }
}

TEST_P(ContractTransfer, NothingAtAllCompletesToo) {
  std::byte byte{1};
  const std::vector<Piece> empties(300, Piece{&byte, 10, 0});
  for (const std::size_t count : {0, 1, 300}) {
    const std::span<const Piece> pieces(empties.data(), count);
    Watch written, read;
    ASSERT_TRUE(put(0, pieces, &written).ok()) << count;
    EXPECT_TRUE(finish(0, written).ok()) << count;
    ASSERT_TRUE(get(0, pieces, &read).ok()) << count;
    EXPECT_TRUE(finish(0, read).ok()) << count;
  }
  EXPECT_EQ(memory()[10], std::byte{0});
}

TEST_P(ContractTransfer, TheWholeRegionAtOnce) {
  Bytes source = patterned(kSize, 5), back(kSize);
  const Piece out{source.data(), 0, kSize}, in{back.data(), 0, kSize};
  Watch written, read;
  ASSERT_TRUE(put(0, {&out, 1}, &written).ok());
  ASSERT_TRUE(finish(0, written).ok());
  EXPECT_TRUE(std::equal(source.begin(), source.end(), memory()));
  ASSERT_TRUE(get(2, {&in, 1}, &read).ok());
  ASSERT_TRUE(finish(2, read).ok());
  EXPECT_TRUE(source == back);
}

TEST_P(ContractTransfer, RanksReachThemselves) {
  Bytes source = patterned(50, 5);
  const Piece piece{source.data(), 77, source.size()};
  Watch watch;
  ASSERT_TRUE(put(kTarget, {&piece, 1}, &watch).ok());
  ASSERT_TRUE(finish(kTarget, watch).ok());
  EXPECT_TRUE(std::equal(source.begin(), source.end(), memory() + 77));
}

TEST_P(ContractTransfer, PiecesAreReadBeforeTheCallReturns) {
  std::uint64_t value = 42, decoy = 43;
  std::vector<Piece> pieces(20);
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = piece_of(&value, i * 8, 8);
  Watch watch;
  ASSERT_TRUE(put(0, pieces, &watch).ok());
  std::fill(pieces.begin(), pieces.end(), piece_of(&decoy, 800, 8));
  ASSERT_TRUE(finish(0, watch).ok());
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(word(i), 42u);
  EXPECT_EQ(word(100), 0u);
}

TEST_P(ContractTransfer, TheSourceIsTheCallersAgainAfterLocal) {
  for (std::size_t i = 0; i < 50; ++i) {
    std::uint64_t value = i + 1;
    const Piece piece = piece_of(&value, i * 8, 8);
    Watch watch;
    ASSERT_TRUE(put(0, {&piece, 1}, &watch).ok());
    NoMail none;
    ASSERT_TRUE(eventually([&] { return device(0).progress(none), watch.is_local(); }));
    value = ~0ull;
    ASSERT_TRUE(finish(0, watch).ok());
    ASSERT_EQ(word(i), i + 1);
  }
}

// Remote means: visible to the owner, and to a get of anybody.
TEST_P(ContractTransfer, CompletionsComeOnceAndInTurn) {
  constexpr std::size_t kPuts = 400;
  std::vector<std::uint64_t> values(kPuts), back(kPuts);
  std::vector<Watch> written(kPuts), read(kPuts);
  for (std::size_t i = 0; i < kPuts; ++i) {
    values[i] = i + 1;
    const Piece piece = piece_of(&values[i], i * 8, 8);
    ASSERT_TRUE(put_patiently(0, {&piece, 1}, &written[i]).ok());
  }
  for (std::size_t i = 0; i < kPuts; ++i) {
    ASSERT_TRUE(finish(0, written[i]).ok());
    ASSERT_EQ(word(i), i + 1);
    const Piece piece = piece_of(&back[i], i * 8, 8);
    ASSERT_TRUE(get(2, {&piece, 1}, &read[i]).ok());
  }
  for (Watch& watch : read) ASSERT_TRUE(finish(2, watch).ok());
  EXPECT_EQ(values, back);
  std::this_thread::sleep_for(1ms);  // a second report would be noticed by the watches
}

// Large puts take other ways than small ones, and gets may be answered late; none of that may show.
TEST_P(ContractTransfer, WhoKeepsPutsInOrderLetsNonePassAnother) {
  if (!device(0).capabilities().in_order) GTEST_SKIP() << "puts may pass each other on this device";
  constexpr std::size_t kLarge = 300'000, kRounds = 20, kMiddle = 8 * (kLarge / 16);
  for (std::size_t round = 0; round < kRounds; ++round) {
    Bytes first(kLarge, std::byte(2 * round + 1)), second(kLarge / 2, std::byte(2 * round + 2)), seen(kLarge);
    std::uint64_t value = ~round;
    const Piece whole{first.data(), 0, first.size()}, half{second.data(), 0, second.size()};
    const Piece word = piece_of(&value, kMiddle, 8), all{seen.data(), 0, seen.size()};
    Watch watches[4];
    ASSERT_TRUE(put_patiently(0, {&whole, 1}, &watches[0]).ok());
    ASSERT_TRUE(put_patiently(0, {&half, 1}, &watches[1]).ok());
    ASSERT_TRUE(put_patiently(0, {&word, 1}, &watches[2]).ok());
    ASSERT_TRUE(get(0, {&all, 1}, &watches[3]).ok());
    for (Watch& watch : watches) ASSERT_TRUE(finish(0, watch).ok());
    std::copy_n(second.begin(), second.size(), first.begin());
    std::memcpy(first.data() + kMiddle, &value, sizeof value);
    ASSERT_TRUE(seen == first) << "round " << round;
    ASSERT_TRUE(std::equal(first.begin(), first.end(), memory())) << "round " << round;
  }
}

TEST_P(ContractTransfer, WhatIsCopiedAtOnceIsTheCallersAgainAtOnce) {
  const std::size_t bytes = std::min<std::size_t>(device(0).capabilities().copied_at_once, 4096);
  if (bytes == 0) GTEST_SKIP() << "the device copies nothing before put() returns";
  for (unsigned round = 0; round < 50; ++round) {
    Bytes source = patterned(bytes, round);
    const Piece piece{source.data(), 0, source.size()};
    Watch watch;
    ASSERT_TRUE(put_patiently(0, {&piece, 1}, &watch).ok());
    std::fill(source.begin(), source.end(), std::byte{0xee});
    ASSERT_TRUE(finish(0, watch).ok());
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(memory()[i], pattern(i, round)) << "byte " << i;
  }
}

TEST_P(ContractTransfer, FromManyThreads) {
  constexpr std::size_t kThreads = 4, kPuts = 200;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      const Rank rank = thread % 2 == 0 ? 0 : 2;
      for (std::size_t i = 0; i < kPuts; ++i) {
        const std::size_t index = thread * kPuts + i;
        std::uint64_t value = index + 1, back = 0;
        const Piece out = piece_of(&value, index * 8, 8), in = piece_of(&back, index * 8, 8);
        Watch written, read;
        ASSERT_TRUE(put_patiently(rank, {&out, 1}, &written).ok());
        ASSERT_TRUE(finish(rank, written).ok());
        ASSERT_TRUE(get(rank, {&in, 1}, &read).ok());
        ASSERT_TRUE(finish(rank, read).ok());
        ASSERT_EQ(back, value);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < kThreads * kPuts; ++i) ASSERT_EQ(word(i), i + 1);
}

TEST_P(ContractTransfer, AskNothingOfTheTarget) {
  if (device(kTarget).capabilities().needs_progress)
    GTEST_SKIP() << "operations at this device's memory need progress() of its owner";
  // No thread of rank 1 is anywhere near its device.
  std::uint64_t value = 9, back = 0;
  const Piece out = piece_of(&value, 0, 8), in = piece_of(&back, 0, 8);
  Watch written, flagged, read;
  ASSERT_TRUE(put(0, {&out, 1}, &written).ok());
  EXPECT_TRUE(finish(0, written).ok());
  ASSERT_TRUE(put_notify(0, {&out, 1}, Memory::flag(0), &flagged).ok());
  EXPECT_TRUE(finish(0, flagged).ok());
  ASSERT_TRUE(get(0, {&in, 1}, &read).ok());
  EXPECT_TRUE(finish(0, read).ok());
  EXPECT_EQ(back, 9u);
  EXPECT_EQ(control().flags[0], 1u);
}

TEST_P(ContractTransfer, DisconnectedPeersAreRefusedUntilConnectedAgain) {
  std::uint64_t value = 5;
  const Piece piece = piece_of(&value, 0, 8);
  Watch refused, again, other;
  device(0).disconnect(kTarget);
  EXPECT_EQ(put(0, {&piece, 1}, &refused).code(), Code::peer_failed);
  EXPECT_EQ(get(0, {&piece, 1}, &refused).code(), Code::peer_failed);
  EXPECT_EQ(put_notify(0, {&piece, 1}, Memory::flag(0), &refused).code(), Code::peer_failed);
  EXPECT_EQ(put_notify(0, {}, Memory::flag(0), &refused).code(), Code::peer_failed);
  EXPECT_FALSE(refused.is_local() || refused.is_done()) << "what is refused is not completed";
  EXPECT_EQ(word(0), 0u);
  EXPECT_EQ(control().flags[0], 0u);
  ASSERT_TRUE(put(2, {&piece, 1}, &other).ok()) << "rank 2 has not disconnected";
  EXPECT_TRUE(finish(2, other).ok());
  ASSERT_TRUE(connect(0, kTarget).ok());
  value = 6;
  ASSERT_TRUE(put(0, {&piece, 1}, &again).ok());
  EXPECT_TRUE(finish(0, again).ok());
  EXPECT_EQ(word(0), 6u);
}

TEST_P(ContractTransfer, WhatDisconnectFailsIsNotWrittenLater) {
  constexpr std::size_t kPuts = 200;
  std::vector<std::uint64_t> values(kPuts, 1);
  std::vector<Watch> watches(kPuts);
  for (std::size_t i = 0; i < kPuts; ++i) {
    const Piece piece = piece_of(&values[i], i * 8, 8);
    ASSERT_TRUE(put_patiently(0, {&piece, 1}, &watches[i]).ok());
  }
  device(0).disconnect(kTarget);
  std::vector<bool> failed(kPuts);
  for (std::size_t i = 0; i < kPuts; ++i) {
    const Status status = finish(0, watches[i]);
    ASSERT_TRUE(status.ok() || status.code() == Code::peer_failed) << status.to_string();
    failed[i] = !status.ok();
    values[i] = 2;
    if (failed[i])
      word(i) = 3;
    else
      ASSERT_EQ(word(i), 1u);
  }
  std::this_thread::sleep_for(2ms);
  for (std::size_t i = 0; i < kPuts; ++i) ASSERT_EQ(word(i), failed[i] ? 3u : 1u) << "put " << i;
}

}  // namespace
}  // namespace polder::device::contract
