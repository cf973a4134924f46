// How a LaneWire reads letters out of its own cells, and combines what is in them.
#include "coll/drive/lane_wire.hpp"

#include "core/group/group_state.hpp"
#include "util/copy.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace polder::coll {

bool LaneWire::find_filled(Traffic& traffic, Slot slot, Filled& filled) const {
  const unsigned cell = traffic.taken % Room::kCells;
  const std::uint32_t expected = mark(traffic.taken / Room::kCells);
  if (!traffic.comes_in_cells && find_in_envelope(slot, cell, expected, filled))
    return traffic.comes_in_envelopes = true;
  if (traffic.comes_in_envelopes) return false;
  const auto& flag = ground_.own().control->flags()[ground_.room().letter_flag(lane_, slot, cell)];
  const std::uint32_t word = flag.load(std::memory_order_acquire);
  if (word >> 24 != expected) return false;
  const bool is_short = (word & kInShort) != 0;
  const core::LetterRoom& room = ground_.room();
  std::byte* const place =
      ground_.own().data + (is_short ? room.short_cell(lane_, slot, cell) : room.cell(lane_, slot, cell));
  filled.print = word & kPrint;
  filled.content = place + CellHead::kRoom;
  filled.is_short = is_short;
  std::memcpy(&filled.head, place, sizeof filled.head);
  return traffic.comes_in_cells = true;
}

bool LaneWire::find_in_envelope(Slot slot, unsigned cell, std::uint32_t expected, Filled& filled) const {
  std::byte* const memory = ground_.own().data;
  Envelope& own = envelope(memory, slot, cell);
  const std::uint32_t word = own.word.load(std::memory_order_acquire);
  if (word >> 24 != expected) return false;
  filled.print = word & kPrint;
  filled.envelope = &own;
  filled.head = own.head;
  filled.content = Envelope::holds_content(own.head)
                       ? own.content
                       : memory + ground_.room().cell(lane_, slot, cell) + CellHead::kRoom;
  return true;
}

bool LaneWire::pull(In& in) {
  Traffic& traffic = traffic_[in.slot];
  // Its writer may want to know whether this member, too, reads the others.
  if (in.bytes >= CopyWays::kLeast) static_cast<void>(ground_.process_reads().are_possible());
  const std::size_t end = is_assembled(in) ? in.bytes : std::min(in.up_to, in.bytes);
  do {
    awaited_.store(member(in.from), std::memory_order_relaxed);
    Filled cell;
    if (!find_filled(traffic, first_ + in.slot, cell)) return false;
    const bool has_landed = cell.print == (print_ ^ kLanded) && traffic.window != 0;
    if (!(has_landed ? take_landed(in, traffic) : take_cell(in, traffic, cell))) return false;
    if (in.done == in.bytes) end_letter(in, traffic);
    if (traffic.taken / Room::kHalf != traffic.credited) owe(in, traffic);
  } while (in.done < end);
  in.ended = in.done == in.bytes;
  return true;
}

bool LaneWire::take_cell(In& in, Traffic& traffic, const Filled& cell) {
  const CellHead& head = cell.head;
  if (!is_ours(in, cell.print, head) || !is_whole(in, traffic.taken % Room::kCells, cell)) return false;
  if (head.failure != 0) hear_of_failure(in, head, cell.content);
  if (head.bytes == CellHead::kRendezvous) {
    if (!take_in_place(in, traffic, *cell.envelope)) return false;
    pass(traffic, in.slot, traffic.taken + 1);
    in.done = in.bytes;
  } else {
    if (!empty_cell(in, cell)) return false;
    const bool is_alone = cell.envelope != nullptr ? Envelope::holds_content(head) : cell.is_short;
    pass(traffic, in.slot, behind(traffic.taken, head.bytes, is_alone));
    in.done += head.bytes;
  }
  return true;
}

// These cells have been read. Of a piece only the first one says that it is filled: the others would say what they said rounds ago, and
// after 255 rounds that is what they are to say when they are filled. Their writer fills none before it has the credit.
void LaneWire::pass(Traffic& traffic, Slot slot, std::uint64_t end) {
  while (++traffic.taken < end) take_down(slot, traffic.taken % Room::kCells);
}

// Mostly there is nothing to take down, and then the line stays with its writer.
void LaneWire::take_down(Slot slot, unsigned cell) {
  const auto clear = [](std::atomic<std::uint32_t>& word) {
    if (word.load(std::memory_order_relaxed) != 0) word.store(0, std::memory_order_relaxed);
  };
  clear(ground_.own().control->flags()[ground_.room().letter_flag(lane_, first_ + slot, cell)]);
  clear(envelope(ground_.own().data, first_ + slot, cell).word);
}

// Whether the letter is of this very call, and as long as expected.
bool LaneWire::is_ours(const In& in, std::uint32_t print, const CellHead& head) {
  if (print != print_) {
    trouble_ = ground_.mismatch(call_, head.call, member(in.from));
    return false;
  }
  if (head.total != in.bytes) {
    refuse(in.from, in.bytes, head.total);
    trouble_ = std::exchange(failure_, {});
    return false;
  }
  return true;
}

// Whether the piece lies within the letter, and within its span of cells; only a whole letter may be elsewhere.
bool LaneWire::is_whole(const In& in, unsigned cell, const Filled& filled) {
  const CellHead& head = filled.head;
  const bool is_within = head.bytes <= in.bytes - in.done && cells_of(head.bytes) <= Room::kSpan - cell % Room::kSpan;
  const bool fits = head.bytes == CellHead::kRendezvous
                        ? filled.envelope != nullptr && in.done == 0 && in.bytes != 0 && in.take == Take::copy
                        : is_within && (!filled.is_short || is_short(head));
  if (fits && head.failure <= std::uint32_t(Code::owner_died)) return true;
  trouble_ = {
      Code::invalid_argument,
      "a letter of rank " + std::to_string(ground_.rank_of(member(in.from))) + " has a piece that does not fit it",
      Died::operation};
  return false;
}

void LaneWire::hear_of_failure(const In& in, const CellHead& head, const std::byte* content) {
  if (!failure_.ok()) return;
  std::memcpy(&reason_, content, sizeof reason_);
  reason_.text[Reason::kRoom - 1] = '\0';
  failure_ = Status(Code(head.failure),
                    std::string(to_string(call_.kind)) + ": combining failed at rank " +
                        std::to_string(ground_.rank_of(member(in.from))) + " or before it: " + reason_.text,
                    Died::operation);
}

// Elements that are larger than a cell are put together first.
bool LaneWire::is_assembled(const In& in) const {
  return in.take != Take::copy && elements.size > kContent;
}

// False: the function that combines gave up for now.
bool LaneWire::empty_cell(In& in, const Filled& cell) {
  const CellHead& head = cell.head;
  std::byte* content = cell.content;
  if (!failure_.ok() || head.bytes == 0) return true;
  if (in.take == Take::copy) {
    const auto copy = [&] {
      in.copy_from(content, head.bytes, goes_past_cache(in) ? util::copy_block_past_cache : util::copy_block);
    };
    if (cell.envelope != nullptr && content != cell.envelope->content)
      measure(CopyWays::Step::take, in.bytes, traffic_[in.slot].taken, head.bytes, copy);
    else
      copy();
    return true;
  }
  alignas(util::kCacheLine) std::byte aligned[Envelope::kContent];  // what is in an envelope is not
  if (head.bytes <= sizeof aligned) content = static_cast<std::byte*>(std::memcpy(aligned, content, head.bytes));
  if (!is_assembled(in)) return combine(in, content, head.bytes);
  if (in.assembly == nullptr) in.assembly = scratch_.take(in.bytes);
  util::copy(in.assembly + in.done, content, head.bytes);
  if (in.done + head.bytes < in.bytes) return true;
  In whole = in;
  whole.done = 0;
  return combine(whole, in.assembly, in.bytes);
}

// What the members of this node receive and send at the same time would not stay in their last cache: 1.2 to 1.5 times as fast on an
// EPYC with 32 MB, for letters of 1 MB to 4 and 16 neighbours.
bool LaneWire::goes_past_cache(const In& in) const {
  constexpr std::size_t kMany = std::size_t{4} << 20;  // bytes
  return in.bytes * ground_.group().nodes().beside().size() >= kMany;
}

// The next bytes of the letter; `content` may be used up.
bool LaneWire::combine(const In& in, std::byte* content, std::size_t bytes) {
  std::byte* const into = static_cast<std::byte*>(in.into) + in.done;
  const std::byte* const operand = in.operand();
  const bool right = in.take == Take::combine_right;
  // A function's result may lie in its first vector, but not in its second one.
  std::byte* const result = right || operand != into ? into : content;
  Status status = combine_guarded(*elements.combine, right ? operand : content, right ? content : operand, result,
                                  bytes / elements.size);
  if (status.timed_out()) return false;
  fail(status);
  if (result != into) util::copy(into, result, bytes);
  return true;
}

bool LaneWire::fold(const void* one, const void* two, void* result, std::size_t bytes) {
  if (!failure_.ok() || bytes == 0) return true;
  Status status = combine_guarded(*elements.combine, one, two, result, bytes / elements.size);
  if (status.timed_out()) return false;
  fail(status);
  return true;
}

}  // namespace polder::coll
