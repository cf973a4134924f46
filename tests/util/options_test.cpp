#include "util/options.hpp"

#include "util/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace polder::util {
namespace {

constexpr Option kNumber{"POLDER_TEST_NUMBER", "12", "a number"};
constexpr Option kFlag{"POLDER_TEST_FLAG", "on", "a flag"};

std::int64_t number_from(const char* text) {
  const ScopedEnvironment set(kNumber.name, text);
  return option_number(kNumber);
}

bool flag_from(const char* text) {
  const ScopedEnvironment set(kFlag.name, text);
  return option_flag(kFlag);
}

TEST(Options, DefaultWhereTheEnvironmentIsSilent) {
  const ScopedEnvironment unset(kNumber.name, nullptr);
  EXPECT_EQ(option_text(kNumber), "12");
  EXPECT_EQ(option_number(kNumber), 12);
}

TEST(Options, EmptyCountsAsUnset) {
  EXPECT_EQ(number_from(""), 12);
}

TEST(Options, EnvironmentWins) {
  const ScopedEnvironment set(kNumber.name, "13");
  EXPECT_EQ(option_text(kNumber), "13");
  EXPECT_EQ(option_number(kNumber), 13);
}

TEST(Options, NumbersHaveUnits) {
  EXPECT_EQ(number_from("64k"), 64 << 10);
  EXPECT_EQ(number_from("2M"), 2 << 20);
  EXPECT_EQ(number_from("3G"), std::int64_t{3} << 30);
  EXPECT_EQ(number_from("1000000000000"), kLargestNumber);
}

TEST(Options, WhatIsNoNumberIsReportedAndTheDefaultTaken) {
  for (const char* wrong : {"many", "12x", "12kk", "k", "-1", "-2k", "1000000000001", "1000000000G", "-999999999999G",
                            "-17179869184G", "99999999999999999999"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(number_from(wrong), 12) << wrong;
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("POLDER_TEST_NUMBER=")) << wrong;
  }
}

TEST(Options, FlagsHaveFourSpellings) {
  for (const char* yes : {"1", "on", "true", "yes"}) EXPECT_TRUE(flag_from(yes)) << yes;
  for (const char* no : {"0", "off", "false", "no"}) EXPECT_FALSE(flag_from(no)) << no;
}

TEST(Options, WhatIsNoFlagIsReportedAndTheDefaultTaken) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(flag_from("perhaps"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("POLDER_TEST_FLAG=perhaps"));
}

TEST(Options, SomeFlagsMayBeLeftToTheProgram) {
  constexpr Option kChoice{"POLDER_TEST_CHOICE", "auto", "a choice"};
  const auto chosen = [&](const char* text) {
    const ScopedEnvironment set(kChoice.name, text);
    return option_flag_or_auto(kChoice);
  };
  EXPECT_EQ(chosen(nullptr), std::nullopt);
  EXPECT_EQ(chosen("auto"), std::nullopt);
  EXPECT_EQ(chosen("on"), true);
  EXPECT_EQ(chosen("no"), false);
  testing::internal::CaptureStderr();
  EXPECT_EQ(chosen("perhaps"), std::nullopt);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("POLDER_TEST_CHOICE=perhaps"));
}

constexpr std::string_view kKnown[] = {"POLDER_SPIN_US", "POLDER_LOG", "POLDER_HELPER"};

TEST(Options, TheNearestNameIsTheOneThatWasMeant) {
  EXPECT_EQ(nearest_name("POLDER_SPINUS", kKnown), "POLDER_SPIN_US");
  EXPECT_EQ(nearest_name("POLDER_HEPLER", kKnown), "POLDER_HELPER");
  EXPECT_EQ(nearest_name("POLDER_LOGS", kKnown), "POLDER_LOG");
  EXPECT_EQ(nearest_name("POLDER_API", kKnown), "") << "too short to be a slip";
  EXPECT_EQ(nearest_name("POLDER_OF_MINE", kKnown), "");
}

TEST(Options, AMisspeltNameIsReportedOnce) {
  const ScopedEnvironment slip("POLDER_SPIN_SU", "5"), own("POLDER_OF_MINE", "1"), right("POLDER_LOG", "warning");
  testing::internal::CaptureStderr();
  report_unknown(kKnown);
  report_unknown(kKnown);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("POLDER_SPIN_SU is not known and means nothing; did you mean POLDER_SPIN_US?"));
  EXPECT_EQ(said.find("POLDER_SPIN_SU"), said.rfind("POLDER_SPIN_SU"));
  EXPECT_THAT(said, testing::Not(testing::HasSubstr("OF_MINE")));
}

// In a process of its own, where nothing has been logged yet; a program in which all goes well logs nothing.
TEST(OptionsDeathTest, ALevelThatThereIsNotIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto start = [] {
    const ScopedEnvironment level("POLDER_LOG", "nonsense");
    report_unknown(kKnown);
    std::exit(0);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(0), "POLDER_LOG=nonsense is not understood; using warning");
}

}  // namespace
}  // namespace polder::util
