#include "common/output_file.hpp"

#include "temporary_folder.hpp"
#include "thread_crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace apps {
namespace {

using Names = std::set<std::string>;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(OutputFile, AppearsUnderItsNameOnlyWhenCommitted) {
  TemporaryFolder folder;
  const Crew crew = solo();
  Result<OutputFile> output = OutputFile::create(crew, folder / "out", 3);
  ASSERT_TRUE(output.ok()) << output.status().to_string();
  ASSERT_TRUE(output->file().write_at(0, bytes_of("abc")).ok());
  ASSERT_EQ(folder.names().size(), 1u);
  EXPECT_EQ(folder.names().begin()->rfind(".out.partial-", 0), 0u);
  ASSERT_TRUE(output->commit(crew, {}, true).ok());
  EXPECT_EQ(folder.names(), Names{"out"});
  EXPECT_EQ(read_file(folder / "out"), "abc");
}

TEST(OutputFile, IsRemovedWhenItIsNotCommitted) {
  TemporaryFolder folder;
  const Crew crew = solo();
  { ASSERT_TRUE(OutputFile::create(crew, folder / "out", 1000).ok()); }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(OutputFile, AFailureOfOneRankLeavesTheOldFileAsItWas) {
  TemporaryFolder folder;
  write_file(folder / "out", "old");
  std::atomic<int> failures = 0;
  run_ranks(4, [&](const Crew& crew) {
    Result<OutputFile> output = OutputFile::create(crew, folder / "out", 100);
    ASSERT_TRUE(output.ok()) << output.status().to_string();
    Status written = crew.rank == 2 ? Status(Code::system, "a bad disk") : Status();
    const Status status = output->commit(crew, std::move(written), false);
    failures += status.ok() ? 0 : 1;
    EXPECT_EQ(status.message(), crew.rank == 2 ? "a bad disk" : "");
  });
  EXPECT_EQ(failures, 4);
  EXPECT_EQ(folder.names(), Names{"out"});
  EXPECT_EQ(read_file(folder / "out"), "old");
}

TEST(OutputFile, RanksWriteTheirParts) {
  TemporaryFolder folder;
  run_ranks(3, [&](const Crew& crew) {
    Result<OutputFile> output = OutputFile::create(crew, folder / "out", 6);
    ASSERT_TRUE(output.ok());
    Status status = output->file().write_at(2 * crew.rank, bytes_of(std::string(2, char('a' + crew.rank))));
    EXPECT_TRUE(output->commit(crew, std::move(status), false).ok());
  });
  EXPECT_EQ(read_file(folder / "out"), "aabbcc");
}

TEST(OutputFile, FollowsASymbolicLink) {
  TemporaryFolder folder;
  write_file(folder / "target", "old");
  ASSERT_EQ(::symlink((folder / "target").c_str(), (folder / "link").c_str()), 0);
  const Crew crew = solo();
  Result<OutputFile> output = OutputFile::create(crew, folder / "link", 3);
  ASSERT_TRUE(output.ok());
  ASSERT_TRUE(output->file().write_at(0, bytes_of("new")).ok());
  ASSERT_TRUE(output->commit(crew, {}, false).ok());
  EXPECT_EQ(read_file(folder / "target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(OutputFile, FollowsASymbolicLinkToWhatIsNotThere) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "there");
  ASSERT_EQ(::symlink("there/second", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink("target", (folder / "there/second").c_str()), 0);
  Result<OutputFile> output = OutputFile::create(solo(), folder / "link", 3);
  ASSERT_TRUE(output.ok()) << output.status().to_string();
  ASSERT_TRUE(output->file().write_at(0, bytes_of("new")).ok());
  ASSERT_TRUE(output->commit(solo(), {}, false).ok());
  EXPECT_EQ(read_file(folder / "there/target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "there/second"));
  ASSERT_EQ(::symlink("circle", (folder / "circle").c_str()), 0);
  EXPECT_FALSE(OutputFile::create(solo(), folder / "circle", 3).ok());
}

unsigned permissions(const std::string& path) {
  struct stat about {};
  EXPECT_EQ(::stat(path.c_str(), &about), 0);
  return about.st_mode & 0777;
}

TEST(OutputFile, HasThePermissionsOfTheFileThatItReplaces) {
  for (const unsigned mode : {0600u, 0666u, 0440u}) {
    TemporaryFolder folder;
    write_file(folder / "out", "old");
    ASSERT_EQ(::chmod((folder / "out").c_str(), mode_t(mode)), 0);
    Result<OutputFile> output = OutputFile::create(solo(), folder / "out", 3);
    ASSERT_TRUE(output.ok()) << output.status().to_string();
    for (const std::string& name : folder.names())
      EXPECT_EQ(permissions(folder / name) & ~(mode | 0600), 0u) << name << ", while it is written";
    ASSERT_TRUE(output->commit(solo(), {}, false).ok());
    EXPECT_EQ(permissions(folder / "out"), mode);
  }
}

TEST(OutputFile, RefusesAFolderAndAMissingFolder) {
  TemporaryFolder folder;
  const Crew crew = solo();
  EXPECT_EQ(OutputFile::create(crew, folder / ".", 1).status().code(), Code::invalid_argument);
  const Result<OutputFile> output = OutputFile::create(crew, folder / "missing/out", 1);
  ASSERT_FALSE(output.ok());
  EXPECT_NE(output.status().message().find("missing"), std::string::npos);
}

// As a full disk would: noticed before anything is written, and nothing is left behind.
TEST(OutputFile, NoticesAtOnceThatItDoesNotFit) {
  TemporaryFolder folder;
  const Crew crew = solo();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<OutputFile> output = OutputFile::create(crew, folder / "out", 2 << 20);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(output.ok());
  EXPECT_NE(output.status().message().find("reserve 2097152 bytes"), std::string::npos) << output.status().to_string();
  EXPECT_EQ(folder.names(), Names{});
}

TEST(OutputFile, IsJoinedByRanksThatComeLater) {
  TemporaryFolder folder;
  Result<OutputFile> first = OutputFile::join(folder / "out", 7, 4);
  ASSERT_TRUE(first.ok()) << first.status().to_string();
  EXPECT_EQ(folder.names(), Names{".out.partial-00000007"});
  ASSERT_TRUE(first->file().write_at(0, bytes_of("ab")).ok());
  Result<OutputFile> second = OutputFile::join(folder / "out", 7, 4);
  ASSERT_TRUE(second.ok()) << second.status().to_string();
  ASSERT_TRUE(second->file().write_at(2, bytes_of("cd")).ok());
  EXPECT_FALSE(second->has_its_name());
  ASSERT_TRUE(first->commit(solo(), {}).ok());
  EXPECT_TRUE(first->has_its_name());
  EXPECT_TRUE(second->has_its_name());
  write_file(folder / "other", "abcd");
  std::filesystem::rename(folder / "other", folder / "out");
  EXPECT_FALSE(second->has_its_name());
  EXPECT_EQ(folder.names(), Names{"out"});
}

TEST(OutputFile, StaysWhereOthersGoOnWritingIt) {
  TemporaryFolder folder;
  {
    Result<OutputFile> taken = OutputFile::join(folder / "out", 7, 4);
    ASSERT_TRUE(taken.ok());
    taken->keep();
  }
  EXPECT_EQ(folder.names(), Names{".out.partial-00000007"});
  { ASSERT_TRUE(OutputFile::join(folder / "out", 7, 4).ok()); }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(OutputFile, IsNotJoinedInAMissingFolder) {
  TemporaryFolder folder;
  EXPECT_NE(OutputFile::join(folder / "missing/out", 7, 4).status().message().find("missing"), std::string::npos);
}

}  // namespace
}  // namespace apps
