#include "coll/letters/letter_writer.hpp"

#include "coll/letters/letter_window.hpp"
#include "core/group/group_ports.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/queue_state.hpp"
#include "core/post/transfer.hpp"
#include "core/progress/outside.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/copy.hpp"
#include "util/outside_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace polder::coll {

LetterWriter::~LetterWriter() {
  const bool may_be_read =
      state_.ground.queue().state().local.count() != 0;  // by a peer that has not taken it for long
  for (WrittenSlot& traffic : state_.written) {
    if (traffic.staging == nullptr) continue;
    if (may_be_read)
      static_cast<void>(traffic.staging.release());  // it is not given back
    else
      state_.ground.ports().outside.device->disown(traffic.staging.get());
  }
}

// What fits so many cells that lie one behind the other: whole elements of what is reduced, where one fits a cell.
std::size_t LetterWriter::piece(unsigned cells) const {
  const std::size_t content = cells * Room::kCell - CellHead::kRoom;
  return state_.elements.size > Cells::kContent ? content : content / state_.elements.size * state_.elements.size;
}

bool LetterWriter::push(Out& out) {
  if (out.rendezvous != nullptr && offers_.has_been_taken(out)) return true;  // also by one that has left since
  // All of it is on its way, so that one that has left in good order may have it.
  const auto may_have_it = [&] {
    return out.rendezvous == nullptr && out.begun && out.done == out.bytes && state_.has_left(out.to);
  };
  if (state_.is_patient() && state_.may_lack_any() && state_.is_out_of_reach(out.to) && !may_have_it()) return false;
  WrittenSlot& traffic = state_.written[out.own_slot()];
  if (!state_.reach(traffic.to, out.to)) return false;
  state_.await(out.to);
  if (out.rendezvous != nullptr) return !traffic.to.segment->live() && state_.accept(Code::invalid_segment, traffic.to);
  if (!out.begun) credits_.give_late(out.to, [&] { return has_room(traffic, out.own_slot()); });
  const std::size_t end_of_step = std::min(out.up_to, out.bytes);
  while (out.done < end_of_step || !out.begun) {
    if (!has_room(traffic, out.own_slot())) return false;
    if (out.done == 0)
      if (const auto where = offers_.place_of(traffic, out)) return offers_.offer(traffic, out, *where);
    const bool is_past_cells = LetterWindow::may_be_for(out) && windows_.finds(traffic, out);
    if (!is_past_cells && windows_.waits_for(traffic, out)) return false;
    if (is_past_cells && out.begun && end_of_step - out.done < windows_.next_chunk(traffic, out))
      return true;  // it waits for the rest
    const bool is_sent = !is_past_cells ? fill_cell(traffic, out)
                         : out.begun    ? windows_.put_chunk(traffic, out)
                                        : post_head(traffic, out);
    if (!is_sent) return false;
    out.begun = true;
  }
  return out.done < out.bytes || end(out, traffic);
}

bool LetterWriter::has_room(const WrittenSlot& traffic, Slot slot) const {
  const std::uint64_t round = traffic.sent / Room::kCells;
  const unsigned half = unsigned(traffic.sent % Room::kCells / Room::kHalf);
  return round == 0 || CreditWord::mark_of(state_.credit_word(slot, half)) == Cells::mark(round - 1);
}

bool LetterWriter::fill_cell(WrittenSlot& traffic, Out& out) {
  const bool is_mapped = traffic.to.segment->data != nullptr;
  const unsigned span = is_mapped ? Room::kMappedSpan : Room::kSpan, cells = span - traffic.sent % span;
  const std::size_t bytes = std::min(piece(cells), std::min(out.up_to, out.bytes) - out.done);
  const CellHead head{state_.call(), out.bytes, std::uint32_t(bytes), std::uint32_t(state_.failure().code())};
  if (!(is_mapped ? store_cell(traffic, out, head) : post_cell(traffic, out, head, core::Urgency::unawaited)))
    return false;
  traffic.sent = Cells::behind(traffic.sent, bytes, is_mapped ? Envelope::holds_content(head) : Cells::is_short(head));
  out.done += bytes;
  return true;
}

// Nothing else: the rest goes past the cells, and takes the head along.
bool LetterWriter::post_head(WrittenSlot& traffic, Out& out) {
  if (!post_cell(traffic, out, {state_.call(), out.bytes, 0, 0}, core::Urgency::in_company)) return false;
  traffic.vain_waits = 0;
  ++traffic.sent;
  return true;
}

// Returns its bytes.
template <class Copy>
std::size_t LetterWriter::write_content(std::byte* place, const Out& out, const CellHead& head, Copy&& copy) const {
  if (head.failure == 0)
    out.copy_to(place, head.bytes, copy);
  else
    std::memcpy(place, &state_.reason(), sizeof(Reason));
  return head.failure == 0 ? head.bytes : sizeof(Reason);
}

bool LetterWriter::store_cell(WrittenSlot& traffic, const Out& out, const CellHead& head) {
  const core::PeerSegment& segment = *traffic.to.segment;
  if (!segment.live()) return state_.accept(Code::invalid_segment, traffic.to);
  const unsigned cell = traffic.sent % Room::kCells;
  const Slot slot = state_.first + out.slot;
  Envelope& there = state_.envelope(segment.data, slot, cell);
  there.head = head;
  if (Envelope::holds_content(head))
    write_content(there.content, out, head, util::copy);
  else
    state_.measure(CopyWays::Step::put, out.bytes, traffic.sent, head.bytes, [&] {
      write_content(segment.data + state_.ground.room().cell(state_.lane, slot, cell) + CellHead::kRoom, out, head,
                    traffic.outward);
    });
  util::tell_outside();
  there.word.store(state_.word(traffic.sent), std::memory_order_release);
  segment.control->bell.ring();
  return true;
}

// What a device copies at once goes from memory that is warm, what is long from where it lies, with its head in front; and what lies in
// pieces from a copy that stays until the reader has given the cell back.
bool LetterWriter::post_cell(WrittenSlot& traffic, Out& out, const CellHead& head, core::Urgency urgency) {
  const std::size_t at_once = state_.ground.device().capabilities().copied_at_once,
                    bytes = CellHead::kRoom + head.bytes;
  const bool is_copied = bytes <= std::min(at_once, sizeof warm_) && head.failure == 0;
  if (!is_copied && head.failure == 0 && sizeof head <= at_once)
    if (const std::byte* const content = out.next(head.bytes)) return post_in_place(traffic, out, head, content);
  std::byte* const letter = is_copied ? warm_ : staged(traffic, head);
  std::memcpy(letter, &head, sizeof head);
  const Shape shape(CellHead::kRoom + write_content(letter + CellHead::kRoom, out, head, util::copy_block));
  return post_letter(traffic, out, letter, shape, Cells::is_short(head), state_.ground.queue(), urgency);
}

std::byte* LetterWriter::staged(WrittenSlot& traffic, const CellHead& head) {
  constexpr std::size_t kShorts = Room::kCells * Room::kShort, kStaging = kShorts + Room::kCells * Room::kCell;
  if (traffic.staging == nullptr) {
    traffic.staging.reset(new std::byte[kStaging]);
    state_.ground.device().own(traffic.staging.get(), kStaging);
  }
  const unsigned cell = traffic.sent % Room::kCells;
  return traffic.staging.get() + (Cells::is_short(head) ? cell * Room::kShort : kShorts + cell * Room::kCell);
}

bool LetterWriter::post_in_place(WrittenSlot& traffic, Out& out, const CellHead& head, const std::byte* content) {
  std::byte padded[CellHead::kRoom] = {};
  std::memcpy(padded, &head, sizeof head);
  const auto distance =
      std::ptrdiff_t(std::bit_cast<std::uintptr_t>(content) - std::bit_cast<std::uintptr_t>(&padded[0]));
  const ListItem letter[] = {{0, 0, sizeof padded}, {distance, CellHead::kRoom, head.bytes}};
  if (!post_letter(traffic, out, padded, Shape(letter), false, in_place_.queue(traffic), core::Urgency::unawaited))
    return false;
  return out.in_place = true;
}

bool LetterWriter::post_letter(WrittenSlot& traffic, const Out& out, std::byte* letter, const Shape& shape,
                               bool is_in_short, Queue& queue, core::Urgency urgency) {
  const core::LetterRoom& room = state_.ground.room();
  const unsigned cell = traffic.sent % Room::kCells;
  const Slot slot = state_.first + out.slot;
  const Notification flag{room.letter_flag(state_.lane, slot, cell),
                          state_.word(traffic.sent) | (is_in_short ? CellWord::kInShort : 0), traffic.to.id};
  const GlobalAddress there{
      traffic.to.segment->rank, traffic.to.id,
      is_in_short ? room.short_cell(state_.lane, slot, cell) : room.cell(state_.lane, slot, cell)};
  Post post(queue, Timeout::test());
  post.ordering = Ordering::unordered;  // nothing that is under way is touched
  const core::Transfer put{core::Transfer::Kind::put, letter, there, shape, &flag, post, traffic.to.segment, urgency};
  return state_.accept(state_.ground.ports().one_sided.transfer(put), traffic.to);
}

// The letter is on its way. False: some of it is still read where it lies.
bool LetterWriter::end(Out& out, WrittenSlot& traffic) {
  if (out.in_place && SendsInPlace::are_under_way(traffic)) {
    state_.crowd();  // what ends a send rings another bell
    return false;
  }
  ++traffic.letters;
  if (out.past_cells) traffic.sent = (traffic.sent + Room::kSpan - 1) / Room::kSpan * Room::kSpan;
  out.in_place = false;
  return out.ended = true;
}

}  // namespace polder::coll
