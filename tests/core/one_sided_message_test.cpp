// Every way in which a request for a one-sided operation can be wrong in itself is noticed before anything is touched.
#include "core/emulate/one_sided_message.hpp"
#include "core/message/decoder.hpp"

#include "core/ranks.hpp"

#include <cstring>

namespace polder::test {
namespace {

using core::OneSidedHead;
using core::OneSidedKind;
using core::OneSidedRequest;
using core::PackedRun;

constexpr std::uint64_t kLargest = 1000;

class Message {
 public:
  explicit Message(OneSidedKind kind, std::uint64_t bytes = 16) {
    head.kind = std::uint8_t(kind);
    head.bytes = bytes;
  }
  Message& data(std::size_t size) {
    body_.resize(body_.size() + size);
    return *this;
  }
  Message& run(const PackedRun& run) {
    const auto bytes = std::as_bytes(std::span(&run, 1));
    body_.insert(body_.end(), bytes.begin(), bytes.end());
    ++head.runs;
    return *this;
  }

  Code decode() {
    const auto bytes = core::bytes_of(head);
    message_.assign(bytes.begin(), bytes.end());
    message_.insert(message_.end(), body_.begin(), body_.end());
    return core::decode_one_sided(message_, kLargest, request).code();
  }

  OneSidedHead head;
  OneSidedRequest request;

 private:
  std::vector<std::byte> body_, message_;
};

TEST(OneSidedMessageTest, TakesWhatMakesSense) {
  EXPECT_EQ(Message(OneSidedKind::put).data(16).decode(), Code::ok);
  EXPECT_EQ(Message(OneSidedKind::put, 0).decode(), Code::ok);
  EXPECT_EQ(Message(OneSidedKind::get).decode(), Code::ok);
  EXPECT_EQ(Message(OneSidedKind::get, kLargest).decode(), Code::ok);
  Message many(OneSidedKind::put, 12);
  many.data(12).run({.remote = 4, .stride = 8, .bytes = 4, .count = 3});
  EXPECT_EQ(many.decode(), Code::ok);
  EXPECT_EQ(many.request.data.size(), 12u);
  EXPECT_EQ(many.request.runs.size(), sizeof(PackedRun));
}

TEST(OneSidedMessageTest, RefusesLengthsThatDoNotFit) {
  EXPECT_EQ(Message(OneSidedKind::put).data(15).decode(), Code::invalid_size);
  EXPECT_EQ(Message(OneSidedKind::put).data(17).decode(), Code::invalid_size);
  EXPECT_EQ(Message(OneSidedKind::get).data(1).decode(), Code::invalid_size);
  EXPECT_EQ(Message(OneSidedKind::get, kLargest + 1).decode(), Code::invalid_size);
  OneSidedRequest request;
  const std::vector<std::byte> stump(sizeof(OneSidedHead) - 1);
  EXPECT_EQ(core::decode_one_sided(stump, kLargest, request).code(), Code::invalid_size);
}

TEST(OneSidedMessageTest, RefusesUnknownKinds) {
  Message message(OneSidedKind::put);
  for (const int kind : {4, 5, 255}) {
    message.head.kind = std::uint8_t(kind);
    EXPECT_EQ(message.decode(), Code::invalid_argument) << kind;
  }
}

// Each was carried out as far as it went, over bytes that nobody had looked at.
TEST(OneSidedMessageTest, RefusesAtomicsOfOtherWidthsThanTheyClaim) {
  const auto atomic = [](std::uint8_t op, std::uint8_t width, std::uint64_t bytes) {
    Message message(OneSidedKind::update, bytes);
    message.head.atomic = op;
    message.head.width = width;
    return message.decode();
  };
  EXPECT_EQ(atomic(0, 8, 8), Code::ok);
  EXPECT_EQ(atomic(5, 4, 4), Code::ok);
  EXPECT_EQ(atomic(0, 8, 4), Code::invalid_size);
  EXPECT_EQ(atomic(0, 16, 16), Code::invalid_size);
  EXPECT_EQ(atomic(0, 3, 3), Code::invalid_size);
  EXPECT_EQ(atomic(0, 0, 0), Code::invalid_size);
  EXPECT_EQ(atomic(6, 8, 8), Code::invalid_argument);
}

TEST(OneSidedMessageTest, RefusesAccumulatesThatBringMoreThanTheyClaim) {
  const auto accumulate = [](Reduction op, DataType type, std::uint64_t bytes, std::size_t brought) {
    Message message(OneSidedKind::accumulate, bytes);
    message.head.reduction = std::uint8_t(op);
    message.head.type = std::uint8_t(type);
    return message.data(brought).decode();
  };
  EXPECT_EQ(accumulate(Reduction::sum, DataType::float64, 16, 16), Code::ok);
  EXPECT_EQ(accumulate(Reduction::sum, DataType::float64, 8, 4096), Code::invalid_size);
  EXPECT_EQ(accumulate(Reduction::sum, DataType::float64, 12, 12), Code::invalid_size);
  EXPECT_EQ(accumulate(Reduction::bit_xor, DataType::float64, 16, 16), Code::invalid_argument) << "not defined";
  EXPECT_EQ(accumulate(Reduction(8), DataType::float64, 16, 16), Code::invalid_argument);
  EXPECT_EQ(accumulate(Reduction::sum, DataType(200), 16, 16), Code::invalid_argument);
}

TEST(OneSidedMessageTest, RefusesFlagsThatCannotGoUp) {
  const auto flag = [](OneSidedKind kind, std::uint8_t has_flag, std::uint64_t segment, std::uint32_t value) {
    Message message(kind, 0);
    message.head.has_flag = has_flag;
    message.head.flag_segment = segment;
    message.head.flag_value = value;
    return message.decode();
  };
  EXPECT_EQ(flag(OneSidedKind::put, 1, 3, 1), Code::ok);
  EXPECT_EQ(flag(OneSidedKind::put, 2, 3, 1), Code::invalid_argument);
  EXPECT_EQ(flag(OneSidedKind::get, 1, 3, 1), Code::invalid_argument);
  EXPECT_EQ(flag(OneSidedKind::put, 1, kSegmentIdLimit, 1), Code::invalid_segment);
  EXPECT_EQ(flag(OneSidedKind::put, 1, 3, 0), Code::invalid_notification);
}

TEST(OneSidedMessageTest, RefusesRunsThatMoveNothingOrTooMuch) {
  const auto get = [](std::uint64_t bytes, const PackedRun& run) {
    return Message(OneSidedKind::get, bytes).run(run).decode();
  };
  EXPECT_EQ(get(8, {.remote = 0, .stride = 4, .bytes = 4, .count = 2}), Code::ok);
  EXPECT_EQ(get(8, {.remote = 0, .stride = 4, .bytes = 4, .count = 3}), Code::invalid_size);
  EXPECT_EQ(get(8, {.remote = 0, .stride = 4, .bytes = 4, .count = 1}), Code::invalid_size);
  EXPECT_EQ(get(0, {.remote = 0, .stride = 0, .bytes = 0, .count = UINT32_MAX}), Code::invalid_size)
      << "four thousand million pieces of nothing";
  EXPECT_EQ(get(8, {.remote = 0, .stride = 1, .bytes = UINT32_MAX, .count = UINT32_MAX}), Code::invalid_size);
  Message claims(OneSidedKind::get, 8);
  claims.head.runs = UINT32_MAX;
  EXPECT_EQ(claims.decode(), Code::invalid_size) << "runs that are not there";
}

}  // namespace
}  // namespace polder::test
