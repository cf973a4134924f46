// What members of a table of rows send each other is looked at before it is used: no record lies beyond its cell, and one that
// makes no sense ends the table with an error that names its sender.
#include "coll/lone_window.hpp"
#include "coll/rows/row_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

namespace polder::coll {
namespace {

using Kind = RowRecord::Kind;

constexpr Rank kMe = 0, kPeer = 1;
constexpr std::uint64_t kRows = 8;

Status add(const void* one, const void* two, void* result, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t a, b;
    std::memcpy(&a, static_cast<const std::byte*>(one) + 8 * i, 8);
    std::memcpy(&b, static_cast<const std::byte*>(two) + 8 * i, 8);
    a += b;
    std::memcpy(static_cast<std::byte*>(result) + 8 * i, &a, 8);
  }
  return {};
}

class RowPipeTest : public testing::Test {
 protected:
  RowPipeTest() : window(kMe, 2, layout.bytes(), layout.flags()), part(window, spec, layout) {}

  static StaleTableSpec make_spec() {
    StaleTableSpec spec{.rows = kRows, .row = {.count = 2, .element_size = 8, .combine = add}};
    spec.cells = 2;
    spec.cell_bytes = 256;
    return spec;
  }

  // A cell of the peer's with these records, and `bytes` in its head, or what is there.
  struct Sent {
    RowRecord record;
    std::array<std::uint64_t, 2> values = {};
  };
  void arrive(RowPipeKind kind, const std::vector<Sent>& records, std::uint64_t bytes = 0) {
    std::uint64_t& number = next[unsigned(kind)];
    const std::uint32_t pipe = layout.pipe(kind, kPeer);
    std::byte* const cell = window.own() + layout.arriving(pipe, number);
    std::size_t at = RowLayout::kCellHead;
    for (const Sent& sent : records) {
      ASSERT_LE(at + layout.record_bytes(sent.record.has_values()), layout.cell_bytes());
      std::memcpy(cell + at, &sent.record, sizeof sent.record);
      if (sent.record.has_values()) std::memcpy(cell + at + sizeof sent.record, sent.values.data(), 16);
      at += layout.record_bytes(sent.record.has_values());
    }
    const std::uint64_t head = bytes != 0 ? bytes : at;
    std::memcpy(cell, &head, sizeof head);
    window.raise_here(layout.arrived(pipe, number), RowLayout::tag(number));
    ++number;
  }
  void tell(const std::vector<Sent>& records, std::uint64_t bytes = 0) { arrive(RowPipeKind::told, records, bytes); }
  void answer(const RowRecord& record) { arrive(RowPipeKind::answers, {{record, {7, 9}}}); }
  std::array<std::uint64_t, 2> read(std::uint64_t row) {
    std::array<std::uint64_t, 2> values = {};
    Staleness told;
    EXPECT_TRUE(part.read(std::span(&row, 1), reinterpret_cast<std::byte*>(values.data()), told).ok());
    return values;
  }
  bool is_refused() {
    part.work();
    if (!part.news().has_failed()) return false;
    EXPECT_EQ(part.news().failure().code(), Code::system);
    EXPECT_THAT(part.news().failure().to_string(), testing::HasSubstr("rank 10"));
    return true;
  }

  const StaleTableSpec spec = make_spec();
  const RowLayout layout{spec, 2};
  std::uint64_t next[2] = {};
  LoneWindow window;
  RowPart part;
};

TEST_F(RowPipeTest, UpdatesTicksAndAnswersAreTaken) {
  tell({{{Kind::update, 0, 4, 1}, {1, 2}}, {{Kind::update, 0, 4, 1}, {10, 20}}, {{Kind::tick, 0, 0, 1}}});
  tell({{{Kind::ask, 0, 4, 1}}, {{Kind::ask, 0, kRows, 1}}});
  const std::uint64_t theirs = 3;
  part.ask({&theirs, 1}, 0);
  answer({Kind::row, kPeer, theirs, 1, 1, 1});
  EXPECT_FALSE(is_refused());
  EXPECT_EQ(read(4), (std::array<std::uint64_t, 2>{11, 22}));
  EXPECT_EQ(read(theirs), (std::array<std::uint64_t, 2>{7, 9}));
}

TEST_F(RowPipeTest, ARecordThatEndsBehindItsCellIsRefused) {
  tell({{{Kind::update, 0, 4, 1}, {1, 2}}}, RowLayout::kCellHead + layout.record_bytes(true) - 1);
  EXPECT_TRUE(is_refused());
}

TEST_F(RowPipeTest, ACellThatSaysItIsLargerIsRefused) {
  std::vector<Sent> full((layout.cell_bytes() - RowLayout::kCellHead) / layout.record_bytes(true));
  for (Sent& sent : full) sent = {{Kind::update, 0, 4, 1}, {1, 2}};
  tell(full, layout.cell_bytes() + 64);
  EXPECT_TRUE(is_refused());
}

TEST_F(RowPipeTest, ACellWithoutARecordIsRefused) {
  tell({}, 1);
  EXPECT_TRUE(is_refused());
}

TEST_F(RowPipeTest, ARecordOfNoKindIsRefused) {
  tell({{{Kind(6), 0, 4, 1}}});
  EXPECT_TRUE(is_refused());
}

TEST_F(RowPipeTest, RowsThatTheTableDoesNotHaveAreRefused) {
  tell({{{Kind::update, 0, kRows, 1}, {1, 2}}});
  EXPECT_TRUE(is_refused());
}

TEST_F(RowPipeTest, AnAnswerAmongWhatIsToldIsRefused) {
  tell({{{Kind::row, 0, 4, 1}, {1, 2}}});
  EXPECT_TRUE(is_refused());
}

TEST_F(RowPipeTest, AnAnswerThatNobodyAskedForIsRefused) {
  answer({Kind::row, kPeer, 3, 1, 1, 0});
  EXPECT_TRUE(is_refused());
}

TEST_F(RowPipeTest, ASecondAnswerIsRefused) {
  const std::uint64_t theirs = 3;
  part.ask({&theirs, 1}, 0);
  answer({Kind::row, kPeer, theirs, 1, 1, 1});
  EXPECT_FALSE(is_refused());
  answer({Kind::row, kPeer, theirs, 2, 2, 1});
  EXPECT_TRUE(is_refused());
}

TEST_F(RowPipeTest, AnAnswerWhoseSlowestIsNoMemberIsRefused) {
  const std::uint64_t theirs = 3;
  part.ask({&theirs, 1}, 0);
  answer({Kind::row, 2, theirs, 1, 1, 1});
  EXPECT_TRUE(is_refused());
}

}  // namespace
}  // namespace polder::coll
