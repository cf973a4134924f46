#include <polder/status.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace polder {
namespace {

static_assert(sizeof(Status) == sizeof(void*), "a Status travels in a register");

TEST(Status, DefaultIsSuccess) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(bool(status));
  EXPECT_EQ(status.code(), Code::ok);
  EXPECT_EQ(status.died(), Died::nothing);
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.to_string(), "ok");
}

TEST(Status, BareCodeOkIsSuccess) {
  EXPECT_TRUE(Status(Code::ok).ok());
}

TEST(Status, BareCodeCarriesNoText) {
  const Status status = Code::timeout;
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(status.timed_out());
  EXPECT_EQ(status.code(), Code::timeout);
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.to_string(), "timeout");
}

TEST(Status, EveryCodeSurvivesTheWordItIsKeptIn) {
  for (int value = 1; value <= int(Code::system); ++value) {
    const Status status{Code(value)};
    EXPECT_FALSE(status.ok()) << value;
    EXPECT_EQ(status.code(), Code(value));
  }
}

TEST(Status, MessageNamesWhatWasWrong) {
  const Status status(Code::invalid_offset, "put of 8 bytes at 100 ends behind segment 3 of rank 1", Died::operation);
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(status.timed_out());
  EXPECT_EQ(status.code(), Code::invalid_offset);
  EXPECT_EQ(status.died(), Died::operation);
  EXPECT_EQ(status.to_string(), "invalid offset: put of 8 bytes at 100 ends behind segment 3 of rank 1");
}

TEST(Status, CopyOutlivesTheOriginal) {
  auto original = std::make_unique<Status>(Code::system, "the text", Died::peer);
  const Status copy = *original;
  original.reset();
  EXPECT_EQ(copy.message(), "the text");
  EXPECT_EQ(copy.died(), Died::peer);
}

TEST(Status, MoveTakesTheErrorAway) {
  Status from(Code::busy, "allreduce");
  const Status to = std::move(from);
  EXPECT_EQ(to.message(), "allreduce");
  EXPECT_TRUE(from.ok());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move): that is what is tested
}

TEST(Status, AssignmentReplacesAndSurvivesItself) {
  Status status(Code::busy, "first");
  status = Status(Code::limit, "second");
  EXPECT_EQ(status.message(), "second");
  const Status& same = status;
  status = same;
  EXPECT_EQ(status.message(), "second");
  status = Status();
  EXPECT_TRUE(status.ok());
}

TEST(Status, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int value = 0; value <= int(Code::system); ++value) names.insert(to_string(Code(value)));
  EXPECT_EQ(names.size(), std::size_t(Code::system) + 1);
  EXPECT_EQ(names.count("unknown code"), 0u);
  EXPECT_EQ(to_string(Code(200)), "unknown code");
}

TEST(Status, EveryDeathHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int value = 0; value <= int(Died::runtime); ++value) names.insert(to_string(Died(value)));
  EXPECT_EQ(names.size(), std::size_t(Died::runtime) + 1);
  EXPECT_EQ(to_string(Died(200)), "unknown");
}

TEST(Result, HoldsAValue) {
  const Result<int> result = 7;
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, 7);
  EXPECT_TRUE(result.status().ok());
  EXPECT_EQ(result.value_or(9), 7);
}

TEST(Result, HoldsTheReasonForHavingNone) {
  const Result<int> result = Status(Code::invalid_rank, "rank 9 of 4");
  EXPECT_FALSE(result);
  EXPECT_EQ(result.status().message(), "rank 9 of 4");
  EXPECT_EQ(result.value_or(9), 9);
  EXPECT_EQ(Result<int>(Code::timeout).status().code(), Code::timeout);
}

TEST(Result, GivesUpAValueThatOnlyMoves) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  EXPECT_EQ(**result, 5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(Result, StatusCanBeMovedOut) {
  Result<int> result = Status(Code::system, "reason");
  const Status status = std::move(result).status();
  EXPECT_EQ(status.message(), "reason");
}

}  // namespace
}  // namespace polder
