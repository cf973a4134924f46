#include "coll/letters/letter_reader.hpp"

#include "coll/letters/offered_letter.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

namespace polder::coll {

bool LetterReader::find_filled(ReadSlot& traffic, Slot slot, Filled& filled) const {
  const unsigned cell = traffic.taken % Room::kCells;
  const std::uint32_t expected = Cells::mark(traffic.taken / Room::kCells);
  if (!traffic.comes_in_cells && find_in_envelope(slot, cell, expected, filled))
    return traffic.comes_in_envelopes = true;
  if (traffic.comes_in_envelopes) return false;
  const auto& flag = state_.ground.own().control->flags()[state_.ground.room().letter_flag(state_.lane, slot, cell)];
  const std::uint32_t word = flag.load(std::memory_order_acquire);
  if (CellWord::mark_of(word) != expected) return false;
  const bool is_short = CellWord::is_in_short(word);
  const core::LetterRoom& room = state_.ground.room();
  std::byte* const place = state_.ground.own().data +
                           (is_short ? room.short_cell(state_.lane, slot, cell) : room.cell(state_.lane, slot, cell));
  filled.print = CellWord::print_of(word);
  filled.content = place + CellHead::kRoom;
  filled.is_short = is_short;
  std::memcpy(&filled.head, place, sizeof filled.head);
  return traffic.comes_in_cells = true;
}

bool LetterReader::find_in_envelope(Slot slot, unsigned cell, std::uint32_t expected, Filled& filled) const {
  std::byte* const memory = state_.ground.own().data;
  Envelope& own = state_.envelope(memory, slot, cell);
  const std::uint32_t word = own.word.load(std::memory_order_acquire);
  if (CellWord::mark_of(word) != expected) return false;
  filled.print = CellWord::print_of(word);
  filled.envelope = &own;
  filled.head = own.head;
  filled.content = Envelope::holds_content(own.head)
                       ? own.content
                       : memory + state_.ground.room().cell(state_.lane, slot, cell) + CellHead::kRoom;
  return true;
}

// If nothing of the letter has come.
void LetterReader::offer_window(In& in) {
  Filled cell;
  ReadSlot& traffic = state_.read[in.slot];
  if (traffic.window == 0 && !find_filled(traffic, state_.first + in.slot, cell)) windows_.offer(in);
}

bool LetterReader::pull(In& in) {
  ReadSlot& traffic = state_.read[in.slot];
  // Its writer may want to know whether this member, too, reads the others.
  if (in.bytes >= CopyWays::kLeast) static_cast<void>(state_.ground.process_reads().are_possible());
  const std::size_t end_of_step = is_assembled(in) ? in.bytes : std::min(in.up_to, in.bytes);
  do {
    state_.await(in.from);
    Filled cell;
    if (!find_filled(traffic, state_.first + in.slot, cell)) return false;
    const bool has_landed = cell.print == (state_.print() ^ CellWord::kLanded) && traffic.window != 0;
    if (!(has_landed ? take_landed(in, traffic) : take_cell(in, traffic, cell))) return false;
    if (in.done == in.bytes) end(in, traffic);
    if (traffic.taken / Room::kHalf != traffic.credited) owe(in, traffic);
  } while (in.done < end_of_step);
  in.ended = in.done == in.bytes;
  return true;
}

// A half has been read. What is left of a long letter goes past the cells from here on, and the credit says so.
void LetterReader::owe(In& in, ReadSlot& traffic) {
  if (in.done < in.bytes && traffic.taken % Room::kHalf == 0) static_cast<void>(windows_.open(in));
  credits_.owe(in, traffic);
}

bool LetterReader::take_cell(In& in, ReadSlot& traffic, const Filled& cell) {
  const CellHead& head = cell.head;
  if (!is_ours(in, cell.print, head) || !is_whole(in, traffic.taken % Room::kCells, cell)) return false;
  if (head.failure != 0) state_.hear_of_failure(in.from, Code(head.failure), cell.content);
  if (head.bytes == CellHead::kRendezvous) {
    if (!take_offered_letter(state_, in, *cell.envelope)) return false;
    pass(traffic, in.slot, traffic.taken + 1);
    in.done = in.bytes;
  } else {
    if (!empty_cell(in, cell)) return false;
    const bool is_alone = cell.envelope != nullptr ? Envelope::holds_content(head) : cell.is_short;
    pass(traffic, in.slot, Cells::behind(traffic.taken, head.bytes, is_alone));
    in.done += head.bytes;
  }
  return true;
}

// These cells have been read. Of a piece only the first one says that it is filled: the others would say what they said rounds ago, and
// after 255 rounds that is what they are to say when they are filled. Their writer fills none before it has the credit.
void LetterReader::pass(ReadSlot& traffic, Slot slot, std::uint64_t end) {
  while (++traffic.taken < end) take_down(slot, traffic.taken % Room::kCells);
}

// Mostly there is nothing to take down, and then the line stays with its writer.
void LetterReader::take_down(Slot slot, unsigned cell) {
  const auto clear = [](std::atomic<std::uint32_t>& word) {
    if (word.load(std::memory_order_relaxed) != 0) word.store(0, std::memory_order_relaxed);
  };
  clear(state_.ground.own().control->flags()[state_.ground.room().letter_flag(state_.lane, state_.first + slot, cell)]);
  clear(state_.envelope(state_.ground.own().data, state_.first + slot, cell).word);
}

// A chunk has landed. False: the function that combines gave up for now.
bool LetterReader::take_landed(In& in, ReadSlot& traffic) {
  const std::size_t bytes = LetterWindow::chunk(in, state_.elements.size, in.take != Take::copy);
  if (in.take != Take::copy && state_.failure().ok()) {
    std::byte* const landed = traffic.landing + LetterWindow::landing_place(in, traffic.taken);
    if (!combine(in, landed, bytes)) return false;
  }
  pass(traffic, in.slot, traffic.taken + Cells::kPlace);
  in.done += bytes;
  in.landed = true;
  return true;
}

// The letter has been read. Behind chunks the next one begins with a whole frame again.
void LetterReader::end(In& in, ReadSlot& traffic) {
  windows_.close(traffic, state_.first + in.slot);
  ++traffic.letters;
  if (!in.landed) return;
  for (; traffic.taken % Room::kSpan != 0; ++traffic.taken) take_down(in.slot, traffic.taken % Room::kCells);
}

// Whether the letter is of this very call, and as long as expected.
bool LetterReader::is_ours(const In& in, std::uint32_t print, const CellHead& head) {
  if (print != state_.print()) {
    state_.stop(state_.ground.mismatch(state_.call(), head.call, state_.member(in.from)));
    return false;
  }
  if (head.total != in.bytes) {
    state_.refuse(in.from, in.bytes, head.total);
    state_.stop(state_.take_failure());
    return false;
  }
  return true;
}

// Whether the piece lies within the letter, and within its span of cells; only a whole letter may be elsewhere.
bool LetterReader::is_whole(const In& in, unsigned cell, const Filled& filled) {
  const CellHead& head = filled.head;
  const bool is_within =
      head.bytes <= in.bytes - in.done && Cells::needed_for(head.bytes) <= Room::kSpan - cell % Room::kSpan;
  const bool fits = head.bytes == CellHead::kRendezvous
                        ? filled.envelope != nullptr && in.done == 0 && in.bytes != 0 && in.take == Take::copy
                        : is_within && (!filled.is_short || Cells::is_short(head));
  if (fits && head.failure <= std::uint32_t(Code::owner_died)) return true;
  state_.stop({Code::invalid_argument,
               "a letter of rank " + std::to_string(state_.rank_of(in.from)) + " has a piece that does not fit it",
               Died::operation});
  return false;
}

// Elements that are larger than a cell are put together first.
bool LetterReader::is_assembled(const In& in) const {
  return in.take != Take::copy && state_.elements.size > Cells::kContent;
}

// False: the function that combines gave up for now.
bool LetterReader::empty_cell(In& in, const Filled& cell) {
  const CellHead& head = cell.head;
  std::byte* content = cell.content;
  if (!state_.failure().ok() || head.bytes == 0) return true;
  if (in.take == Take::copy) {
    const auto copy = [&] {
      in.copy_from(content, head.bytes, state_.goes_past_cache(in) ? util::copy_block_past_cache : util::copy_block);
    };
    if (cell.envelope != nullptr && content != cell.envelope->content)
      state_.measure(CopyWays::Step::take, in.bytes, state_.read[in.slot].taken, head.bytes, copy);
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

// The next bytes of the letter; `content` may be used up.
bool LetterReader::combine(const In& in, std::byte* content, std::size_t bytes) {
  std::byte* const into = static_cast<std::byte*>(in.into) + in.done;
  const std::byte* const operand = in.operand();
  const bool right = in.take == Take::combine_right;
  // A function's result may lie in its first vector, but not in its second one.
  std::byte* const result = right || operand != into ? into : content;
  Status status = combine_guarded(*state_.elements.combine, right ? operand : content, right ? content : operand,
                                  result, bytes / state_.elements.size);
  if (status.timed_out()) return false;
  state_.fail(status);
  if (result != into) util::copy(into, result, bytes);
  return true;
}

bool LetterReader::fold(const void* one, const void* two, void* result, std::size_t bytes) {
  if (!state_.failure().ok() || bytes == 0) return true;
  Status status = combine_guarded(*state_.elements.combine, one, two, result, bytes / state_.elements.size);
  if (status.timed_out()) return false;
  state_.fail(status);
  return true;
}

}  // namespace polder::coll
