#include "common/file.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace apps {
namespace {

TEST(File, ReadsWhatWasWrittenAtPlaces) {
  TemporaryFolder folder;
  const std::string text = "abcdef";
  {
    const Result<File> file = File::create(folder / "data");
    ASSERT_TRUE(file.ok()) << file.status().to_string();
    ASSERT_TRUE(file->write_at(3, std::as_bytes(std::span(text).last(3))).ok());
    ASSERT_TRUE(file->write_at(0, std::as_bytes(std::span(text).first(3))).ok());
    EXPECT_TRUE(file->sync().ok());
  }
  const Result<File> file = File::open(folder / "data");
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  EXPECT_EQ(file->size().value_or(0), 6u);
  std::string middle(2, ' ');
  ASSERT_TRUE(file->read_at(2, std::as_writable_bytes(std::span(middle))).ok());
  EXPECT_EQ(middle, "cd");
}

TEST(File, ReadingPastTheEndIsAnErrorThatNamesThePlace) {
  TemporaryFolder folder;
  write_file(folder / "data", "abc");
  const Result<File> file = File::open(folder / "data");
  ASSERT_TRUE(file.ok());
  std::string more(4, ' ');
  const Status status = file->read_at(0, std::as_writable_bytes(std::span(more)));
  EXPECT_NE(status.message().find("data' ends at byte 3"), std::string::npos) << status.to_string();
}

TEST(File, CreateTakesNoFileThatIsThere) {
  TemporaryFolder folder;
  write_file(folder / "data", "abc");
  EXPECT_EQ(File::create(folder / "data").status().code(), Code::exists);
  EXPECT_EQ(read_file(folder / "data"), "abc");
}

// Without waiting for the pipe's writer.
TEST(File, OnlyRegularFilesAreOpened) {
  TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(File::open(folder / "pipe").status().code(), Code::invalid_argument);
  EXPECT_EQ(File::open(folder / ".").status().code(), Code::invalid_argument);
  EXPECT_NE(File::open(folder / "nothing").status().message().find("No such file"), std::string::npos);
}

TEST(File, ReserveSetsTheSize) {
  TemporaryFolder folder;
  const Result<File> file = File::create(folder / "data");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->reserve(12345).ok());
  EXPECT_EQ(file->size().value_or(0), 12345u);
}

TEST(File, ReservingInMemoryTakesNoPages) {
  const int fd = ::memfd_create("reserved", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  const Result<File> file = File::open_to_write("/proc/self/fd/" + std::to_string(fd));
  ASSERT_TRUE(file.ok()) << file.status().to_string();
  EXPECT_TRUE(file->reserve(1 << 20).ok());
  struct stat about {};
  ASSERT_EQ(::fstat(fd, &about), 0);
  EXPECT_EQ(about.st_size, 1 << 20);
  EXPECT_EQ(about.st_blocks, 0);
  ::close(fd);
}

}  // namespace
}  // namespace apps
