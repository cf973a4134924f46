#include "trace/record/recorder.hpp"

#include "trace_fixture.hpp"

#include <csignal>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace polder::trace {
namespace {

using RecorderFailureTest = TraceTest;

TEST_F(RecorderFailureTest, OptionsThatMakeNoSenseAreRefused) {
  RecorderOptions wrong = options();
  wrong.directory.clear();
  EXPECT_EQ(Recorder::open(wrong).status().code(), Code::invalid_argument);
  EXPECT_EQ(Recorder::open(options(4, 4)).status().code(), Code::invalid_rank);
  wrong = options();
  wrong.ring_events = 1;
  EXPECT_EQ(Recorder::open(wrong).status().code(), Code::invalid_argument);
}

TEST_F(RecorderFailureTest, DirectoryThatCannotBeMadeIsNamed) {
  std::ofstream(directory_ + "/file") << "in the way";
  RecorderOptions wrong = options();
  wrong.directory = directory_ + "/file/traces";
  const Status status = Recorder::open(wrong).status();
  EXPECT_EQ(status.code(), Code::system);
  EXPECT_NE(status.message().find(wrong.directory), std::string_view::npos) << status.to_string();
}

TEST_F(RecorderFailureTest, NamesThatAreTooLongAreRefused) {
  auto recorder = open(options());
  const std::string long_name(256, 'x');
  const KindName names[] = {{EventKind::first_user, EventKind::region, long_name.c_str(), "app"}};
  EXPECT_EQ(recorder->name_kinds(names).code(), Code::invalid_argument);
  const KindName empty[] = {{EventKind::first_user, EventKind::region, "", "app"}};
  EXPECT_EQ(recorder->name_kinds(empty).code(), Code::invalid_argument);
}

// Runs `body` in a child process and returns how that ended, as waitpid tells it.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int ended = -1;
  ::waitpid(child, &ended, 0);
  return ended;
}

TEST_F(RecorderFailureTest, FullDiskIsReportedAndLeavesWholeChunks) {
  const int ended = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    auto recorder = open(options());
    const rlimit limit{6000, 6000};  // header, names and some 90 events
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    for (std::uint64_t i = 0; i < 1000; ++i) recorder->record(event_at(EventKind::put, 1, 2, {.bytes = i}));
    const Status status = recorder->close();
    if (status.code() != Code::system) ::_exit(3);
    if (status.message().find(recorder->path()) == std::string_view::npos) ::_exit(4);
    if (recorder->flush().ok() || recorder->close().ok()) ::_exit(5);
  });
  ASSERT_TRUE(WIFEXITED(ended));
  ASSERT_EQ(WEXITSTATUS(ended), 0);
  const Contents contents = read();
  EXPECT_EQ(contents.file.damage, "") << "the torn chunk was cut off";
  EXPECT_FALSE(contents.file.finished);
  EXPECT_GE(contents.events.size(), 16u);
  EXPECT_EQ(contents.events.size() % 16, 0u);
  for (std::uint64_t i = 0; i < contents.events.size(); ++i) EXPECT_EQ(contents.events[i].bytes, i);
}

TEST_F(RecorderFailureTest, ADiskThatIsFullFromTheStartIsALimitAndLeavesNoFile) {
  for (const rlim_t bytes : {rlim_t{100}, rlim_t{sizeof(FileHeader) + 100}}) {
    const int ended = in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{bytes, bytes};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
      if (Recorder::open(options()).status().code() != Code::limit) ::_exit(3);
    });
    ASSERT_TRUE(WIFEXITED(ended));
    EXPECT_EQ(WEXITSTATUS(ended), 0);
    EXPECT_FALSE(std::filesystem::exists(file_path(directory_, 0)));
  }
}

TEST_F(RecorderFailureTest, KilledRankLosesOnlyItsRing) {
  const int ended = in_child([&] {
    auto recorder = open(options());
    for (std::uint64_t i = 0; i < 40; ++i) recorder->record(event_at(EventKind::put, 1, 2, {.bytes = i}));
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(ended));
  const Contents contents = read();
  EXPECT_EQ(contents.events.size(), 32u);
  EXPECT_FALSE(contents.file.finished);
  EXPECT_EQ(contents.file.damage, "");
}

}  // namespace
}  // namespace polder::trace
