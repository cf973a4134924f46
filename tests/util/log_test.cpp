#include "util/log.hpp"

#include <gtest/gtest.h>

#include <string>

namespace polder::util {
namespace {

// The level is read once per process, so these tests run under the default (warning).
std::string captured(LogLevel level, const std::string& text) {
  testing::internal::CaptureStderr();
  log(level, "%s %d", text.c_str(), 7);
  return testing::internal::GetCapturedStderr();
}

TEST(Log, PrintsOneLineWithItsLevel) {
  EXPECT_EQ(captured(LogLevel::warning, "rank"), "polder: warning: rank 7\n");
  EXPECT_EQ(captured(LogLevel::error, "rank"), "polder: error: rank 7\n");
}

TEST(Log, IsSilentBelowTheLevelAskedFor) {
  EXPECT_EQ(captured(LogLevel::info, "rank"), "");
  EXPECT_EQ(captured(LogLevel::debug, "rank"), "");
}

TEST(Log, CutsALineThatIsTooLong) {
  const std::string line = captured(LogLevel::error, std::string(5000, 'x'));
  EXPECT_LE(line.size(), 1024u);
  EXPECT_EQ(line.substr(0, 18), "polder: error: xxx");
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(line.find('\0'), std::string::npos);
}

}  // namespace
}  // namespace polder::util
