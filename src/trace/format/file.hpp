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
inline constexpr std::uint32_t kFileVersion = 2;
inline constexpr std::uint32_t kChunkMagic = 0x6b684350;  // "PChk"
inline constexpr std::string_view kFileSuffix = ".trace";

// What the times of events count.
enum class ClockSource : std::uint32_t {
  monotonic,  // nanoseconds of CLOCK_MONOTONIC, or of a simulation
  cycles,     // the processor's counter, of a constant rate that the readings tell
};

// The clocks of a machine, read together. Two readings tell the rate of `ticks`; on one machine both clocks are the same
// for all ranks.
struct ClockReading {
  std::int64_t ticks = 0;
  std::int64_t monotonic_ns = 0;
  std::int64_t realtime_ns = 0;
};

struct FileHeader {
  std::array<char, 8> magic = kFileMagic;
  std::uint32_t version = kFileVersion;
  std::uint32_t event_bytes = 0;  // sizeof(Event) of the writer
  Rank rank = 0;
  Rank size = 1;
  std::uint64_t job = 0;
  ClockReading clocks;
  ClockSource source = ClockSource::monotonic;
  std::uint32_t pid = 0;
  std::uint32_t cores = 0;        // that the ranks of this machine share; 0: not known
  std::uint32_t local_ranks = 0;  // ranks on this machine
  std::array<char, 64> host{};    // ends with a 0
};

enum class ChunkType : std::uint16_t {
  names = 1,   // count x { u16 kind, u16 like, u8 length of name, u8 length of category, both texts }
  thread = 2,  // a ThreadRecord
  events = 3,  // count x Event
  finish = 4,  // a FinishRecord: the recorder was closed in order
  clock = 5,   // a ClockReading; the writer leaves one now and then, for ranks that never finish
  group = 6,   // a GroupRecord, then count ranks of 32 bits
  sync = 7,    // count x SyncRecord
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

struct GroupRecord {
  std::uint32_t tag = 0;  // the same at all members
  std::uint32_t members = 0;
};

// A question to `peer` for its clock, and when its answer was back: the peer's reading lies between the two.
struct SyncRecord {
  Rank peer = 0;
  std::uint32_t reserved = 0;
  std::int64_t asked = 0;       // ticks of this rank
  std::int64_t answered = 0;    // likewise
  std::int64_t peer_ticks = 0;  // of the peer's recorder
};

// Events that are not in the file, by why.
struct Omissions {
  std::uint64_t lost = 0;      // no memory for a thread's ring, or the file could not be written
  std::uint64_t filtered = 0;  // of kinds, sizes or times that were not asked for
  std::uint64_t beyond = 0;    // after the limit on the file's size was reached
};

struct FinishRecord {
  ClockReading clocks;
  Omissions omitted;
  std::uint64_t run_delay_ns = 0;  // in which threads of the process could run and had no core; 0: not known
};

static_assert(std::is_trivially_copyable_v<FileHeader> && sizeof(FileHeader) == 136);
static_assert(std::is_trivially_copyable_v<ChunkHeader> && sizeof(ChunkHeader) == 16);
static_assert(std::is_trivially_copyable_v<ThreadRecord> && sizeof(ThreadRecord) == 40);
static_assert(std::is_trivially_copyable_v<GroupRecord> && sizeof(GroupRecord) == 8);
static_assert(std::is_trivially_copyable_v<SyncRecord> && sizeof(SyncRecord) == 32);
static_assert(std::is_trivially_copyable_v<FinishRecord> && sizeof(FinishRecord) == 56);

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
