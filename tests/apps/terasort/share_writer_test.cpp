#include "share_writer.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace terasort {
namespace {

std::string some_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i) bytes[i] = char(i * 7 + i / 251);
  return bytes;
}

// Writes `share` as whole records, at most `at_once` of them at a time.
void write_share(ShareWriter& writer, const std::string& share, std::uint64_t at_once) {
  for (std::uint64_t at = 0; at < share.size();) {
    const std::span<std::byte> room = writer.room();
    ASSERT_GE(room.size(), kRecordBytes);
    ASSERT_EQ(room.size() % kRecordBytes, 0u);
    const std::uint64_t bytes = std::min({room.size(), at_once * kRecordBytes, share.size() - at});
    std::memcpy(room.data(), share.data() + at, bytes);
    ASSERT_TRUE(writer.add(bytes).ok());
    at += bytes;
  }
}

TEST(ShareWriter, TheFileHoldsTheShareAtItsPlaceWhateverTheBlocks) {
  TemporaryFolder folder;
  const std::string share = some_bytes(71 * kRecordBytes);
  for (const std::uint64_t offset : {0, 100, 1000, 4000}) {
    for (const std::uint64_t block : {100, 250, 1000, 1024, 1 << 20}) {
      for (const std::uint64_t at_once : {1, 3, 1000}) {
        const std::string path = folder / "out";
        std::remove(path.c_str());
        const Result<File> file = File::create(path);
        ASSERT_TRUE(file.ok());
        ShareWriter writer(*file, offset, share.size(), block);
        write_share(writer, share, at_once);
        ASSERT_TRUE(writer.finish().ok());
        EXPECT_EQ(writer.written(), share.size());
        ASSERT_EQ(read_file(path) == std::string(offset, '\0') + share, true)
            << "offset " << offset << ", blocks of " << block << ", " << at_once << " at once";
      }
    }
  }
}

TEST(ShareWriter, BlocksBeginAtMultiplesOfTheirSize) {
  TemporaryFolder folder;
  const Result<File> file = File::create(folder / "out");
  ASSERT_TRUE(file.ok());
  ShareWriter writer(*file, 300, 50 * kRecordBytes, 1024);
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t before = writer.written();
    ASSERT_TRUE(writer.add(kRecordBytes).ok());
    if (writer.written() != before) {
      EXPECT_EQ((300 + writer.written()) % 1024, 0u);
    }
  }
  EXPECT_EQ(writer.written(), (300 + 50 * kRecordBytes) / 1024 * 1024 - 300);
}

TEST(ShareWriter, AnEmptyShareWritesNothing) {
  TemporaryFolder folder;
  const Result<File> file = File::create(folder / "out");
  ShareWriter writer(*file, 500, 0, 1024);
  EXPECT_TRUE(writer.finish().ok());
  EXPECT_EQ(*file->size(), 0u);
}

TEST(ShareWriter, SaysWhichFileCouldNotBeWritten) {
  TemporaryFolder folder;
  write_file(folder / "out", "");
  const Result<File> readable = File::open(folder / "out");
  ShareWriter writer(*readable, 0, kRecordBytes, 1024);
  ASSERT_TRUE(writer.add(kRecordBytes).ok());
  const Status status = writer.finish();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("out"), std::string::npos);
}

}  // namespace
}  // namespace terasort
