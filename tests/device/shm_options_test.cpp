#include "device/shm/options.hpp"
#include "util/environment.hpp"

#include <gtest/gtest.h>

#include <string>

namespace polder::device::shm {
namespace {

TEST(ShmOptions, AWordThatIsNoneIsReported) {
  const auto said_of = [](const char* text, UserMemory expected) {
    const util::ScopedEnvironment how("POLDER_SHM_USER_MEMORY", text);
    testing::internal::CaptureStderr();
    EXPECT_EQ(user_memory_option(), expected);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said_of(nullptr, UserMemory::automatic), "");
  EXPECT_EQ(said_of("auto", UserMemory::automatic), "");
  EXPECT_EQ(said_of("cma", UserMemory::cross_attach), "");
  EXPECT_EQ(said_of("messages", UserMemory::messages), "");
  const std::string said = said_of("message", UserMemory::automatic);
  EXPECT_NE(said.find("POLDER_SHM_USER_MEMORY=message is not understood"), std::string::npos) << said;
}

}  // namespace
}  // namespace polder::device::shm
