// What travels between two ranks: frames of records. Everything is in the byte order of the machine: a job runs on one
// kind of machine.
//
//   FrameHeader | Record, payload | Record, payload | ...            small operations, packed
//   FrameHeader | Record          || payload from the user's memory  a part of a large one
//   FrameHeader | Record | Record, FlagPayload || payload            its last part, and the flag that says so
//
// In front of a part's record there may be its company: flags and puts of a few bytes that were posted before it.
//
// Frames are numbered and carried out at the target in the order of their numbers, whatever the transport does: that is
// why no flag overtakes its data.
#pragma once

#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace polder::device::wire {

struct FrameHeader {
  std::uint64_t session = 0;  // the number that the receiver drew for this link: who does not know it is a stranger
  Rank source = 0;
  std::uint32_t number = 0;   // of this frame, from 1; one without records is not counted and repeats the last number
  std::uint32_t done = 0;     // the receiver's frames that were carried out here: all up to this number
  std::uint32_t drained = 0;  // bytes of the receiver's messages that handlers here have taken, records included
  std::uint32_t clock = 0;    // of the sender, in milliseconds
  std::uint32_t echo = 0;     // the receiver's clock, as the sender knew it: how old this frame can be at most
};

enum class RecordKind : std::uint8_t {
  put,      // payload: data for (region, offset)
  flag,     // payload: FlagPayload, for (region, offset)
  message,  // payload: for `handler`
  get,      // payload: GetPayload; answered by `data` records
  data,     // payload: what belongs at `offset` of piece `index` of operation `operation`
  atomic,   // payload: AtomicPayload; answered by `old`
  old,      // payload: 8 bytes, the value before operation `operation`
  failed,   // operation `operation` could not be carried out; `detail` is the polder::Code
  ping,     // asks for nothing but an acknowledgement
  bye,      // the sender leaves in good order, and carries nothing out any more
  ask,      // for the key of `region`, to reach it without the target's help
  key,      // payload: KeyPayload and the key of `region`; none: it is to be reached by messages
  revoke,   // the key of `region` must not be used any more
  release,  // and is not: the answer to that
};

// How soon the sender of a frame is told that it was carried out, where nothing is sent to it anyway.
enum class Acknowledgement : std::uint8_t {
  with_next,  // not before the next frame comes, which is on its way
  when_idle,  // when nothing comes for a while
  now,
};

struct Record {
  RecordKind kind = RecordKind::ping;
  // Of an atomic: AtomicOp and, in the high bit, a width of 8 bytes. Of a part: kMore or 0. Of a put and a flag: kUnawaited
  // or 0, and of the flag kAdds.
  std::uint8_t detail = 0;
  std::uint16_t handler = 0;
  std::uint32_t bytes = 0;      // of the payload behind it
  std::uint32_t operation = 0;  // as the initiator numbers it
  // Of the piece, for get and data. Of a put and its flag: how often that number has come before in this place of the initiator's
  // table. Both together never come again.
  std::uint32_t index = 0;
  std::uint64_t region = 0;
  std::uint64_t offset = 0;
};

struct FlagPayload {
  std::uint64_t bell_offset = 0;
  std::uint64_t value = 0;
};

struct GetPayload {
  std::uint64_t bytes = 0;
};

struct AtomicPayload {
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
};

struct KeyPayload {
  std::uint64_t address = 0;  // of the region at the target
  std::uint64_t size = 0;
};

static_assert(sizeof(FrameHeader) == 32 && sizeof(Record) == 32);

constexpr std::uint8_t kWide = 0x80;    // in `detail` of an atomic
constexpr std::uint8_t kAdds = 1;       // likewise of a flag: the value is added to what is there
constexpr std::uint8_t kMore = 1;       // likewise of a part: the next one follows, so this one alone needs no answer
constexpr std::uint8_t kUnawaited = 2;  // likewise of a put and its flag: nobody waits for the acknowledgement
constexpr std::uint8_t kInHead =
    4;  // likewise of a put: its payload is behind it in the head of a part, whose record follows

// The head of a frame that carries a part of a large transfer.
struct PartHeader {
  FrameHeader frame;
  Record record;
};

// A flag that travels with the last part of the data that it stands for.
struct FlagRecord {
  Record record;
  FlagPayload payload;
};
static_assert(sizeof(FlagRecord) == sizeof(Record) + sizeof(FlagPayload));
// In front of a part: flags, as the credits of letters are, or the head of a letter and a flag.
constexpr std::size_t kCompanyBytes = 64;  // of a put that waits for a part: the head of a letter
constexpr std::size_t kMostCompany = sizeof(Record) + kCompanyBytes + sizeof(FlagRecord);
constexpr std::size_t kMostPartHead = sizeof(PartHeader) + kMostCompany + sizeof(FlagRecord);
constexpr bool is_part_head(std::size_t bytes) {
  return bytes >= sizeof(PartHeader) && bytes <= kMostPartHead && bytes % sizeof(std::uint64_t) == 0;
}

// ---- sizes ----

// The largest message, head and body.
constexpr std::size_t kMaxMessage = std::size_t{64} << 10;
// Pieces up to this are copied into frames, and what is small goes with them; larger ones are sent from where they lie. Between two
// hosts over TCP on a Xeon of 2023 with 16 kB exchanges of 4 and 8 kB took 0.9 to 0.95 of the time, whose credits went along, and puts
// of 8 and 16 kB 1.05 to 1.1. So it is 4 kB and the head of a letter of a collective.
constexpr std::size_t kPackLimit = 4096 + 256;
// A frame of packed records has no more than this, unless it has but one of them.
constexpr std::size_t kFillBytes = kMaxMessage;
constexpr std::size_t kFrameBytes = sizeof(FrameHeader) + sizeof(Record) + kMaxMessage + 64;
// A part of a large transfer: one segment of the transport, so that the receiver copies it once.
// With 130 kB, which letters of 128 kB would fit, collectives of 1 MB between two hosts took 1.05 to 2.7 times as long.
constexpr std::size_t kPartBytes = std::size_t{120} << 10;
// What any transport must be able to send at once.
constexpr std::size_t kPacketLimit = kMostPartHead + kPartBytes;
static_assert(kFrameBytes <= kPacketLimit);
// Parts that no frame holds may be as large as this where the transport sends that (Settings::part_bytes).
constexpr std::size_t kMostPartBytes = 9 * kPartBytes;
constexpr std::size_t kMostPacket = kMostPartHead + kMostPartBytes;

// Bytes by which a payload is padded, so that records stay aligned.
constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 7) & ~std::size_t{7};
}

// The clock of frames and greetings.
constexpr std::uint32_t clock_ms(std::int64_t nanoseconds) {
  return std::uint32_t(nanoseconds / 1'000'000);
}

// What goes in front of a part, if `head` begins with such a record: its bytes. 0: the part's own record comes first.
// `head` is what is behind the FrameHeader.
inline std::size_t company_in_front(std::span<const std::byte> head) {
  Record record;
  if (head.size() < 2 * sizeof record) return 0;
  std::memcpy(&record, head.data(), sizeof record);
  const bool is_flag = record.kind == RecordKind::flag;
  const bool is_put = record.kind == RecordKind::put && (record.detail & kInHead) != 0;
  const std::size_t most = head.size() - 2 * sizeof record;
  if ((!is_flag && !is_put) || record.bytes > most || padded(record.bytes) > most) return 0;
  return sizeof record + padded(record.bytes);
}

template <class T>
std::span<const std::byte> payload_of(const T& value) {
  return {reinterpret_cast<const std::byte*>(&value), sizeof value};
}
// A payload of that type; false: it has another size.
template <class T>
bool read_payload(std::span<const std::byte> payload, T& value) {
  if (payload.size() != sizeof value) return false;
  std::memcpy(&value, payload.data(), sizeof value);
  return true;
}

// Is `a` after `b`, for numbers that wrap around?
constexpr bool after(std::uint32_t a, std::uint32_t b) {
  return std::int32_t(a - b) > 0;
}

}  // namespace polder::device::wire
