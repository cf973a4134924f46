#include "util/fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace polder::util {
namespace {

int fresh() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}
bool is_open(int fd) {
  return fcntl(fd, F_GETFD) >= 0;
}

TEST(Fd, DefaultIsNone) {
  const Fd none;
  EXPECT_FALSE(none);
  EXPECT_LT(none.get(), 0);
}

TEST(Fd, ClosesItself) {
  const int number = fresh();
  {
    const Fd fd(number);
    EXPECT_TRUE(fd);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, MoveHandsOver) {
  Fd from(fresh());
  const int number = from.get();
  Fd to(std::move(from));
  EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(to.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(Fd, ReleaseGivesItAway) {
  Fd fd(fresh());
  const Fd later(fd.release());
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(later.get()));
}

TEST(Fd, ResetClosesOnce) {
  Fd fd(fresh());
  const int number = fd.get();
  fd.reset();
  EXPECT_FALSE(is_open(number));
  const Fd reused(fresh());  // likely the same number, which a second close would take away
  fd.reset();
  EXPECT_TRUE(is_open(reused.get()));
}

}  // namespace
}  // namespace polder::util
