// What a letter is made of at its reader (core/group/letter_room.hpp has the places): cells, one behind the other, each with a head.
#pragma once

#include "coll/lane/call_record.hpp"
#include "coll/port/wire.hpp"
#include "core/group/letter_room.hpp"
#include "util/platform.hpp"

#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace polder::coll {

struct CellHead {
  // Bytes in front of the content in the cell, so that it is aligned.
  static constexpr std::size_t kRoom = 64;

  // In place of the bytes in a cell: there are none, but a Rendezvous.
  static constexpr std::uint32_t kRendezvous = ~std::uint32_t{0};

  CallRecord call;
  std::uint64_t total = 0;    // bytes of the letter
  std::uint32_t bytes = 0;    // in this cell
  std::uint32_t failure = 0;  // a Code: combining has failed, and instead of the content there is a Reason
};
static_assert(sizeof(CellHead) <= CellHead::kRoom);

// How the cells of a slot are counted.
class Cells {
  using Room = core::LetterRoom;

 public:
  static constexpr std::size_t kContent = Room::kCell - CellHead::kRoom;  // bytes, of a cell
  static constexpr std::size_t kShortContent = Room::kShort - CellHead::kRoom;
  static bool is_short(const CellHead& head) { return head.failure == 0 && head.bytes <= kShortContent; }

  // Cells that so many bytes take, with the head.
  static unsigned needed_for(std::size_t content) {
    return unsigned((CellHead::kRoom + content + Room::kCell - 1) / Room::kCell);
  }
  // Cells that are used up once one more piece is in: of a letter that is not short whole places, so that it is one of eight that are under
  // way and not of 32. They take memory, and the first letter in each waits for its pages: gathers of 4 kB between two hosts took 1.2
  // to 1.7 times as long, until all had been touched.
  static constexpr unsigned kPlace = Room::kMappedSpan;
  static std::uint64_t behind(std::uint64_t cells, std::size_t content, bool is_alone) {
    return is_alone ? cells + 1 : (cells + needed_for(content) + kPlace - 1) / kPlace * kPlace;
  }
  static std::uint32_t mark(std::uint64_t round) { return std::uint32_t(round % 255) + 1; }
};

// What says that a cell is filled: 8 bits of its round (1 to 255; 0: it never was), a bit for the short cell, and 23 of the call's
// fingerprint, which are changed by kLanded where a chunk has landed past the cells.
struct CellWord {
  static constexpr std::uint32_t kInShort = 1u << 23, kPrint = kInShort - 1, kLanded = 0x5a5a5a;

  static std::uint32_t of(std::uint64_t cells, std::uint32_t print) {
    return Cells::mark(cells / core::LetterRoom::kCells) << 24 | print;
  }
  static std::uint32_t mark_of(std::uint32_t word) { return word >> 24; }
  static std::uint32_t print_of(std::uint32_t word) { return word & kPrint; }
  static bool is_in_short(std::uint32_t word) { return (word & kInShort) != 0; }
};

// Where the whole letter lies at its writer, who waits until the reader has taken it there: one copy for two.
struct Rendezvous {
  enum Kind : std::uint32_t { segment, process };

  Kind kind = segment;
  SegmentId id = 0;
  std::uint64_t at = 0;  // offset in the segment, or address in the process
};

// What a reader raises a credit to: the round of the half that may be filled again and, as long as a window is open for the rest of
// the letter that it reads (coll/letters/letter_window.hpp), which letter that is, and whether it lands to be combined, in chunks.
struct CreditWord {
  static constexpr std::uint32_t kCombined = 1u << 31, kLetters = (1u << 23) - 1;

  static std::uint32_t of_window(std::uint32_t letter, bool is_combined) {
    return name(letter) | (is_combined ? kCombined : 0);
  }
  static std::uint32_t mark_of(std::uint32_t word) { return word & 0xff; }
  static bool has_window(std::uint32_t word, std::uint32_t letter) {
    return (word & ~kCombined & ~0xffu) == name(letter);
  }
  static bool is_combined(std::uint32_t word) { return (word & kCombined) != 0; }

 private:
  static std::uint32_t name(std::uint32_t letter) { return (letter % kLetters + 1) << 8; }
};

// Where the reader's memory is mapped the head is stored in the cell's envelope, with what is short, and the word that says that the
// cell is filled: of a letter of 8 bytes one cache line goes from core to core, and not those of a flag, a head and a content; and
// envelopes lie side by side, where cells are two pages apart.
struct alignas(util::kCacheLine) Envelope {
  static constexpr std::size_t kContent = 72;  // bytes

  CellHead head;
  std::atomic<std::uint32_t> word;     // as the flag of a cell that a device fills
  std::atomic<RendezvousStage> stage;  // where the head says kRendezvous
  std::byte content[kContent];

  // Else it is in the cell, behind the room for a head.
  static bool holds_content(const CellHead& head) {
    return head.failure == 0 && (head.bytes <= kContent || head.bytes == CellHead::kRendezvous);
  }
};
static_assert(kLetterFrame == core::LetterRoom::kSpan * core::LetterRoom::kCell && CellHead::kRoom == kLetterHead);
static_assert(sizeof(Rendezvous) <= Envelope::kContent);
static_assert(sizeof(Envelope) == core::LetterRoom::kEnvelope);
static_assert(offsetof(Envelope, content) + sizeof(double) <= util::kCacheLine);

}  // namespace polder::coll
