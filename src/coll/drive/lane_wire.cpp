#include "coll/drive/lane_wire.hpp"

#include "core/direct/notification.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/outside.hpp"
#include "util/assert.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace polder::coll {

LaneWire::LaneWire(Strand& s, LaneGround& ground, unsigned lane, Slot first, std::span<const Rank> places, Rank member,
                   Rank members)
    : Wire(s, member, members, Slots(members)),
      ground_(ground),
      lane_(lane),
      first_(first),
      places_(places),
      traffic_(slots.count() + (places.empty() ? ground.room().edges() : 0)),
      ways_(ground.copy_ways()) {
  for (Traffic& traffic : traffic_) traffic.outward = ground.outward();
}

LaneWire::~LaneWire() {
  for (const Traffic& traffic : traffic_)
    if (traffic.staging != nullptr) ground_.ports().outside.device->disown(traffic.staging.get());
}

void LaneWire::begin(const CallRecord& call, const Elements& reduced, bool patient) {
  POLDER_ASSERT(offers_.empty() && windows_ == 0 && !is_read_in_place());
  call_ = call;
  awaits_other_nodes_.store(false, std::memory_order_relaxed);
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

bool LaneWire::poll(std::span<Out> outs, std::span<In> ins) {
  if (!trouble_.ok()) return false;
  crowded_.store(false, std::memory_order_relaxed);
  bool ended = true;
  for (In& in : ins)
    if (in.done == 0 && !in.ended && may_have_window(in)) look_for_offer(in);
  for (Out& out : outs) ended = (out.ended || push(out)) && ended;
  for (In& in : ins) ended = (in.ended || pull(in)) && ended;
  if (!owed_.empty()) settle();
  if (patient_ && !ended) look_for_lost(outs, ins);
  awaits_other_nodes_.store(!ended && are_of_other_nodes(outs, ins), std::memory_order_relaxed);
  return ended && trouble_.ok();
}

// All that have not ended.
bool LaneWire::are_of_other_nodes(std::span<const Out> outs, std::span<const In> ins) const {
  const core::GroupNodes& nodes = ground_.group().nodes();
  if (nodes.one()) return false;
  const auto is_here = [&](Rank place) { return nodes.places()[member(place)] == nodes.place(); };
  return std::none_of(outs.begin(), outs.end(), [&](const Out& out) { return !out.ended && is_here(out.to); }) &&
         std::none_of(ins.begin(), ins.end(), [&](const In& in) { return !in.ended && is_here(in.from); });
}

bool LaneWire::is_out_of_reach(Rank place) const {
  const Rank rank = ground_.rank_of(member(place));
  return ground_.ports().peers.is_gone(rank) || ground_.has_given_up(member(place)) ||
         std::find(unreachable_.begin(), unreachable_.end(), rank) != unreachable_.end();
}

// Whether somebody may be out of reach: nearly always nobody is, and then none is asked about.
bool LaneWire::may_lack_any() {
  const core::Peers& peers = ground_.ports().peers;
  if (const std::uint64_t changes = peers.changes(); changes != as_of_) {
    any_gone_ = false;
    for (Rank place = 0; place < size && !any_gone_; ++place)
      any_gone_ = peers.health(ground_.rank_of(member(place))) != Health::healthy;
    as_of_ = changes;
  }
  return any_gone_ || ground_.any_given_up() || !unreachable_.empty();
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

// ---- credits ----

// A half has been read and is to be given back. Where the writer's memory is mapped that is a store. Else it is a frame as dear as a
// letter of a few bytes, and behind such letters, and long ones that went past the cells, it waits for the next letter to that member or
// offer of a window, or until half of the other half has been read: letters that go to and fro bring each other's credits. If none came,
// many go at once: where letters go one way, their writer would have less room (scans of 8 bytes 1.2 times as long).
void LaneWire::owe(In& in, Traffic& traffic) {
  constexpr std::size_t kShort = 4096;  // bytes
  constexpr unsigned kMany = 30;
  const Credit credit{in.slot, in.credit_slot(), in.from};
  const bool is_amid = in.done < in.bytes;  // its writer may be waiting for room
  if (is_amid && traffic.taken % Room::kHalf == 0) static_cast<void>(open_window(in));
  // Chunks reach into the next half: behind a letter that went past the cells both may be owed, and its writer has no room at all.
  const bool is_due = traffic.taken >= (traffic.credited + 1) * Room::kHalf + kLate;
  if (traffic.owes_late && is_due) traffic.at_once = kMany;
  const bool waits = !is_due && (traffic.owes_late || traffic.at_once == 0);
  const bool takes_few = in.bytes <= kShort || (in.landed && !is_amid);
  if (waits && takes_few && !traffic.comes_in_envelopes) {
    if (!std::exchange(traffic.owes_late, true)) late_.push_back(credit);
    return;
  }
  if (traffic.at_once != 0) --traffic.at_once;
  release(credit, is_amid ? core::Urgency::unawaited : core::Urgency::in_company);
}

// `followed`: a letter to that member follows.
void LaneWire::give_late(Rank to, bool followed) {
  for (std::size_t i = late_.size(); i-- != 0;)
    if (late_[i].from == to) release(Credit(late_[i]), followed ? core::Urgency::followed : core::Urgency::in_company);
}

void LaneWire::release(const Credit& credit, core::Urgency urgency) {
  if (std::exchange(traffic_[credit.slot].owes_late, false))
    std::erase_if(late_, [&](const Credit& late) { return late.slot == credit.slot; });
  if (!give(credit, urgency)) owed_.push_back(credit);
}

void LaneWire::settle() {
  while (!late_.empty()) release(Credit(late_.back()), core::Urgency::in_company);
  std::erase_if(owed_, [this](const Credit& credit) { return give(credit, core::Urgency::unawaited); });
}

// Of halves that have been read and not been given back. A writer that is gone needs none.
bool LaneWire::give(const Credit& credit, core::Urgency urgency) {
  Traffic& traffic = traffic_[credit.slot];
  if (may_lack_any() && ground_.ports().peers.is_gone(ground_.rank_of(member(credit.from)))) return true;
  if (!reach(traffic.from, credit.from)) return false;
  for (; traffic.credited < traffic.taken / Room::kHalf; ++traffic.credited)
    if (!raise_credit(traffic, credit, traffic.credited % 2, mark(traffic.credited / 2), urgency)) return false;
  return true;
}

// False: there was no room.
bool LaneWire::raise_credit(const Traffic& traffic, const Credit& credit, unsigned half, std::uint32_t mark,
                            core::Urgency urgency) {
  const NotificationId id = ground_.room().credit_flag(lane_, first_ + credit.there, half);
  const Notification flag{id, mark | traffic.window, traffic.from.id};
  const core::PeerSegment& segment = *traffic.from.segment;
  if (!segment.live()) return true;  // about to go
  if (segment.control != nullptr) {
    raise_flag(segment, flag);
    return true;
  }
  const Post post(ground_.queue(), Timeout::test());
  const Status status =
      ground_.ports().one_sided.post_flag(segment.rank, traffic.from.id, segment, flag, post, urgency);
  return status.code() != Code::queue_full && !status.timed_out();
}

// ---- slots that change hands ----

bool LaneWire::owes_credits_of(Slot slot) const {
  return traffic_[slot].owes_late ||
         std::any_of(owed_.begin(), owed_.end(), [&](const Credit& credit) { return credit.slot == slot; });
}

void LaneWire::forget_writer(Slot slot) {
  Traffic& traffic = traffic_[slot];
  traffic.taken = traffic.credited = traffic.letters_taken = 0;
  traffic.from = {};
  traffic.comes_in_envelopes = traffic.comes_in_cells = false;
  for (unsigned cell = 0; cell < Room::kCells; ++cell) {
    ground_.own().control->flags()[ground_.room().letter_flag(lane_, first_ + slot, cell)].store(0);
    envelope(ground_.own().data, first_ + slot, cell).word.store(0);
  }
}

void LaneWire::forget_reader(Slot slot) {
  Traffic& traffic = traffic_[slot];
  traffic.sent = traffic.letters_sent = 0;
  traffic.to = {};
  for (unsigned half = 0; half < Room::kCells / Room::kHalf; ++half)
    ground_.own().control->flags()[ground_.room().credit_flag(lane_, first_ + slot, half)].store(0);
}

// ---- peers ----

bool LaneWire::find(core::MemberMemory& memory, Rank place) {
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
