// Windows: memory of a rank's that puts to it reach for a while, and nothing else does; and peers that are given up.
#include "contract_transfer_fixture.hpp"

#include <string_view>

namespace polder::device::contract {
namespace {

class ContractWindow : public OverTransfers {
 protected:
  static constexpr std::size_t kWindow = std::size_t{300} << 10;  // several parts of a network
  static constexpr std::size_t kMargin = 4096;
  static constexpr std::uint64_t kNumber = 0x123456;

  void SetUp() override {
    OverTransfers::SetUp();
    if (HasFatalFailure() || IsSkipped()) return;
    if (!device(kTarget).capabilities().windows) GTEST_SKIP() << "the device has no windows";
    around_.assign(kWindow + 2 * kMargin, std::byte{0});
    for (std::size_t i = 0; i < source_.size(); ++i) source_[i] = pattern(i, 9);
  }

  std::byte* window() { return around_.data() + kMargin; }
  void open(std::uint64_t number = kNumber) {
    const MemoryRun run(window(), kWindow);
    ASSERT_TRUE(device(kTarget).open_window(exposure_, number, {&run, 1}));
  }
  void close(std::uint64_t number = kNumber) { device(kTarget).close_window(exposure_, number); }

  // What the flag carries, or the error that the put ends with.
  Status put_there(std::uint64_t offset, std::size_t bytes, std::uint32_t flag, std::uint64_t number = kNumber) {
    Watch watch;
    const Piece piece = piece_of(source_.data(), window_offset(number) + offset, bytes);
    if (Status status = put_notify_patiently(0, {&piece, 1}, Memory::flag(flag), &watch); !status.ok()) return status;
    return finish(0, watch);
  }
  bool is_raised(std::uint32_t flag) { return control().flags[flag].load(std::memory_order_acquire) != 0; }
  bool is_untouched(const std::byte* begin, std::size_t bytes) {
    return std::all_of(begin, begin + bytes, [](std::byte byte) { return byte == std::byte{0}; });
  }

  std::vector<std::byte> around_, source_ = std::vector<std::byte>(kWindow + kMargin);
};

INSTANTIATE_TEST_SUITE_P(Devices, ContractWindow, all_transfers(), transfer_name);

TEST_P(ContractWindow, WhatIsPutThereLandsInTheMemoryBehindIt) {
  open();
  std::uint32_t flag = 0;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{5000}, kWindow / 2, kWindow}) {
    const std::size_t offset = (kWindow - bytes) / 16 * 8;
    std::fill(around_.begin(), around_.end(), std::byte{0});
    ASSERT_TRUE(put_there(offset, bytes, ++flag).ok()) << bytes;
    EXPECT_TRUE(is_raised(flag));
    EXPECT_TRUE(std::equal(source_.begin(), source_.begin() + std::ptrdiff_t(bytes), window() + offset)) << bytes;
    EXPECT_TRUE(is_untouched(around_.data(), kMargin + offset)) << bytes;
    EXPECT_TRUE(is_untouched(window() + offset + bytes, kWindow - offset - bytes + kMargin)) << bytes;
  }
  EXPECT_TRUE(is_untouched(memory(), kSize)) << "of what is exposed itself";
  close();
}

TEST_P(ContractWindow, WhatDoesNotFitIsRefusedWithItsFlag) {
  open();
  EXPECT_EQ(put_there(8, kWindow, 1).code(), Code::invalid_offset);
  EXPECT_EQ(put_there(kWindow, 1, 2).code(), Code::invalid_offset);
  EXPECT_EQ(put_there(kWindowBytes - 8, 16, 3).code(), Code::invalid_offset);
  EXPECT_EQ(put_there(0, 8, 4, kNumber + 1).code(), Code::invalid_offset) << "another window";
  for (std::uint32_t flag = 1; flag <= 4; ++flag) EXPECT_FALSE(is_raised(flag)) << flag;
  EXPECT_TRUE(is_untouched(around_.data() + kMargin + kWindow, kMargin));
  EXPECT_TRUE(put_there(0, 8, 5).ok()) << "the peer is none the worse for it";
  close();
}

// Of several runs the first comes first, wherever it lies.
TEST_P(ContractWindow, RunsAreFilledInTheirOrder) {
  constexpr std::size_t kFirst = 10'000, kSecond = 100;
  const std::span<std::byte> all(window(), kWindow);
  const MemoryRun runs[] = {all.last(kFirst), all.subspan(64, kSecond), all.subspan(1000, kWindow - 2000 - kFirst)};
  std::uint32_t flag = 0;
  for (const auto& [offset, bytes] :
       {std::pair(std::size_t{0}, std::size_t{8}), std::pair(kFirst - 3, std::size_t{6}),
        std::pair(kFirst - 3, kSecond + 6), std::pair(std::size_t{5}, kWindow - 30'000)}) {
    std::fill(around_.begin(), around_.end(), std::byte{0});
    ASSERT_TRUE(device(kTarget).open_window(exposure_, kNumber, runs));
    ASSERT_TRUE(put_there(offset, bytes, ++flag).ok());
    close();
    std::vector<std::byte> stream;
    for (const MemoryRun& run : runs) stream.insert(stream.end(), run.begin(), run.end());
    EXPECT_TRUE(
        std::equal(source_.begin(), source_.begin() + std::ptrdiff_t(bytes), stream.begin() + std::ptrdiff_t(offset)));
    EXPECT_TRUE(is_untouched(stream.data(), offset) &&
                is_untouched(stream.data() + offset + bytes, stream.size() - offset - bytes));
    EXPECT_TRUE(is_untouched(window(), 64) && is_untouched(window() + 64 + kSecond, 1000 - 64 - kSecond));
  }
  ASSERT_TRUE(device(kTarget).open_window(exposure_, kNumber, runs));
  EXPECT_EQ(put_there(kFirst, kWindow, ++flag).code(), Code::invalid_offset) << "more than all of them";
  close();
}

TEST_P(ContractWindow, NothingLandsOnceItIsClosed) {
  open();
  EXPECT_TRUE(put_there(0, 8, 1).ok());
  close();
  std::fill(around_.begin(), around_.end(), std::byte{0});
  EXPECT_EQ(put_there(0, kWindow, 2).code(), Code::invalid_offset);
  EXPECT_FALSE(is_raised(2));
  EXPECT_TRUE(is_untouched(around_.data(), around_.size()));
  open();
  EXPECT_TRUE(put_there(0, kWindow, 3).ok()) << "opened again";
  close();
}

TEST_P(ContractWindow, OneIsNotTheOther) {
  std::vector<std::byte> other(64);
  open();
  const MemoryRun run(other);
  ASSERT_TRUE(device(kTarget).open_window(exposure_, kNumber + 1, {&run, 1}));
  EXPECT_TRUE(put_there(0, 64, 1, kNumber + 1).ok());
  EXPECT_TRUE(is_untouched(around_.data(), around_.size()));
  EXPECT_TRUE(std::equal(other.begin(), other.end(), source_.begin()));
  close(kNumber + 1);
  EXPECT_TRUE(put_there(0, 64, 2).ok());
  EXPECT_TRUE(std::equal(other.begin(), other.end(), window()));
  close();
}

// While puts to it are under way: what has not landed by then never does.
TEST_P(ContractWindow, ClosingEndsWhatIsUnderWay) {
  for (int round = 0; round < 20; ++round) {
    open();
    std::vector<Watch> watches(8);
    const Piece piece = piece_of(source_.data(), window_offset(kNumber), kWindow);
    for (Watch& watch : watches) ASSERT_TRUE(put_patiently(0, {&piece, 1}, &watch).ok());
    close();
    std::fill(around_.begin(), around_.end(), std::byte{0});
    for (Watch& watch : watches) {
      const Status status = finish(0, watch);
      EXPECT_TRUE(status.ok() || status.code() == Code::invalid_offset) << status.to_string();
    }
    ASSERT_TRUE(is_untouched(around_.data(), around_.size()));
  }
}

TEST_P(ContractWindow, NothingIsReadFromIt) {
  open();
  std::uint64_t word = 77, old = 77;
  const Piece piece = piece_of(&word, window_offset(kNumber), sizeof word);
  Watch get_watch, atomic_watch;
  const auto refused = [&](const Status& posted, Watch& watch) {
    EXPECT_EQ((posted.ok() ? finish(0, watch) : posted).code(), Code::invalid_offset);
  };
  refused(get(0, {&piece, 1}, &get_watch), get_watch);
  if (regions_[0].atomics)
    refused(device(0).atomic(
                kTarget, regions_[0],
                {.op = AtomicOp::fetch_add, .width = 8, .offset = window_offset(kNumber), .operand = 1, .old = &old},
                &atomic_watch),
            atomic_watch);
  EXPECT_EQ(word, 77u);
  EXPECT_EQ(old, 77u);
  close();
}

// Until then it takes nothing: nobody makes its progress.
TEST_P(ContractWindow, WhatAPeerDoesNotTakeIsGivenBackWhenItIsAbandoned) {
  const std::string_view name = device(0).capabilities().name;
  if (!name.starts_with("sim") && name != "tcp")
    GTEST_SKIP() << "UCX 1.13 and libfabric 1.17 may crash where a device ends that has not read what a peer sent "
                    "before it went";
  stop_helpers();
  std::vector<std::byte> large(std::size_t{24} << 20, std::byte{1});
  std::vector<Watch> watches(large.size() / kWindow);
  std::size_t posted = 0;
  for (; posted < watches.size(); ++posted) {
    const Piece piece = piece_of(large.data() + posted * kWindow, 0, kWindow);
    const Status status = put(0, {&piece, 1}, &watches[posted]);
    if (status.code() == Code::queue_full) break;
    ASSERT_TRUE(status.ok());
  }
  device(0).abandon(kTarget);
  NoMail none;
  for (std::size_t i = 0; i < posted; ++i)
    EXPECT_TRUE(eventually([&] { return watches[i].is_local() || (device(0).progress(none), watches[i].is_local()); }))
        << i;
  large = {};
  for (std::size_t i = 0; i < posted; ++i) static_cast<void>(finish(0, watches[i]));
  const std::uint64_t word = 1;
  const Piece piece = piece_of(const_cast<std::uint64_t*>(&word), 0, sizeof word);
  EXPECT_TRUE(eventually([&] {
    Watch late;
    const Status status = put(0, {&piece, 1}, &late);
    return !status.ok() || !finish(0, late).ok();
  })) << "it is lost";
}

}  // namespace
}  // namespace polder::device::contract
