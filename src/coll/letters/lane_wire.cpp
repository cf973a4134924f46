#include "coll/letters/lane_wire.hpp"

#include "core/group/group_state.hpp"
#include "util/assert.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <optional>

namespace polder::coll {

LaneWire::LaneWire(Strand& s, LaneGround& ground, unsigned lane, Slot first, std::span<const Rank> places, Rank member,
                   Rank members)
    : Wire(s, member, members, Slots(members)),
      state_(ground, lane, first, places, members, slots.count() + (places.empty() ? ground.room().edges() : 0),
             elements) {}

void LaneWire::begin(const CallRecord& call, const Elements& reduced, bool patient) {
  POLDER_ASSERT(writer_.has_withdrawn() && reader_.has_withdrawn());
  elements = reduced;
  state_.begin(call, patient);
  awaits_other_nodes_.store(false, std::memory_order_relaxed);
  scratch_.reset();
}

void LaneWire::copy(void* to, const void* from, std::size_t bytes) {
  if (to != from) util::copy(to, from, bytes);
}

bool LaneWire::poll(std::span<Out> outs, std::span<In> ins) {
  if (!state_.trouble().ok()) return false;
  state_.crowd(false);
  bool ended = true;
  for (In& in : ins) reader_.look_ahead(in);
  for (Out& out : outs) ended = (out.ended || writer_.push(out)) && ended;
  for (In& in : ins) ended = (in.ended || reader_.pull(in)) && ended;
  if (credits_.has_unsent()) credits_.settle();
  if (ended) state_.await_nobody();  // a member that has done its part may go while this one is still busy on its node
  if (state_.is_patient() && !ended) look_for_lost(outs, ins);
  awaits_other_nodes_.store(!ended && are_of_other_nodes(outs, ins), std::memory_order_relaxed);
  return ended && state_.trouble().ok();
}

// All that have not ended.
bool LaneWire::are_of_other_nodes(std::span<const Out> outs, std::span<const In> ins) const {
  const core::GroupNodes& nodes = state_.ground.group().nodes();
  if (nodes.one()) return false;
  const auto is_here = [&](Rank place) { return nodes.places()[state_.member(place)] == nodes.place(); };
  return std::none_of(outs.begin(), outs.end(), [&](const Out& out) { return !out.ended && is_here(out.to); }) &&
         std::none_of(ins.begin(), ins.end(), [&](const In& in) { return !in.ended && is_here(in.from); });
}

// Waits for those who live, as long as there are any; those who neither live nor are known to be gone are trouble.
void LaneWire::look_for_lost(std::span<const Out> outs, std::span<const In> ins) {
  std::optional<Rank> left;
  const auto is_awaited = [&](bool has_ended, Rank place) {
    if (has_ended) return false;
    left = place;
    return !state_.is_out_of_reach(place);
  };
  for (const Out& out : outs)
    if (is_awaited(out.ended, out.to)) return state_.await(out.to);
  for (const In& in : ins)
    if (is_awaited(in.ended, in.from)) return state_.await(in.from);
  if (!left) return;
  if (state_.is_gone(*left) || state_.ground.has_given_up(state_.member(*left)))
    state_.lose(*left);
  else if (state_.trouble().ok())
    state_.stop(state_.why_unreachable());
}

// ---- slots that change hands ----

void LaneWire::forget_writer(Slot slot) {
  state_.read[slot].forget();
  const core::PeerSegment& own = state_.ground.own();
  const core::LetterRoom& room = state_.ground.room();
  for (unsigned cell = 0; cell < core::LetterRoom::kCells; ++cell) {
    own.control->flags()[room.letter_flag(state_.lane, state_.first + slot, cell)].store(0);
    state_.envelope(own.data, state_.first + slot, cell).word.store(0);
  }
}

void LaneWire::forget_reader(Slot slot) {
  state_.written[slot].forget();
  const core::PeerSegment& own = state_.ground.own();
  for (unsigned half = 0; half < core::LetterRoom::kCells / core::LetterRoom::kHalf; ++half)
    own.control->flags()[state_.ground.room().credit_flag(state_.lane, state_.first + slot, half)].store(0);
}

}  // namespace polder::coll
