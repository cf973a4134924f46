#include "thread_crew.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace apps {
namespace {

// What each of four ranks is told when these fail themselves, and these stop because of another one.
std::array<std::string, 4> told(const std::array<Status, 4>& outcomes) {
  std::array<std::string, 4> texts;
  run_ranks(4, [&](const Crew& crew) {
    const Status status = crew.agree(outcomes[crew.rank]);
    texts[crew.rank] = status.ok() ? "fine" : status.message();
  });
  return texts;
}

TEST(Vote, SuccessIfItIsEverybodys) {
  EXPECT_EQ(told({}), (std::array<std::string, 4>{"fine", "fine", "fine", "fine"}));
}

TEST(Vote, OnlyTheLowestCulpritSpeaks) {
  const Status missing(Code::system, "no such file");
  EXPECT_EQ(told({Status(), missing, Status(), missing}), (std::array<std::string, 4>{"", "no such file", "", ""}));
}

TEST(Vote, ACulpritSpeaksBeforeThoseThatStoppedBecauseOfIt) {
  const Status full(Code::system, "full");
  EXPECT_EQ(told({stopped_by_another(), Status(), Status(), full}), (std::array<std::string, 4>{"", "", "", "full"}));
}

TEST(Vote, AFailedExchangeIsAnErrorUnlessThereIsOneAlready) {
  const Maximum broken = [](std::uint64_t) -> Result<std::uint64_t> { return Status(Code::timeout, "no news"); };
  EXPECT_EQ(vote(0, 2, {}, broken).message(), "no news");
  EXPECT_EQ(vote(0, 2, Status(Code::system, "full"), broken).message(), "full");
}

}  // namespace
}  // namespace apps
