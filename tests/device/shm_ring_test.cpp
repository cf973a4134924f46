// The ring of messages in shared memory: what is put in comes out, and a writer that has gone mad neither holds up its reader
// nor leads it out of the ring.
#include "device/shm/ring.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace polder::device::shm {
namespace {

class ShmRing : public testing::Test {
 protected:
  bool push(const std::string& text, std::uint16_t handler = 7) {
    return ring->push(handler, std::as_bytes(std::span(text)), {});
  }
  int pop(int limit = 1000) {
    return ring->pop(limit, [&](std::uint16_t handler, std::span<const std::byte> message) {
      last.assign(reinterpret_cast<const char*>(message.data()), message.size());
      last_handler = handler;
      bytes += message.size();
    });
  }
  void write(std::uint64_t at, const Ring::Record& record) {
    std::memcpy(ring->bytes + at % Ring::kBytes, &record, sizeof record);
  }

  const std::unique_ptr<Ring> ring = std::make_unique<Ring>();
  std::string last;
  std::uint16_t last_handler = 0;
  std::size_t bytes = 0;
};

TEST_F(ShmRing, MessagesOfAnySizeGoAroundIt) {
  std::size_t sent = 0;
  for (std::size_t size = 0; size <= Ring::kLargest; size += 97) {
    const std::string text(size, char('a' + size % 26));
    ASSERT_TRUE(push(text, std::uint16_t(size)));
    ASSERT_EQ(pop(), 1);
    ASSERT_EQ(last, text);
    ASSERT_EQ(last_handler, size);
    sent += size;
  }
  EXPECT_EQ(bytes, sent);
  EXPECT_GT(sent, 8 * Ring::kBytes);
}

TEST_F(ShmRing, AFullOneTakesNothingUntilSomethingIsTaken) {
  const std::string text(1000, 'x');
  int sent = 0;
  while (push(text)) ++sent;
  EXPECT_EQ(pop(1), 1);
  EXPECT_TRUE(push(text));
  EXPECT_FALSE(push(text));
  EXPECT_EQ(pop(), sent);
  EXPECT_TRUE(ring->empty());
}

TEST_F(ShmRing, ARecordThatIsTooLargeIsDamage) {
  ring->tail.store(64);
  write(0, {std::uint32_t(Ring::kLargest + 1), 7, 0});
  EXPECT_EQ(pop(), -1);
}

TEST_F(ShmRing, ARecordBehindTheEndIsDamage) {
  const std::uint64_t at = Ring::kBytes - 16;
  ring->head.store(at);
  ring->tail.store(at + 32);
  write(at, {24, 7, 0});
  EXPECT_EQ(pop(), -1);
  EXPECT_EQ(bytes, 0u);
}

TEST_F(ShmRing, ATailThatIsNoRecordsIsDamage) {
  ring->tail.store(Ring::kBytes + 8);
  EXPECT_EQ(pop(), -1);
  ring->tail.store(20);
  EXPECT_EQ(pop(), -1);
  ring->head.store(3);
  ring->tail.store(19);
  EXPECT_EQ(pop(), -1);
}

// Each leads to the next, and none to the tail.
TEST_F(ShmRing, FillersEnd) {
  ring->tail.store(64);
  write(0, {Ring::kFiller, 0, 0});
  EXPECT_EQ(pop(), -1);
}

}  // namespace
}  // namespace polder::device::shm
