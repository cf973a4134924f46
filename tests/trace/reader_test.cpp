#include "trace/read/reader.hpp"

#include "trace_fixture.hpp"

#include <fstream>
#include <iterator>

namespace polder::trace {
namespace {

class ReaderTest : public TraceTest {
 protected:
  // A file with 32 events in two chunks, as bytes.
  std::string make_file() {
    auto recorder = open(options());
    for (std::uint64_t i = 0; i < 32; ++i) recorder->record(event_at(EventKind::put, 1, 2, {.bytes = i}));
    recorder.reset();
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write_file(std::string_view bytes) const { std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes; }
  std::string path() const { return file_path(directory_, 0); }
};

TEST_F(ReaderTest, EveryTruncationGivesTheWholeEventsBeforeIt) {
  const std::string whole = make_file();
  std::size_t last = 0;
  for (std::size_t size = sizeof(FileHeader); size < whole.size(); ++size) {
    write_file(std::string_view(whole).substr(0, size));
    const Contents contents = read();
    ASSERT_GE(contents.events.size(), last) << size;
    last = contents.events.size();
    ASSERT_EQ(contents.file.events, last);
    ASSERT_FALSE(contents.file.finished) << size;
    for (std::uint64_t i = 0; i < last; ++i) ASSERT_EQ(contents.events[i].bytes, i);
  }
  EXPECT_EQ(last, 32u);
}

TEST_F(ReaderTest, TornChunkIsToldApartFromAnEndBetweenChunks) {
  const std::string whole = make_file();
  const std::size_t finish = sizeof(ChunkHeader) + sizeof(FinishRecord);
  write_file(whole.substr(0, whole.size() - finish));
  EXPECT_EQ(read().file.damage, "");
  EXPECT_EQ(read().events.size(), 32u);
  write_file(whole.substr(0, whole.size() - finish - 1));
  EXPECT_NE(read().file.damage.find("torn event chunk"), std::string::npos) << read().file.damage;
  EXPECT_EQ(read().events.size(), 31u);
}

TEST_F(ReaderTest, GarbageEndsTheReading) {
  const std::string whole = make_file();
  write_file(whole + "this is no chunk, and it is longer than a chunk header");
  const Contents contents = read();
  EXPECT_EQ(contents.events.size(), 32u);
  EXPECT_NE(contents.file.damage.find("at byte " + std::to_string(whole.size())), std::string::npos);
}

TEST_F(ReaderTest, EveryDamagedByteIsSurvived) {
  const std::string whole = make_file();
  for (std::size_t at = sizeof(FileHeader); at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 0xff);
    write_file(damaged);
    ASSERT_LE(read().events.size(), 32u) << at;
  }
}

TEST_F(ReaderTest, UnknownChunksAreSkipped) {
  const std::string whole = make_file();
  const ChunkHeader header{.type = ChunkType(99), .count = 1, .bytes = 5};
  write_file(whole + std::string(reinterpret_cast<const char*>(&header), sizeof header) + "hello");
  EXPECT_EQ(read().file.damage, "");
  EXPECT_EQ(read().events.size(), 32u);
}

TEST_F(ReaderTest, OtherFilesAreRefused) {
  const auto code = [&] { return read_trace(path(), [](auto) {}).status().code(); };
  EXPECT_EQ(code(), Code::system) << "there is no file";
  write_file("something else");
  EXPECT_EQ(code(), Code::invalid_argument);
  std::string whole = make_file();
  whole[8] = 99;  // the version
  write_file(whole);
  EXPECT_EQ(code(), Code::invalid_argument);
}

TEST_F(ReaderTest, FindsTheFilesOfADirectory) {
  EXPECT_EQ(find_traces(directory_).status().code(), Code::invalid_argument) << "an empty directory";
  EXPECT_EQ(find_traces(directory_ + "/none").status().code(), Code::system);
  for (const Rank rank : {2, 0, 1}) open(options(rank, 3));
  std::ofstream(directory_ + "/notes.txt") << "not a trace";
  const auto paths = find_traces(directory_);
  ASSERT_TRUE(paths.ok());
  ASSERT_EQ(paths->size(), 3u);
  for (Rank rank = 0; rank < 3; ++rank) EXPECT_EQ((*paths)[rank], file_path(directory_, rank));
}

}  // namespace
}  // namespace polder::trace
