// Where an output goes whose name is taken: by a link, by a pipe, or by a file of somebody else.
#include "trace/convert/output.hpp"

#include "trace_fixture.hpp"
#include "util/fd.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace polder::trace {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OutputTest : public TraceTest {
 protected:
  void SetUp() override {
    TraceTest::SetUp();
    fs::create_directories(folder_);
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  Status put(const std::string& path) const {
    Output out(path);
    out.write("new");
    return out.close();
  }
  std::size_t files() const {
    return std::size_t(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  const fs::path folder_ = fs::path(directory_) / "outputs";
};

TEST_F(OutputTest, ALinkStaysAndWhatItNamesIsWritten) {
  std::ofstream(path("target")) << "older";
  fs::create_symlink("target", path("link"));
  EXPECT_TRUE(put(path("link")).ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_FALSE(fs::is_symlink(path("target")));
  EXPECT_EQ(text_of(path("target")), "new");
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputTest, ALinkToNothingMakesItsTarget) {
  fs::create_symlink("target", path("second"));
  fs::create_symlink(path("second"), path("first"));
  EXPECT_TRUE(put(path("first")).ok());
  EXPECT_TRUE(fs::is_symlink(path("first")));
  EXPECT_TRUE(fs::is_symlink(path("second")));
  EXPECT_EQ(text_of(path("target")), "new");
}

TEST_F(OutputTest, LinksInACircleAreAnError) {
  fs::create_symlink("first", path("second"));
  fs::create_symlink("second", path("first"));
  const Status status = put(path("first"));
  EXPECT_EQ(status.code(), Code::system);
  EXPECT_TRUE(fs::is_symlink(path("first")));
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputTest, APipeIsWrittenAndStaysAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const util::Fd reader(::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_TRUE(put(path("pipe")).ok());
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  std::array<char, 8> got{};
  EXPECT_EQ(::read(reader.get(), got.data(), got.size()), 3);
  EXPECT_STREQ(got.data(), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, ADeviceWithoutRoomIsAnErrorAndStaysADevice) {
  if (::mknod(path("full").c_str(), S_IFCHR | 0600, ::makedev(1, 7)) != 0) GTEST_SKIP() << "this user makes no devices";
  if (std::FILE* const tried = std::fopen(path("full").c_str(), "wb"))
    std::fclose(tried);
  else
    GTEST_SKIP() << "devices in temporary folders are off";
  const Status status = put(path("full"));
  EXPECT_EQ(status.code(), Code::system);
  EXPECT_NE(status.message().find(path("full") + ": No space left"), std::string::npos) << status.message();
  EXPECT_TRUE(fs::is_character_file(path("full")));
}

// Whoever could not read the old file reads neither the new one nor its part.
TEST_F(OutputTest, AFileThatReplacesAnotherHasItsPermissions) {
  for (const mode_t mode : {0600u, 0666u, 0440u}) {
    std::ofstream(path("x")) << "older";
    ASSERT_EQ(::chmod(path("x").c_str(), mode), 0);
    Output out(path("x"));
    out.write("new");
    EXPECT_EQ(mode_t(fs::status(path("x.part")).permissions()) & ~(mode | 0600), 0u) << "while it is written";
    EXPECT_TRUE(out.close().ok());
    EXPECT_EQ(mode_t(fs::status(path("x")).permissions()), mode);
    EXPECT_EQ(text_of(path("x")), "new");
    fs::remove(path("x"));
  }
}

TEST_F(OutputTest, WhatCannotBeOnADiskIsWrittenAllTheSame) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const util::Fd reader(::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  for (const char* name : {"pipe", "file"}) {
    Output out(path(name));
    out.write("new");
    EXPECT_TRUE(out.sync().ok()) << name;
    EXPECT_TRUE(out.close().ok()) << name;
  }
  EXPECT_EQ(text_of(path("file")), "new");
}

TEST_F(OutputTest, AFileThatIsCalledPartIsLeftAlone) {
  std::ofstream(path("x.part")) << "mine";
  EXPECT_TRUE(put(path("x")).ok());
  EXPECT_EQ(text_of(path("x")), "new");
  EXPECT_EQ(text_of(path("x.part")), "mine");
  EXPECT_EQ(files(), 2u);
}

}  // namespace
}  // namespace polder::trace
