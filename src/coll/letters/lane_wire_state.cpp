#include "coll/letters/lane_wire_state.hpp"

#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace polder::coll {

LaneWireState::LaneWireState(LaneGround& lane_ground, unsigned lane_number, Slot first_slot,
                             std::span<const Rank> places, Rank size, Slot slots, const Elements& reduced)
    : ground(lane_ground),
      lane(lane_number),
      first(first_slot),
      elements(reduced),
      written(slots),
      read(slots),
      ways(lane_ground.copy_ways()),
      places_(places),
      size_(size) {
  for (WrittenSlot& each : written) each.outward = ground.outward();
}

void LaneWireState::begin(const CallRecord& call, bool patient) {
  call_ = call;
  print_ = call.fingerprint();
  failure_ = {};
  trouble_ = {};
  patient_ = patient;
  crowd(false);
  unreachable_.clear();
  why_unreachable_ = {};
  await_nobody();
  lost_.store(kNobody, std::memory_order_relaxed);
}

// ---- members ----

bool LaneWireState::find(core::MemberMemory& memory, Rank place) {
  await(place);
  Status failure;
  const bool found = ground.locate(member(place), memory, failure);
  if (!failure.ok()) note(std::move(failure), rank_of(place));
  return found;
}

bool LaneWireState::find_unless_deleted(core::MemberMemory& memory, Rank place, bool& is_deleted) {
  Status failure;
  const bool found = ground.locate(member(place), memory, failure);
  is_deleted = failure.code() == Code::invalid_group;
  if (!failure.ok() && !is_deleted) note(std::move(failure), rank_of(place));
  return found;
}

bool LaneWireState::is_gone(Rank place) const {
  return ground.ports().peers.is_gone(rank_of(place));
}

bool LaneWireState::has_left(Rank place) const {
  return ground.ports().peers.health(rank_of(place)) == Health::finished;
}

bool LaneWireState::is_out_of_reach(Rank place) const {
  return is_gone(place) || ground.has_given_up(member(place)) ||
         std::find(unreachable_.begin(), unreachable_.end(), rank_of(place)) != unreachable_.end();
}

bool LaneWireState::may_lack_any() {
  const core::Peers& peers = ground.ports().peers;
  if (const std::uint64_t changes = peers.changes(); changes != as_of_) {
    any_gone_ = false;
    for (Rank place = 0; place < size_ && !any_gone_; ++place)
      any_gone_ = peers.health(rank_of(place)) != Health::healthy;
    as_of_ = changes;
  }
  return any_gone_ || ground.any_given_up() || !unreachable_.empty();
}

bool LaneWireState::goes_past_cache(const In& in) const {
  constexpr std::size_t kMany = std::size_t{4} << 20;  // bytes
  return in.bytes * ground.group().nodes().beside().size() >= kMany;
}

// ---- what went wrong ----

void LaneWireState::note(Status status, Rank rank) {
  const bool deleted = status.code() == Code::invalid_segment || status.code() == Code::invalid_group;
  Status why = deleted ? ground.deleted_by(rank) : std::move(status);
  if (patient_ && !why.ok()) {
    unreachable_.push_back(rank);
    why_unreachable_ = std::move(why);
    return;
  }
  trouble_ = std::move(why);
  if (trouble_.ok()) crowd();  // nothing rings when that is certain
}

bool LaneWireState::accept(Status status, const core::MemberMemory& target) {
  if (status.ok()) return true;
  if (status.code() == Code::queue_full || status.timed_out()) {
    crowd();
    return false;
  }
  note(std::move(status), target.segment->rank);
  return false;
}

void LaneWireState::fail(const Status& why) {
  if (why.ok() || !failure_.ok()) return;
  failure_ = why;
  reason_ = Reason(why.message());
}

void LaneWireState::hear_of_failure(Rank from, Code code, const std::byte* content) {
  if (!failure_.ok()) return;
  std::memcpy(&reason_, content, sizeof reason_);
  reason_.text[Reason::kRoom - 1] = '\0';
  failure_ = Status(code,
                    std::string(to_string(call_.kind)) + ": combining failed at rank " + std::to_string(rank_of(from)) +
                        " or before it: " + reason_.text,
                    Died::operation);
}

void LaneWireState::refuse(Rank from, std::size_t expected, std::size_t bytes) {
  fail({Code::invalid_size,
        std::string(to_string(call_.kind)) + ": rank " + std::to_string(rank_of(from)) + " sends " +
            std::to_string(bytes) + " bytes where this rank expects " + std::to_string(expected),
        Died::operation});
}

}  // namespace polder::coll
