// The file that a rank leaves: a header, then chunks, each appended by one write. Little endian, no padding that
// matters.
//
//   FileHeader | ChunkHeader payload | ChunkHeader payload | ...
//
// A reader skips chunks whose type it does not know. A rank that is killed leaves at worst a torn last chunk, and a
// file without a `finish` chunk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <polder/types.hpp>

namespace polder::trace {

inline constexpr std::array<char, 8> kFileMagic = {'P', 'L', 'D', 'T', 'R', 'A', 'C', 'E'};
inline constexpr std::uint32_t kFileVersion = 1;
inline constexpr std::uint32_t kChunkMagic = 0x6b684350;  // "PChk"
inline constexpr std::string_view kFileSuffix = ".trace";

// The two clocks, read together: on one machine the monotonic clock orders the events of all ranks, between machines
// the difference of the two lines them up as well as the machines' time of day agrees.
struct ClockPair {
  std::int64_t monotonic_ns = 0;
  std::int64_t realtime_ns = 0;

  std::int64_t offset_ns() const { return realtime_ns - monotonic_ns; }
};

ClockPair read_clocks();

struct FileHeader {
  std::array<char, 8> magic = kFileMagic;
  std::uint32_t version = kFileVersion;
  std::uint32_t event_bytes = 0;  // sizeof(Event) of the writer
  Rank rank = 0;
  Rank size = 1;
  std::uint64_t job = 0;
  ClockPair clocks;
  std::uint32_t pid = 0;
  std::uint32_t reserved = 0;
  std::array<char, 64> host{};  // ends with a 0
};

enum class ChunkType : std::uint16_t {
  names = 1,   // count x { u16 kind, u8 length of name, u8 length of category, both texts }
  thread = 2,  // a ThreadRecord
  events = 3,  // count x Event
  finish = 4,  // a FinishRecord: the recorder was closed in order
};

struct ChunkHeader {
  std::uint32_t magic = kChunkMagic;
  ChunkType type = ChunkType::events;
  std::uint16_t reserved = 0;
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;  // of the payload
};

struct ThreadRecord {
  std::uint32_t thread = 0;
  std::uint32_t system_id = 0;  // the kernel's number, as debuggers and `top -H` show it
  std::array<char, 32> name{};  // ends with a 0
};

struct FinishRecord {
  ClockPair clocks;
  std::uint64_t dropped = 0;  // events lost: no memory for a ring, or the file could not be written
};

static_assert(std::is_trivially_copyable_v<FileHeader> && sizeof(FileHeader) == 120);
static_assert(std::is_trivially_copyable_v<ChunkHeader> && sizeof(ChunkHeader) == 16);
static_assert(std::is_trivially_copyable_v<ThreadRecord> && sizeof(ThreadRecord) == 40);
static_assert(std::is_trivially_copyable_v<FinishRecord> && sizeof(FinishRecord) == 24);

// "rank-000012.trace" in `directory`.
std::string file_path(std::string_view directory, Rank rank);

// Fills a text field, cut where it is too long, always ended by a 0.
template <std::size_t kSize>
void set_text(std::array<char, kSize>& field, std::string_view text) {
  field.fill(0);
  text.copy(field.data(), kSize - 1);
}

// The text of a field, also of one from a damaged file that lacks its 0.
template <std::size_t kSize>
std::string get_text(const std::array<char, kSize>& field) {
  const std::string_view all(field.data(), kSize);
  return std::string(all.substr(0, all.find('\0')));
}

}  // namespace polder::trace
