#include "coll/lane/lane_ground.hpp"

#include "coll/lane/options.hpp"
#include "core/group/busy.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/segments.hpp"

#include <string>

namespace polder::coll {
LaneGround::LaneGround(core::GroupState& group)
    : group_(group),
      ports_(group.ports()),
      room_(group.letters()),
      ranks_(group.ranks()),
      own_(group.own()),
      exposure_(ports_.segments.exposure_of(own_.id)),
      has_windows_(exposure_.data != nullptr && device().capabilities().windows),
      outward_(outward_copy_option()),
      copy_ways_(copy_ways_option(), group.ports().progress.patience().options().oversubscribed),
      reduction_ways_(copy_ways_.ways()),
      queue_(group.ports().one_sided.make_internal_queue()),
      asked_(group.ports()),
      process_reads_(
          group, [this](Rank member) { return mapped(member); }, copy_ways_.may_be_once()) {}

device::Device& LaneGround::device() const {
  return *ports_.outside.device;
}

Status LaneGround::why_broken() const {
  std::lock_guard lock(mutex_);
  return broken_;
}

void LaneGround::break_with(const Status& why) {
  std::lock_guard lock(mutex_);
  if (broken_.ok()) broken_ = why;
  is_broken_.store(!broken_.ok(), std::memory_order_release);
  if (broken_.ok()) return;
  for (unsigned lane = 0; lane < core::LetterRoom::kLanes; ++lane)
    shown(own_, lane).given_up.store(1, std::memory_order_release);
}

ShownCall& LaneGround::shown(const core::PeerSegment& segment, unsigned lane) const {
  return *reinterpret_cast<ShownCall*>(segment.data + room().record(lane));
}

void LaneGround::publish(unsigned lane, const CallRecord& call) {
  shown(own_, lane).call.write(call);
}

// Null: it is not there yet, or no more, or not mapped.
const core::PeerSegment* LaneGround::mapped(Rank member) {
  core::MemberMemory memory;
  Status failure;
  const bool is_there = locate(member, memory, failure) && memory.segment->data != nullptr && memory.segment->live();
  return is_there ? memory.segment : nullptr;
}

std::optional<CallRecord> LaneGround::published(unsigned lane, Rank member) {
  const core::PeerSegment* const memory = mapped(member);
  if (memory == nullptr) return {};
  const ShownCall& there = shown(*memory, lane);
  if (there.given_up.load(std::memory_order_acquire) != 0) note_given_up(member);
  CallRecord record;
  if (!there.call.read(record)) return {};
  return record;
}

std::optional<CallRecord> LaneGround::published_or_asked(unsigned lane, Rank member, std::uint64_t number) {
  core::MemberMemory memory;
  Status failure;
  if (!locate(member, memory, failure)) return {};
  if (memory.segment->data != nullptr) return published(lane, member);
  const auto answer = asked_.of(memory, room().record(lane), number);
  if (!answer) return {};
  if (answer->given_up) note_given_up(member);
  return answer->call;
}

void LaneGround::note_given_up(Rank member) {
  std::lock_guard lock(mutex_);
  given_up_.insert(member);
  any_given_up_.store(true, std::memory_order_release);
}

bool LaneGround::has_given_up(Rank member) const {
  if (!any_given_up()) return false;
  std::lock_guard lock(mutex_);
  return given_up_.contains(member);
}

Status LaneGround::given_up_by(Rank member) const {
  const std::string who = "a collective: rank " + std::to_string(rank_of(member)) + " has given up the group";
  for (const Rank each : group_.ranks())
    if (ports().peers.health(each) == Health::failed)
      return {Code::peer_failed, who + ", in which rank " + std::to_string(each) + " failed", Died::operation};
  return {Code::peer_failed, who, Died::operation};
}

// What it had sent arrived before it did so: see the destructor.
bool LaneGround::is_deleted(Rank member) {
  core::MemberMemory memory;
  Status failure;
  if (!locate(member, memory, failure)) return failure.code() == Code::invalid_group;
  return !memory.segment->live();
}

bool LaneGround::locate(Rank member, core::MemberMemory& memory, Status& failure) {
  const core::Busy locating(locating_);
  if (!locating.mine()) return false;
  if (const auto known = located_.find(member); known != located_.end()) {
    memory = known->second;
    return true;
  }
  const bool found = group_.locate(member, memory, failure);
  seeking_.store(!found, std::memory_order_relaxed);
  if (!found) return false;
  located_.emplace(member, memory);
  return true;
}

Status LaneGround::mismatch(const CallRecord& here, const CallRecord& there, Rank member) const {
  return {Code::invalid_argument,
          "collective " + std::to_string(here.number) + " of the group is " + here.describe() + " at rank " +
              std::to_string(rank_of(group_.index())) + " and " + there.describe() + " at rank " +
              std::to_string(rank_of(member)) + " (" + CallRecord::difference(here, there) + ")",
          Died::operation};
}

// Another group may live in its place by now.
Status LaneGround::deleted_by(Rank rank) {
  core::Peers& peers = ports().peers;
  for (const Rank each : group_.ranks())
    if (peers.health(each) == Health::failed) return peers.gone(each);
  if (Status status = peers.check_healthy(group_.ranks()); !status.ok()) return status;
  const std::int64_t now = ports().progress.clock().now_ns();
  {
    std::lock_guard lock(mutex_);
    if (now - deleted_since_.try_emplace(rank, now).first->second < core::kGraceOfDeleted.nanoseconds()) return {};
  }
  return {Code::invalid_group, "a collective: rank " + std::to_string(rank) + " has deleted the group"};
}

util::Bell& LaneGround::waiting_bell() const {
  return own_.control->bell;
}

}  // namespace polder::coll
