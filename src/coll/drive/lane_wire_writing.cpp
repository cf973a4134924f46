// How a LaneWire writes letters: into cells of the reader's memory, stored or posted.
#include "coll/drive/lane_wire.hpp"

#include "core/group/group_ports.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/transfer.hpp"
#include "core/segment/peer_segment.hpp"
#include "util/copy.hpp"
#include "util/outside_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace polder::coll {

// What fits so many cells that lie one behind the other: whole elements of what is reduced, where one fits a cell.
std::size_t LaneWire::piece(unsigned cells) const {
  const std::size_t content = cells * Room::kCell - CellHead::kRoom;
  return elements.size > kContent ? content : content / elements.size * elements.size;
}

bool LaneWire::push(Out& out) {
  if (out.rendezvous != nullptr && has_been_taken(out)) return true;  // also by one that has left since
  if (patient_ && may_lack_any() && is_out_of_reach(out.to)) return false;
  Traffic& traffic = traffic_[out.own_slot()];
  if (!reach(traffic.to, out.to)) return false;
  awaited_.store(member(out.to), std::memory_order_relaxed);
  if (out.rendezvous != nullptr) return !traffic.to.segment->live() && accept(Code::invalid_segment, traffic.to);
  if (!late_.empty() && !out.begun) give_late(out.to, has_room(traffic, out.own_slot()));
  const std::size_t end = std::min(out.up_to, out.bytes);
  while (out.done < end || !out.begun) {
    if (!has_room(traffic, out.own_slot())) return false;
    if (out.done == 0)
      if (const auto where = rendezvous_for(traffic, out)) return offer(traffic, out, *where);
    const bool is_past_cells = may_have_window(out) && finds_window(traffic, out);
    if (!is_past_cells && waits_for_window(traffic, out)) return false;
    if (is_past_cells && out.begun && end - out.done < next_chunk(traffic, out)) return true;  // it waits for the rest
    const bool is_sent = !is_past_cells ? fill_cell(traffic, out)
                         : out.begun    ? post_chunk(traffic, out)
                                        : post_head(traffic, out);
    if (!is_sent) return false;
    out.begun = true;
  }
  return out.done < out.bytes || end_letter(out, traffic);
}

bool LaneWire::has_room(const Traffic& traffic, Slot slot) const {
  const std::uint64_t round = traffic.sent / Room::kCells;
  const unsigned half = unsigned(traffic.sent % Room::kCells / Room::kHalf);
  return round == 0 || CreditWord::mark_of(credit_word(slot, half)) == mark(round - 1);
}

std::uint32_t LaneWire::credit_word(Slot slot, unsigned half) const {
  const NotificationId credit_flag = ground_.room().credit_flag(lane_, first_ + slot, half);
  return ground_.own().control->flags()[credit_flag].load(std::memory_order_acquire);
}

bool LaneWire::fill_cell(Traffic& traffic, Out& out) {
  const bool is_mapped = traffic.to.segment->data != nullptr;
  const unsigned span = is_mapped ? Room::kMappedSpan : Room::kSpan, cells = span - traffic.sent % span;
  const std::size_t bytes = std::min(piece(cells), std::min(out.up_to, out.bytes) - out.done);
  const CellHead head{call_, out.bytes, std::uint32_t(bytes), std::uint32_t(failure_.code())};
  if (!(is_mapped ? store_cell(traffic, out, head) : post_cell(traffic, out, head, core::Urgency::unawaited)))
    return false;
  traffic.sent = behind(traffic.sent, bytes, is_mapped ? Envelope::holds_content(head) : is_short(head));
  out.done += bytes;
  return true;
}

// Nothing else: the rest goes past the cells, and takes the head along.
bool LaneWire::post_head(Traffic& traffic, Out& out) {
  if (!post_cell(traffic, out, {call_, out.bytes, 0, 0}, core::Urgency::in_company)) return false;
  traffic.vain_waits = 0;
  ++traffic.sent;
  return true;
}

// Returns its bytes.
template <class Copy>
std::size_t LaneWire::write_content(std::byte* place, const Out& out, const CellHead& head, Copy&& copy) const {
  if (head.failure == 0)
    out.copy_to(place, head.bytes, copy);
  else
    std::memcpy(place, &reason_, sizeof reason_);
  return head.failure == 0 ? head.bytes : sizeof reason_;
}

bool LaneWire::store_cell(Traffic& traffic, const Out& out, const CellHead& head) {
  const core::PeerSegment& segment = *traffic.to.segment;
  if (!segment.live()) return accept(Code::invalid_segment, traffic.to);
  const unsigned cell = traffic.sent % Room::kCells;
  const Slot slot = first_ + out.slot;
  Envelope& there = envelope(segment.data, slot, cell);
  there.head = head;
  if (Envelope::holds_content(head))
    write_content(there.content, out, head, util::copy);
  else
    measure(CopyWays::Step::put, out.bytes, traffic.sent, head.bytes, [&] {
      write_content(segment.data + ground_.room().cell(lane_, slot, cell) + CellHead::kRoom, out, head,
                    traffic.outward);
    });
  util::tell_outside();
  there.word.store(word(traffic.sent), std::memory_order_release);
  segment.control->bell.ring();
  return true;
}

// What a device copies at once goes from memory that is warm, what is long from where it lies, with its head in front; and what lies in
// pieces from a copy that stays until the reader has given the cell back.
bool LaneWire::post_cell(Traffic& traffic, Out& out, const CellHead& head, core::Urgency urgency) {
  const std::size_t at_once = ground_.device().capabilities().copied_at_once, bytes = CellHead::kRoom + head.bytes;
  const bool is_copied = bytes <= std::min(at_once, sizeof warm_) && head.failure == 0;
  if (!is_copied && head.failure == 0 && sizeof head <= at_once)
    if (const std::byte* const content = out.next(head.bytes)) return post_in_place(traffic, out, head, content);
  std::byte* const letter = is_copied ? warm_ : staged(traffic, head);
  std::memcpy(letter, &head, sizeof head);
  const Shape shape(CellHead::kRoom + write_content(letter + CellHead::kRoom, out, head, util::copy_block));
  return post_letter(traffic, out, letter, shape, is_short(head), ground_.queue(), urgency);
}

std::byte* LaneWire::staged(Traffic& traffic, const CellHead& head) {
  constexpr std::size_t kShorts = Room::kCells * Room::kShort, kStaging = kShorts + Room::kCells * Room::kCell;
  if (traffic.staging == nullptr) {
    traffic.staging.reset(new std::byte[kStaging]);
    ground_.device().own(traffic.staging.get(), kStaging);
  }
  const unsigned cell = traffic.sent % Room::kCells;
  return traffic.staging.get() + (is_short(head) ? cell * Room::kShort : kShorts + cell * Room::kCell);
}

bool LaneWire::post_in_place(Traffic& traffic, Out& out, const CellHead& head, const std::byte* content) {
  std::byte padded[CellHead::kRoom] = {};
  std::memcpy(padded, &head, sizeof head);
  const auto distance =
      std::ptrdiff_t(std::bit_cast<std::uintptr_t>(content) - std::bit_cast<std::uintptr_t>(&padded[0]));
  const ListItem letter[] = {{0, 0, sizeof padded}, {distance, CellHead::kRoom, head.bytes}};
  if (!post_letter(traffic, out, padded, Shape(letter), false, in_place(), core::Urgency::unawaited)) return false;
  return out.in_place = traffic.in_place = true;
}

bool LaneWire::post_letter(Traffic& traffic, const Out& out, std::byte* letter, const Shape& shape, bool is_in_short,
                           Queue& queue, core::Urgency urgency) {
  const core::LetterRoom& room = ground_.room();
  const unsigned cell = traffic.sent % Room::kCells;
  const Slot slot = first_ + out.slot;
  const Notification flag{room.letter_flag(lane_, slot, cell), word(traffic.sent) | (is_in_short ? kInShort : 0),
                          traffic.to.id};
  const GlobalAddress there{traffic.to.segment->rank, traffic.to.id,
                            is_in_short ? room.short_cell(lane_, slot, cell) : room.cell(lane_, slot, cell)};
  Post post(queue, Timeout::test());
  post.ordering = Ordering::unordered;  // nothing that is under way is touched
  const core::Transfer put{core::Transfer::Kind::put, letter, there, shape, &flag, post, traffic.to.segment, urgency};
  return accept(ground_.ports().one_sided.transfer(put), traffic.to);
}

}  // namespace polder::coll
