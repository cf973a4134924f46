// attach_from_environment() in children of this process, which plays the launcher.

#include "bootstrap/local/attach.hpp"

#include "bootstrap/local/job_page.hpp"
#include "bootstrap/local/launcher_news.hpp"
#include "util/fd.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

namespace polder::bootstrap::local {
namespace {

std::string path_of(const util::Fd& file) {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file.get());
}

class AttachTest : public testing::Test {
 protected:
  AttachTest() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    news_ = util::Fd(ends[0]);
    news_write_ = util::Fd(ends[1]);
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    util::Fd unused(ends[0]);
    lifeline_ = util::Fd(ends[1]);
    page_ = *JobPage::create({.size = 2, .launcher = getpid(), .news_file = news_.get()});
    setenv(kJobVariable, path_of(page_->file()).c_str(), 1);
    setenv(kRankVariable, "1", 1);
    setenv(kLifelineVariable, path_of(lifeline_).c_str(), 1);
  }
  ~AttachTest() override {
    for (const char* name : {kJobVariable, kRankVariable, kLifelineVariable}) unsetenv(name);
  }

  // The wait status of a child that runs `body` and exits with what it returns.
  int in_child(const std::function<int()>& body) {
    const pid_t pid = fork();
    if (pid == 0) {
      lifeline_.reset();  // only the launcher may hold it
      _exit(body());
    }
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    return status;
  }

  // The code with which attaching fails in a child; Code::ok: it does not.
  Code attach_in_child() {
    return Code(WEXITSTATUS(in_child([] { return int(attach_from_environment().status().code()); })));
  }

  News next_news() {
    News news{};
    EXPECT_EQ(read(news_.get(), &news, sizeof news), ssize_t(sizeof news));
    return news;
  }

  util::Fd news_, news_write_, lifeline_;
  std::shared_ptr<JobPage> page_;
};

// As where the device of the first runtime cannot be made.
TEST_F(AttachTest, CountsNoRuntimeWhoseStartFailed) {
  in_child([] {
    (void)attach_from_environment();
    (*attach_from_environment())->finish();
    return 0;
  });
  EXPECT_EQ(page_->state(1), RankState::finished);
}

TEST_F(AttachTest, FillsTheSlotAndTellsOfAnUnknownProcess) {
  EXPECT_EQ(attach_in_child(), Code::ok);
  EXPECT_EQ(page_->state(1), RankState::attached);
  EXPECT_NE(page_->slot(1).pid.load(), 0);
  const News news = next_news();
  EXPECT_EQ(news.kind, News::attached_below);
  EXPECT_EQ(news.rank, 1u);
}

TEST_F(AttachTest, TheStartedProcessIsNoNews) {
  const int status = in_child([&] {
    page_->slot(1).process.store(getpid());
    return attach_from_environment().ok() ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  News news;
  EXPECT_EQ(read(news_.get(), &news, sizeof news), -1);
}

TEST_F(AttachTest, TheSameProcessMayAttachTwice) {
  EXPECT_EQ(in_child([] {
              auto first = attach_from_environment();
              auto second = attach_from_environment();
              if (!first || !second) return 1;
              return (*first)->publish("a", {}).ok() && (*second)->publish("a", {}).code() == Code::exists ? 0 : 2;
            }),
            0);
}

TEST_F(AttachTest, AnotherProcessMayNot) {
  EXPECT_EQ(attach_in_child(), Code::ok);
  EXPECT_EQ(attach_in_child(), Code::exists);
}

TEST_F(AttachTest, ThereIsNoWayBack) {
  page_->declare_failed(1);
  EXPECT_EQ(attach_in_child(), Code::closed);
}

TEST_F(AttachTest, NonsenseInTheEnvironmentIsRefused) {
  for (const char* rank : {"2", "-1", "x", "1x", "", "99999999999"}) {
    setenv(kRankVariable, rank, 1);
    EXPECT_EQ(attach_in_child(), Code::invalid_argument) << rank;
  }
  setenv(kRankVariable, "1", 1);
  unsetenv(kLifelineVariable);
  EXPECT_EQ(attach_in_child(), Code::invalid_argument);
  setenv(kJobVariable, "/proc/4194305/fd/3", 1);
  EXPECT_EQ(attach_in_child(), Code::peer_failed);
  EXPECT_EQ(page_->state(1), RankState::starting);
}

TEST_F(AttachTest, WithoutALauncherThereIsAJobOfOne) {
  unsetenv(kJobVariable);
  auto rank = attach_from_environment();
  ASSERT_TRUE(rank.ok()) << rank.status().to_string();
  EXPECT_EQ((*rank)->job().size, 1u);
  ASSERT_TRUE((*rank)->publish("key", {}).ok());
  EXPECT_TRUE((*rank)->lookup(0, "key", Timeout::test()).ok());
  EXPECT_EQ((*rank)->health(0), Health::healthy);
}

TEST_F(AttachTest, AJobOfOneEndsItself) {
  unsetenv(kJobVariable);
  int status = in_child([] {
    (*attach_from_environment())->abort(7, "enough");
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  status = in_child([] {
    [[maybe_unused]] const Status ignored = (*attach_from_environment())->kill(0);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(AttachTest, AbortTellsTheLauncher) {
  const int status = in_child([&] {
    page_->slot(1).process.store(getpid());
    (*attach_from_environment())->abort(42, "no way");
    return 0;
  });
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(next_news().kind, News::abort_asked);
  const AbortRequest* request = page_->abort_request();
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->rank, 1u);
  EXPECT_EQ(request->text(), "no way");
}

TEST_F(AttachTest, KillAsksTheLauncher) {
  const int status = in_child([&] {
    page_->slot(1).process.store(getpid());
    return (*attach_from_environment())->kill(0).ok() ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  const News news = next_news();
  EXPECT_EQ(news.kind, News::kill_asked);
  EXPECT_EQ(news.rank, 0u);
  EXPECT_EQ(page_->slot(0).kill_asked.load(), 2u);
}

TEST_F(AttachTest, TheLifelineKills) {
  const pid_t pid = fork();
  if (pid == 0) {
    lifeline_.reset();
    if (!attach_from_environment().ok()) _exit(1);
    while (true) pause();
  }
  // The news is sent once the lifeline is armed.
  pollfd news{.fd = news_.get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&news, 1, 60'000), 1);
  lifeline_.reset();
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

}  // namespace
}  // namespace polder::bootstrap::local
