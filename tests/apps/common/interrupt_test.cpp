// A signal that ends the process takes the partial output with it.
#include "common/interrupt.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

namespace apps {
namespace {

// How a child ends that makes `path`, runs `prepare` and raises `signal`.
template <class Prepare>
int end_of_child(const std::string& path, int signal, Prepare&& prepare) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::ofstream(path) << "half of it";
    prepare();
    ::raise(signal);
    ::_exit(0);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

class InterruptTest : public testing::TestWithParam<int> {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "partial";
};
INSTANTIATE_TEST_SUITE_P(Signals, InterruptTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_P(InterruptTest, RemovesTheFileAndEndsByTheSignal) {
  const int status = end_of_child(path_, GetParam(), [&] { remove_on_interrupt(path_); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam());
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_P(InterruptTest, KeepsAFileThatIsComplete) {
  const int status = end_of_child(path_, GetParam(), [&] {
    remove_on_interrupt(path_);
    keep_on_interrupt();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == GetParam());
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_P(InterruptTest, LeavesIgnoredSignalsIgnored) {
  const int status = end_of_child(path_, GetParam(), [&] {
    std::signal(GetParam(), SIG_IGN);
    remove_on_interrupt(path_);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace apps
