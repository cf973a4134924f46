#include "coll/drive/lane_wire.hpp"

#include "coll/drive/lane_ground.hpp"
#include "core/direct/notification.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/transfer.hpp"
#include "core/progress/outside.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace polder::coll {
namespace {

using Room = core::LetterRoom;

constexpr std::size_t kContent = Room::kCell - sizeof(CellHead);

}  // namespace

LaneWire::LaneWire(Strand& s, LaneGround& ground, unsigned lane, Slot first, std::span<const Rank> places, Rank member,
                   Rank members)
    : Wire(s, member, members, Slots(members)),
      ground_(ground),
      lane_(lane),
      first_(first),
      places_(places),
      traffic_(slots.count() + (places.empty() ? ground.room().edges() : 0)) {
  for (Traffic& traffic : traffic_) traffic.outward = ground.outward();
}

LaneWire::~LaneWire() {
  for (const Traffic& traffic : traffic_)
    if (traffic.staging != nullptr) ground_.ports().outside.device->disown(traffic.staging.get());
}

void LaneWire::begin(const CallRecord& call, const Elements& reduced, bool patient) {
  call_ = call;
  print_ = call.fingerprint();
  elements = reduced;
  failure_ = {};
  trouble_ = {};
  patient_ = patient;
  unreachable_.clear();
  why_unreachable_ = {};
  awaited_.store(kNobody, std::memory_order_relaxed);
  lost_.store(kNobody, std::memory_order_relaxed);
  scratch_.reset();
}

Status LaneWire::take_trouble() {
  return std::exchange(trouble_, {});
}

void LaneWire::copy(void* to, const void* from, std::size_t bytes) {
  if (to != from) util::copy(to, from, bytes);
}

void LaneWire::refuse(Rank from, std::size_t expected, std::size_t bytes) {
  fail({Code::invalid_size,
        std::string(to_string(call_.kind)) + ": rank " + std::to_string(ground_.rank_of(member(from))) + " sends " +
            std::to_string(bytes) + " bytes where this rank expects " + std::to_string(expected),
        Died::operation});
}

void LaneWire::fail(const Status& why) {
  if (why.ok() || !failure_.ok()) return;
  failure_ = why;
  reason_ = Reason(why.message());
}

// What fits so many cells that lie one behind the other: whole elements of what is reduced, where one fits a cell.
std::size_t LaneWire::piece(unsigned cells) const {
  const std::size_t content = cells * Room::kCell - sizeof(CellHead);
  return elements.size > kContent ? content : content / elements.size * elements.size;
}

bool LaneWire::poll(std::span<Out> outs, std::span<In> ins) {
  crowded_.store(false, std::memory_order_relaxed);
  bool ended = true;
  for (Out& out : outs) ended = (out.ended || push(out)) && ended;
  for (In& in : ins) ended = (in.ended || pull(in)) && ended;
  if (!owed_.empty()) settle();
  if (patient_ && !ended) look_for_lost(outs, ins);
  return ended && trouble_.ok();
}

bool LaneWire::is_out_of_reach(Rank place) const {
  const Rank rank = ground_.rank_of(member(place));
  return ground_.ports().peers.is_gone(rank) || ground_.has_given_up(member(place)) ||
         std::find(unreachable_.begin(), unreachable_.end(), rank) != unreachable_.end();
}

// Waits for those who live, as long as there are any; those who neither live nor are known to be gone are trouble.
void LaneWire::look_for_lost(std::span<const Out> outs, std::span<const In> ins) {
  Rank place = kNobody;
  const auto is_left = [&](bool has_ended, Rank other) {
    if (has_ended) return false;
    place = other;
    return !is_out_of_reach(other);
  };
  const auto reachable = [&](Rank other) { awaited_.store(member(other), std::memory_order_relaxed); };
  for (const Out& out : outs)
    if (is_left(out.ended, out.to)) return reachable(out.to);
  for (const In& in : ins)
    if (is_left(in.ended, in.from)) return reachable(in.from);
  if (place == kNobody) return;
  if (ground_.ports().peers.is_gone(ground_.rank_of(member(place))) || ground_.has_given_up(member(place)))
    lost_.store(member(place), std::memory_order_relaxed);
  else if (trouble_.ok())
    trouble_ = why_unreachable_;
}

// ---- writing ----

bool LaneWire::push(Out& out) {
  if (patient_ && is_out_of_reach(out.to)) return false;
  Traffic& traffic = traffic_[out.own_slot()];
  if (!reach(traffic.to, out.to)) return false;
  do {
    awaited_.store(member(out.to), std::memory_order_relaxed);
    if (!has_room(traffic, out.own_slot()) || !fill_cell(traffic, out)) return false;
  } while (out.done < out.bytes);
  out.ended = true;
  return true;
}

bool LaneWire::has_room(const Traffic& traffic, Slot slot) const {
  const std::uint64_t round = traffic.sent / Room::kCells;
  if (round == 0) return true;
  const unsigned half = unsigned(traffic.sent % Room::kCells / Room::kHalf);
  const NotificationId credit_flag = ground_.room().credit_flag(lane_, first_ + slot, half);
  return ground_.own().control->flags()[credit_flag].load(std::memory_order_acquire) == mark(round - 1);
}

bool LaneWire::fill_cell(Traffic& traffic, Out& out) {
  const bool is_mapped = traffic.to.segment->data != nullptr;
  const unsigned cells = is_mapped ? 1 : Room::kSpan - traffic.sent % Room::kSpan;
  const std::size_t bytes = std::min(piece(cells), out.bytes - out.done);
  const CellHead head{call_, out.bytes, std::uint32_t(bytes), std::uint32_t(failure_.code())};
  if (!(is_mapped ? store_cell(traffic, out, head) : post_cell(traffic, out, head))) return false;
  traffic.sent += cells_of(bytes);
  out.done += bytes;
  return true;
}

// Returns the bytes that are to travel.
template <class Copy>
std::size_t LaneWire::write_cell(std::byte* place, const Out& out, const CellHead& head, Copy&& copy) const {
  std::memcpy(place, &head, sizeof head);
  if (head.failure == 0)
    out.copy_to(place + sizeof head, head.bytes, copy);
  else
    std::memcpy(place + sizeof head, &reason_, sizeof reason_);
  return sizeof head + (head.failure == 0 ? head.bytes : sizeof reason_);
}

bool LaneWire::store_cell(Traffic& traffic, const Out& out, const CellHead& head) {
  const core::PeerSegment& segment = *traffic.to.segment;
  if (!segment.live()) return accept(Code::invalid_segment, traffic.to);
  const unsigned cell = traffic.sent % Room::kCells;
  const Slot slot = first_ + out.slot;
  std::byte* const place = segment.data + ground_.room().cell(lane_, slot, cell);
  write_cell(place, out, head, traffic.outward);
  const std::uint32_t value = mark(traffic.sent / Room::kCells) << 24 | print_;
  raise_flag(segment, {ground_.room().letter_flag(lane_, slot, cell), value, traffic.to.id});
  return true;
}

// From a copy that stays until the reader has given the cell back.
bool LaneWire::post_cell(Traffic& traffic, const Out& out, const CellHead& head) {
  if (traffic.staging == nullptr) {
    traffic.staging.reset(new std::byte[Room::kCells * Room::kCell]);
    ground_.ports().outside.device->own(traffic.staging.get(), Room::kCells * Room::kCell);
  }
  const unsigned cell = traffic.sent % Room::kCells;
  const Slot slot = first_ + out.slot;
  std::byte* const staged = traffic.staging.get() + cell * Room::kCell;
  const Shape shape(write_cell(staged, out, head, util::copy_block));
  const std::uint32_t value = mark(traffic.sent / Room::kCells) << 24 | print_;
  const Notification flag{ground_.room().letter_flag(lane_, slot, cell), value, traffic.to.id};
  const GlobalAddress there{traffic.to.segment->rank, traffic.to.id, ground_.room().cell(lane_, slot, cell)};
  Post post(ground_.queue(), Timeout::test());
  post.ordering = Ordering::unordered;  // nothing that is under way is touched
  const core::Transfer letter{core::Transfer::Kind::put, staged, there, shape, &flag, post, traffic.to.segment,
                              core::Urgency::unawaited};
  return accept(ground_.ports().one_sided.transfer(letter), traffic.to);
}

// ---- reading ----

bool LaneWire::pull(In& in) {
  Traffic& traffic = traffic_[in.slot];
  do {
    awaited_.store(member(in.from), std::memory_order_relaxed);
    const unsigned cell = traffic.taken % Room::kCells;
    const auto& flag = ground_.own().control->flags()[ground_.room().letter_flag(lane_, first_ + in.slot, cell)];
    const std::uint32_t value = flag.load(std::memory_order_acquire);
    if (value >> 24 != mark(traffic.taken / Room::kCells)) return false;
    std::byte* const place = ground_.own().data + ground_.room().cell(lane_, first_ + in.slot, cell);
    CellHead head;
    std::memcpy(&head, place, sizeof head);
    if (!is_ours(in, value & 0xffffff, head) || !is_whole(in, cell, head)) return false;
    if (head.failure != 0) hear_of_failure(in, head, place + sizeof head);
    if (!empty_cell(in, head, place + sizeof head)) return false;
    traffic.taken += cells_of(head.bytes);
    in.done += head.bytes;
    // In the middle of a letter its writer may be waiting for room.
    const auto urgency = in.done < in.bytes ? core::Urgency::unawaited : core::Urgency::in_company;
    if (traffic.taken % Room::kHalf == 0) release({in.slot, in.credit_slot(), in.from}, urgency);
  } while (in.done < in.bytes);
  in.ended = true;
  return true;
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

// Whether the piece lies within the letter, and within its span of cells.
bool LaneWire::is_whole(const In& in, unsigned cell, const CellHead& head) {
  const bool fits = head.bytes <= in.bytes - in.done && cells_of(head.bytes) <= Room::kSpan - cell % Room::kSpan;
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

// False: the function that combines gave up for now.
bool LaneWire::empty_cell(In& in, const CellHead& head, std::byte* content) {
  if (!failure_.ok() || head.bytes == 0) return true;
  if (in.take == Take::copy) {
    in.copy_from(content, head.bytes, goes_past_cache(in) ? util::copy_block_past_cache : util::copy_block);
    return true;
  }
  std::byte* const into = static_cast<std::byte*>(in.into);
  if (elements.size <= kContent) return combine(into + in.done, content, head.bytes, in.take);
  // Elements that are larger than a cell are put together first.
  if (in.assembly == nullptr) in.assembly = scratch_.take(in.bytes);
  util::copy(in.assembly + in.done, content, head.bytes);
  return in.done + head.bytes < in.bytes || combine(into, in.assembly, in.bytes, in.take);
}

// What the members of this node receive and send at the same time would not stay in their last cache: 1.2 to 1.5 times as fast on an
// EPYC with 32 MB, for letters of 1 MB to 4 and 16 neighbours.
bool LaneWire::goes_past_cache(const In& in) const {
  constexpr std::size_t kMany = std::size_t{4} << 20;  // bytes
  return in.bytes * ground_.group().nodes().beside().size() >= kMany;
}

// Into `into`; `content` may be used up.
bool LaneWire::combine(std::byte* into, std::byte* content, std::size_t bytes, Take take) {
  const std::size_t count = bytes / elements.size;
  const bool right = take == Take::combine_right;
  std::byte* const result = right ? into : content;
  Status status = combine_guarded(*elements.combine, result, right ? content : into, result, count);
  if (status.timed_out()) return false;
  fail(status);
  if (!right) util::copy(into, content, bytes);
  return true;
}

bool LaneWire::fold(void* into, const void* with, std::size_t bytes, Take take) {
  if (!failure_.ok() || bytes == 0) return true;
  const std::size_t count = bytes / elements.size;
  const bool right = take == Take::combine_right;
  std::byte* const result = right ? static_cast<std::byte*>(into) : scratch_.take(bytes);
  if (!right) util::copy(result, with, bytes);
  Status status = combine_guarded(*elements.combine, result, right ? with : into, result, count);
  if (status.timed_out()) return false;
  fail(status);
  if (!right) util::copy(into, result, bytes);
  return true;
}

// ---- credits ----

// Where the writer's memory is mapped a credit is a store. Else it is a frame as dear as a letter, unless it goes with the
// next letter to that member.
void LaneWire::release(const Credit& credit, core::Urgency urgency) {
  if (!give(credit, urgency)) owed_.push_back(credit);
}

void LaneWire::settle() {
  std::erase_if(owed_, [this](const Credit& credit) { return give(credit, core::Urgency::unawaited); });
}

// Of halves that have been read and not been given back. A writer that is gone needs none.
bool LaneWire::give(const Credit& credit, core::Urgency urgency) {
  Traffic& traffic = traffic_[credit.slot];
  if (ground_.ports().peers.is_gone(ground_.rank_of(member(credit.from)))) return true;
  if (!reach(traffic.from, credit.from)) return false;
  for (; traffic.credited < traffic.taken / Room::kHalf; ++traffic.credited) {
    const unsigned half = traffic.credited % 2;
    const std::uint32_t value = mark(traffic.credited / 2);
    const Notification flag{ground_.room().credit_flag(lane_, first_ + credit.there, half), value, traffic.from.id};
    const core::PeerSegment& segment = *traffic.from.segment;
    if (!segment.live()) return true;  // about to go
    if (segment.control != nullptr) {
      raise_flag(segment, flag);
      continue;
    }
    const Post post(ground_.queue(), Timeout::test());
    const Status status =
        ground_.ports().one_sided.post_flag(segment.rank, traffic.from.id, segment, flag, post, urgency);
    if (status.code() == Code::queue_full || status.timed_out()) return false;
  }
  return true;
}

// ---- slots that change hands ----

bool LaneWire::owes_credits_of(Slot slot) const {
  return std::any_of(owed_.begin(), owed_.end(), [&](const Credit& credit) { return credit.slot == slot; });
}

void LaneWire::forget_writer(Slot slot) {
  Traffic& traffic = traffic_[slot];
  traffic.taken = traffic.credited = 0;
  traffic.from = {};
  for (unsigned cell = 0; cell < Room::kCells; ++cell)
    ground_.own().control->flags()[ground_.room().letter_flag(lane_, first_ + slot, cell)].store(0);
}

void LaneWire::forget_reader(Slot slot) {
  Traffic& traffic = traffic_[slot];
  traffic.sent = 0;
  traffic.to = {};
  for (unsigned half = 0; half < Room::kCells / Room::kHalf; ++half)
    ground_.own().control->flags()[ground_.room().credit_flag(lane_, first_ + slot, half)].store(0);
}

// ---- peers ----

bool LaneWire::reach(core::MemberMemory& memory, Rank place) {
  if (memory.segment != nullptr) return true;
  awaited_.store(member(place), std::memory_order_relaxed);
  Status failure;
  const bool found = ground_.locate(member(place), memory, failure);
  if (!failure.ok()) note(std::move(failure), ground_.rank_of(member(place)));
  return found;
}

bool LaneWire::accept(Status status, const core::MemberMemory& target) {
  if (status.ok()) return true;
  if (status.code() == Code::queue_full || status.timed_out()) {
    crowded_.store(true, std::memory_order_relaxed);
    return false;
  }
  note(std::move(status), target.segment->rank);
  return false;
}

// Memory that is no longer there went with its group, or with its rank.
void LaneWire::note(Status status, Rank rank) {
  const bool deleted = status.code() == Code::invalid_segment || status.code() == Code::invalid_group;
  Status why = deleted ? ground_.deleted_by(rank) : std::move(status);
  if (patient_ && !why.ok()) {
    unreachable_.push_back(rank);
    why_unreachable_ = std::move(why);
    return;
  }
  trouble_ = std::move(why);
  if (trouble_.ok()) crowded_.store(true, std::memory_order_relaxed);  // nothing rings when that is certain
}

}  // namespace polder::coll
