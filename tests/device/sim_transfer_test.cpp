#include "sim_fixture.hpp"

namespace polder::device::sim {
namespace {

// Every test with operations carried out at once, and with operations that take their time.
class SimTransfer : public testing::TestWithParam<std::int64_t> {
 protected:
  Network network_{{.ranks = 3, .min_delay_ns = GetParam() / 2, .max_delay_ns = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Delays, SimTransfer, testing::Values(0, 1'000'000),
                         [](const auto& param) { return param.param == 0 ? "immediate" : "delayed"; });

TEST_P(SimTransfer, PutArrivesAndIsReported) {
  std::uint64_t value = 42;
  Watch watch;
  ASSERT_TRUE(network_.put(0, 1, &value, 7, &watch).ok());
  EXPECT_TRUE(watch.wait().ok());
  EXPECT_EQ(network_.memory(1).words[7], 42u);
  EXPECT_EQ(network_.memory(2).words[7], 0u);
}

TEST_P(SimTransfer, GetBringsWhatIsThere) {
  network_.memory(2).words[9] = 77;
  std::uint64_t value = 0;
  Watch watch;
  ASSERT_TRUE(network_.get(0, 2, &value, 9, &watch).ok());
  ASSERT_TRUE(watch.wait().ok());
  EXPECT_EQ(value, 77u);
}

TEST_P(SimTransfer, RanksReachThemselves) {
  std::uint64_t value = 5, back = 0;
  Watch put, get;
  ASSERT_TRUE(network_.put(1, 1, &value, 0, &put).ok());
  ASSERT_TRUE(put.wait().ok());
  ASSERT_TRUE(network_.get(1, 1, &back, 0, &get).ok());
  ASSERT_TRUE(get.wait().ok());
  EXPECT_EQ(back, 5u);
}

TEST_P(SimTransfer, ManyPiecesOfOddSizesAndPlaces) {
  std::vector<unsigned char> source(1000), back(1000);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i * 31 + 1);
  const Region region = network_.region(0, 1);
  std::vector<Piece> pieces, reversed;
  std::size_t at = 0;
  std::uint64_t remote = Memory::word_offset(0);
  for (std::size_t bytes = 0; at + bytes <= source.size(); ++bytes) {
    pieces.push_back({reinterpret_cast<std::byte*>(source.data() + at), remote, bytes});
    reversed.push_back({reinterpret_cast<std::byte*>(back.data() + at), remote, bytes});
    at += bytes;
    remote += bytes + 3;
  }
  Watch put, get;
  ASSERT_TRUE(network_.device(0).put(1, region, pieces, &put).ok());
  ASSERT_TRUE(put.wait().ok());
  ASSERT_TRUE(network_.device(0).get(1, region, reversed, &get).ok());
  ASSERT_TRUE(get.wait().ok());
  EXPECT_TRUE(std::equal(source.begin(), source.begin() + std::ptrdiff_t(at), back.begin()));
  const auto* bytes = reinterpret_cast<const unsigned char*>(network_.memory(1).words.data());
  EXPECT_EQ(bytes[0 + 3 + 1], 0) << "between the pieces nothing is written";
}

TEST_P(SimTransfer, FlagFollowsItsDataAndRingsTheBell) {
  std::uint64_t value = 99;
  Watch watch;
  Memory& memory = network_.memory(1);
  std::thread sleeper([&] {
    const std::int64_t end = util::now_ns() + 10'000'000'000;
    while (memory.flags[3].load(std::memory_order_acquire) == 0 && util::now_ns() < end) {
      util::Bell::Listener listener(memory.bell);
      if (memory.flags[3].load() == 0) listener.sleep(10'000'000'000);
    }
    EXPECT_EQ(memory.words[5].load(std::memory_order_relaxed), 99u);
  });
  ASSERT_TRUE(network_.put_notify(0, 1, &value, 5, Memory::flag(3, 1234), &watch).ok());
  sleeper.join();
  EXPECT_TRUE(watch.wait().ok());
  EXPECT_EQ(memory.flags[3], 1234u);
}

TEST_P(SimTransfer, FlagAlone) {
  Watch watch;
  ASSERT_TRUE(network_.notify(0, 1, Memory::flag(8, 5), &watch).ok());
  ASSERT_TRUE(watch.wait().ok());
  EXPECT_EQ(network_.memory(1).flags[8], 5u);
}

struct AtomicCase {
  AtomicOp op;
  std::uint64_t before, operand, compare, after;
};

TEST_P(SimTransfer, AtomicsOfBothWidths) {
  const AtomicCase cases[] = {
      {AtomicOp::fetch_add, 10, 5, 0, 15},
      {AtomicOp::swap, 10, 5, 0, 5},
      {AtomicOp::compare_swap, 10, 5, 10, 5},
      {AtomicOp::compare_swap, 10, 5, 11, 10},
      {AtomicOp::fetch_and, 0b1100, 0b1010, 0, 0b1000},
      {AtomicOp::fetch_or, 0b1100, 0b1010, 0, 0b1110},
      {AtomicOp::fetch_xor, 0b1100, 0b1010, 0, 0b0110},
  };
  for (const AtomicCase& c : cases) {
    for (const std::uint8_t width : {4, 8}) {
      SCOPED_TRACE("op " + std::to_string(int(c.op)) + " width " + std::to_string(width));
      // What lies beside a word of 4 bytes, in memory and in the operands, must not matter.
      const std::uint64_t high = width == 4 ? 0xabcd'0000'0000'0000 : 0;
      network_.memory(1).words[1] = c.before | high;
      std::uint64_t old = ~0ull;
      Watch watch;
      const AtomicRequest request{.op = c.op,
                                  .width = width,
                                  .offset = Memory::word_offset(1),
                                  .operand = c.operand | high << 1,
                                  .compare = c.compare | high << 1,
                                  .old = &old};
      ASSERT_TRUE(network_.atomic(0, 1, request, &watch).ok());
      ASSERT_TRUE(watch.wait().ok());
      EXPECT_EQ(old, c.before);
      EXPECT_EQ(network_.memory(1).words[1], c.after | high);
    }
  }
}

TEST_P(SimTransfer, AtomicAddWrapsInItsWidth) {
  network_.memory(1).words[1] = 0x1'ffff'ffff;
  std::uint64_t old = 0;
  Watch watch;
  ASSERT_TRUE(
      network_.atomic(0, 1, {.width = 4, .offset = Memory::word_offset(1), .operand = 1, .old = &old}, &watch).ok());
  ASSERT_TRUE(watch.wait().ok());
  EXPECT_EQ(old, 0xffff'ffffu);
  EXPECT_EQ(network_.memory(1).words[1], 0x1'0000'0000u);
}

TEST_P(SimTransfer, WrongArgumentsAreRefusedAndChangeNothing) {
  Watch watch;
  std::uint64_t value = 1;
  const Region region = network_.region(0, 1);
  Device& device = network_.device(0);
  const Piece outside{reinterpret_cast<std::byte*>(&value), sizeof(Memory) - 4, 8};
  const Piece wraps{reinterpret_cast<std::byte*>(&value), ~std::uint64_t{0} - 3, 8};
  EXPECT_EQ(device.put(1, region, {&outside, 1}, &watch).code(), Code::invalid_offset);
  EXPECT_EQ(device.get(1, region, {&wraps, 1}, &watch).code(), Code::invalid_offset);
  EXPECT_EQ(device.put(17, region, {}, &watch).code(), Code::invalid_rank);
  EXPECT_EQ(device.put_notify(1, region, {}, region, {.offset = 2, .bell_offset = 0, .value = 1}, &watch).code(),
            Code::invalid_offset);
  EXPECT_EQ(
      device.put_notify(1, region, {}, region, {.offset = sizeof(Memory), .bell_offset = 0, .value = 1}, &watch).code(),
      Code::invalid_offset);
  EXPECT_EQ(device.atomic(1, region, {.width = 2}, &watch).code(), Code::invalid_size);
  EXPECT_EQ(device.atomic(1, region, {.width = 8, .offset = 4}, &watch).code(), Code::invalid_alignment);
  EXPECT_EQ(device.atomic(1, region, {.width = 8, .offset = sizeof(Memory)}, &watch).code(), Code::invalid_offset);
  EXPECT_FALSE(watch.is_local());
  EXPECT_FALSE(watch.is_done());
}

TEST_P(SimTransfer, SourceIsReadUntilLocal) {
  // With a delay, the data leave late: the rule that the source stays untouched until `local` is one that this device
  // checks.
  std::uint64_t value = 1;
  Watch watch;
  ASSERT_TRUE(network_.put(0, 1, &value, 0, &watch).ok());
  ASSERT_TRUE(watch.wait_local());
  value = 2;
  ASSERT_TRUE(watch.wait().ok());
  EXPECT_EQ(network_.memory(1).words[0], 1u);
}

}  // namespace
}  // namespace polder::device::sim
