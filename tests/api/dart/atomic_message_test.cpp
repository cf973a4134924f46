// What a peer asks of a unit's memory by message is checked before it is done.
#include "api/dart/atomic/atomic_message.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace polder::dart {
namespace {

template <class T>
std::vector<std::byte> letter(const AtomicHead& head, const std::vector<T>& operands) {
  std::vector<std::byte> bytes(sizeof head + operands.size() * sizeof(T));
  std::memcpy(bytes.data(), &head, sizeof head);
  if (!operands.empty()) std::memcpy(bytes.data() + sizeof head, operands.data(), operands.size() * sizeof(T));
  return bytes;
}

AtomicHead head_of(AtomicKind kind, dart_datatype_t type, dart_operation_t op, std::uint64_t offset,
                   std::uint64_t count) {
  return {.kind = std::uint32_t(kind),
          .type = std::uint32_t(type),
          .op = std::uint32_t(op),
          .segment = 1,
          .offset = offset,
          .count = count,
          .token = 5};
}

class AtomicMessage : public testing::Test {
 protected:
  Code run(const std::vector<std::byte>& bytes) {
    DecodedAtomic request;
    if (const Code code = decode_atomic(bytes, request); code != Code::ok) return code;
    return carry_out(request, std::as_writable_bytes(std::span(memory)), old);
  }
  template <class T>
  T old_as() const {
    T value;
    std::memcpy(&value, old, sizeof value);
    return value;
  }

  int memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  std::byte old[sizeof(long double)] = {};
};

TEST_F(AtomicMessage, DoesWhatItIsAskedTo) {
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::update, DART_TYPE_INT, DART_OP_SUM, 8, 3), {10, 20, 30})), Code::ok);
  EXPECT_EQ(memory[2], 12);
  EXPECT_EQ(memory[4], 34);
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::fetch, DART_TYPE_INT, DART_OP_REPLACE, 0, 1), {9})), Code::ok);
  EXPECT_EQ(memory[0], 9);
  EXPECT_EQ(old_as<int>(), 0);
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::fetch, DART_TYPE_INT, DART_OP_NO_OP, 28, 1), {})), Code::ok);
  EXPECT_EQ(old_as<int>(), 7);
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::compare_swap, DART_TYPE_INT, 0, 4, 1), {8, 1})), Code::ok);
  EXPECT_EQ(memory[1], 8);
  EXPECT_EQ(old_as<int>(), 1);
}

TEST_F(AtomicMessage, NothingBehindTheEndOfASegmentIsTouched) {
  for (const AtomicKind kind : {AtomicKind::fetch, AtomicKind::compare_swap})
    for (const std::uint64_t count : {0, 1, 2}) {
      const std::vector<int> operands(kind == AtomicKind::fetch ? 1 : 2, 1);
      EXPECT_NE(run(letter(head_of(kind, DART_TYPE_INT, DART_OP_SUM, sizeof memory, count), operands)), Code::ok);
    }
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::update, DART_TYPE_INT, DART_OP_SUM, 28, 2), {1, 1})),
            Code::invalid_offset);
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::update, DART_TYPE_INT, DART_OP_SUM, ~std::uint64_t{3}, 1), {1})),
            Code::invalid_offset);
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::update, DART_TYPE_INT, DART_OP_SUM, 2, 1), {1})),
            Code::invalid_alignment);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(memory[i], i);
}

TEST_F(AtomicMessage, OperandsAreAllThereAndNoMore) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::update, DART_TYPE_INT, DART_OP_SUM, 0, 3), {1, 2})),
            Code::invalid_size);
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::update, DART_TYPE_INT, DART_OP_SUM, 0, kMost / 4 + 2), {1})),
            Code::invalid_size);
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::fetch, DART_TYPE_INT, DART_OP_SUM, 0, 1), {})), Code::invalid_size);
  EXPECT_EQ(run(letter<int>(head_of(AtomicKind::compare_swap, DART_TYPE_INT, 0, 0, 1), {1})), Code::invalid_size);
  EXPECT_EQ(run(std::vector<std::byte>(sizeof(AtomicHead) - 1)), Code::invalid_size);
}

TEST_F(AtomicMessage, WhatDoesNotExistIsRefused) {
  const auto asks = [&](std::uint32_t kind, dart_datatype_t type, dart_operation_t op, std::uint64_t segment = 1) {
    AtomicHead head = head_of(AtomicKind(kind), type, op, 0, 1);
    head.segment = segment;
    return run(letter<double>(head, {1.0}));
  };
  EXPECT_EQ(asks(3, DART_TYPE_DOUBLE, DART_OP_SUM), Code::invalid_argument);
  EXPECT_EQ(asks(0, DART_TYPE_LAST, DART_OP_SUM), Code::invalid_argument);
  EXPECT_EQ(asks(0, DART_TYPE_DOUBLE, DART_OP_BAND), Code::invalid_argument);
  EXPECT_EQ(asks(0, DART_TYPE_DOUBLE, DART_OP_LAST), Code::invalid_argument);
  EXPECT_EQ(asks(2, DART_TYPE_DOUBLE, 0), Code::invalid_argument);
  EXPECT_EQ(asks(0, DART_TYPE_DOUBLE, DART_OP_SUM, std::uint64_t{1} << 32), Code::invalid_segment);
}

TEST_F(AtomicMessage, AnAnswerIsNoLongerThanAnElement) {
  AtomicAnswer answer{.token = 3, .code = 0, .size = sizeof(long double), .old = {}};
  const auto is_answer = [&] {
    AtomicAnswer heard;
    return decode_answer(std::as_bytes(std::span(&answer, 1)), heard);
  };
  EXPECT_TRUE(is_answer());
  answer.size += 1;
  EXPECT_FALSE(is_answer());
  answer = {.token = 3, .code = std::uint32_t(Code::owner_died) + 1, .size = 0, .old = {}};
  EXPECT_FALSE(is_answer());
}

}  // namespace
}  // namespace polder::dart
