#include "coll/drive/lanes.hpp"

#include "coll/drive/driven_collective.hpp"
#include "core/group/busy.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/progress/progress.hpp"
#include "trace/record/process.hpp"
#include "util/assert.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace polder::coll {

namespace {

constexpr std::int64_t kGraceOfDeleted = 500'000'000;  // ns

// Events of collectives have the number of their algorithm.
void name_algorithms_in_traces() {
  std::vector<trace::KindName> names;
  for (unsigned number = 1; number <= unsigned(kLastAlgorithm); ++number)
    names.push_back({trace::algorithm_kind(std::uint16_t(number)), trace::EventKind::none,
                     to_string(Algorithm(number)).data(), "algorithm"});
  trace::name_module_kinds(names);
}

}  // namespace

Lane::Lane(Lanes& lanes, unsigned number)
    : wire(strand, lanes, number, 0, {}, lanes.group().index(), Rank(lanes.group().ranks().size())),
      turn(number == 0 ? Lanes::kLanes : number) {
  const core::GroupNodes& nodes = lanes.group().nodes();
  if (lanes.room().first_leading() != lanes.room().slots() && nodes.leads(lanes.group().index()))
    leaders.emplace(strand, lanes, number, lanes.room().first_leading(), nodes.leaders(), nodes.place(),
                    Rank(nodes.leaders().size()));
  if (lanes.group().node_room().used()) node.emplace(strand, lanes, number, nodes.beside(), nodes.place_beside());
}

Lanes& Lanes::of(core::GroupState& group) {
  POLDER_ASSERT(group.committed());
  return static_cast<Lanes&>(
      group.extension(core::GroupExtension::collectives, [&] { return std::make_unique<Lanes>(group); }));
}

Lanes::Lanes(core::GroupState& group)
    : group_(group), own_(group.own()), queue_(group.ports().one_sided.make_internal_queue()) {
  for (unsigned number = 0; number < kLanes; ++number) lanes_[number] = std::make_unique<Lane>(*this, number);
  ports().progress.background().add(*this);
  if (ports().outside.recorder() == nullptr) return;
  static std::once_flag named;
  std::call_once(named, name_algorithms_in_traces);
}

// What is under way lies in the wires' staging: it must have left before they go. And what this member has shown last
// others may still be reading.
Lanes::~Lanes() {
  resumable.reset();
  (void)ports().progress.wait([&] { return !needed(); }, [this] { return ports().peers.check_open(); }, waiting_bell(),
                              std::chrono::seconds(2));
  ports().progress.background().remove(*this);
  [[maybe_unused]] const Status left = queue_->wait(Completion::remote, std::chrono::seconds(5));
}

const core::GroupPorts& Lanes::ports() const {
  return group_.ports();
}
const core::LetterRoom& Lanes::room() const {
  return group_.letters();
}
Rank Lanes::rank_of(Rank member) const {
  return group_.ranks()[member];
}

// Lanes take their collectives one after the other.
std::uint64_t Lanes::ended() const {
  if (!broken().ok()) return 0;
  std::uint64_t next = lanes_[0]->turn.load(std::memory_order_acquire);
  for (const auto& lane : lanes_) next = std::min(next, lane->turn.load(std::memory_order_acquire));
  return next - 1;
}

// A thread that drives a lane has not ended there.
bool Lanes::needed() const {
  if (!broken().ok()) return false;
  for (const auto& lane : lanes_) {
    if (!lane->node) continue;
    if (lane->driven.exchange(true, std::memory_order_acquire)) return true;
    const bool needed = lane->node->is_needed();
    lane->driven.store(false, std::memory_order_release);
    if (needed) return true;
  }
  return false;
}

Status Lanes::broken() const {
  std::lock_guard lock(mutex_);
  return broken_;
}

void Lanes::break_with(const Status& why) {
  std::lock_guard lock(mutex_);
  if (broken_.ok()) broken_ = why;
}

void Lanes::publish(unsigned lane, const CallRecord& call) {
  reinterpret_cast<core::Published<CallRecord>*>(own_.data + room().record(lane))->write(call);
}

std::optional<CallRecord> Lanes::published(unsigned lane, Rank member) {
  core::MemberMemory memory;
  Status failure;
  if (!locate(member, memory, failure) || memory.segment->data == nullptr || !memory.segment->live()) return {};
  CallRecord record;
  const auto& there = *reinterpret_cast<core::Published<CallRecord>*>(memory.segment->data + room().record(lane));
  if (!there.read(record)) return {};
  return record;
}

// What it had sent arrived before it did so: see the destructor.
bool Lanes::is_deleted(Rank member) {
  core::MemberMemory memory;
  Status failure;
  if (!locate(member, memory, failure)) return failure.code() == Code::invalid_group;
  return !memory.segment->live();
}

bool Lanes::locate(Rank member, core::MemberMemory& memory, Status& failure) {
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

Status Lanes::mismatch(const CallRecord& here, const CallRecord& there, Rank member) const {
  return {Code::invalid_argument,
          "collective " + std::to_string(here.number) + " of the group is " + here.describe() + " at rank " +
              std::to_string(rank_of(group_.index())) + " and " + there.describe() + " at rank " +
              std::to_string(rank_of(member)) + " (" + CallRecord::difference(here, there) + ")",
          Died::operation};
}

// Another group may live in its place by now.
Status Lanes::deleted_by(Rank rank) {
  core::Peers& peers = ports().peers;
  for (const Rank each : group_.ranks())
    if (peers.health(each) == Health::failed) return peers.gone(each);
  if (Status status = peers.check_healthy(group_.ranks()); !status.ok()) return status;
  const std::int64_t now = ports().progress.clock().now_ns();
  {
    std::lock_guard lock(mutex_);
    if (now - deleted_since_.try_emplace(rank, now).first->second < kGraceOfDeleted) return {};
  }
  return {Code::invalid_group, "a collective: rank " + std::to_string(rank) + " has deleted the group"};
}

util::Bell& Lanes::waiting_bell() const {
  return own_.control->bell;
}

void Lanes::adopt(DrivenCollective& operation) {
  ports().progress.background().begins();
  std::lock_guard lock(adopting_);
  adopted_.push_back(&operation);
}

void Lanes::disown(DrivenCollective& operation) {
  std::lock_guard lock(adopting_);
  if (std::erase(adopted_, &operation) != 0) ports().progress.background().ends();
}

// Under no lock while an operation goes on: what follows it may begin the next one. `held` keeps it from going
// meanwhile.
int Lanes::advance() {
  int ended = 0;
  for (std::size_t at = 0;; ++at) {
    DrivenCollective* operation = nullptr;
    {
      std::lock_guard lock(adopting_);
      if (at >= adopted_.size()) return ended;
      operation = adopted_[at];
      operation->held.store(true, std::memory_order_relaxed);
    }
    operation->attend();
    const std::function<void()> then = operation->take_continuation();
    if (operation->ended()) disown(*operation), --at, ++ended;
    operation->held.store(false, std::memory_order_release);
    if (then) then();
  }
}

}  // namespace polder::coll
