#include "coll/drive/lanes.hpp"

#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "trace/record/process.hpp"
#include "util/assert.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <system_error>
#include <vector>

namespace polder::coll {

namespace {

// Events of collectives have the number of their algorithm.
void name_algorithms_in_traces() {
  std::vector<trace::KindName> names;
  for (unsigned number = 1; number <= unsigned(kLastAlgorithm); ++number)
    names.push_back({trace::algorithm_kind(std::uint16_t(number)), trace::EventKind::none,
                     to_string(Algorithm(number)).data(), "algorithm"});
  trace::name_module_kinds(names);
}

}  // namespace

Lane::Lane(LaneGround& ground, unsigned number)
    : wire(strand, ground, number, 0, {}, ground.group().index(), Rank(ground.group().ranks().size())),
      turn(number == 0 ? Lanes::kLanes : number) {
  const core::GroupNodes& nodes = ground.group().nodes();
  if (ground.room().first_of_row() != ground.room().slots() && !nodes.row().empty())
    row.emplace(strand, ground, number, ground.room().first_of_row(), nodes.row(), nodes.place(),
                Rank(nodes.row().size()));
  if (ground.group().node_room().used()) node.emplace(strand, ground, number, nodes.beside(), nodes.place_beside());
}

Lanes& Lanes::of(core::GroupState& group) {
  POLDER_ASSERT(group.committed());
  return static_cast<Lanes&>(
      group.extension(core::GroupExtension::collectives, [&] { return std::make_unique<Lanes>(group); }));
}

Lanes::Lanes(core::GroupState& group)
    : ground_(group), edge_slots_(std::make_shared<EdgeSlots>(ground_.room().first_edge(), ground_.room().edges())) {
  for (unsigned number = 0; number < kLanes; ++number) lanes_[number] = std::make_unique<Lane>(ground_, number);
  ports().progress.background().add(*this);
  if (ports().outside.recorder() == nullptr) return;
  static std::once_flag named;
  std::call_once(named, name_algorithms_in_traces);
}

// What is under way lies in the wires' staging: it must have left before they go. And what this member has shown last
// others may still be reading: they do not ring for each piece that they leave, so a sleep is short.
Lanes::~Lanes() {
  constexpr std::int64_t kNap = 1'000'000;  // ns
  resumable.reset();
  own_attendant_.reset();
  const util::Deadline deadline(std::chrono::seconds(2), ports().progress.clock());
  Status status;
  do {
    const Timeout nap = std::chrono::nanoseconds(std::min(deadline.remaining().nanoseconds(), kNap));
    status = ports().progress.wait([&] { return !needed(); }, [this] { return ports().peers.check_open(); },
                                   ground_.waiting_bell(), nap);
  } while (status.timed_out() && !deadline.passed());
  ports().progress.background().remove(*this);
  [[maybe_unused]] const Status left = ground_.queue().wait(Completion::remote, std::chrono::seconds(5));
}

// Lanes take their collectives one after the other.
std::uint64_t Lanes::ended() const {
  if (!ground_.broken().ok()) return 0;
  std::uint64_t next = lanes_[0]->turn.load(std::memory_order_acquire);
  for (const auto& lane : lanes_) next = std::min(next, lane->turn.load(std::memory_order_acquire));
  return next - 1;
}

// A thread that drives a lane has not ended there.
bool Lanes::needed() const {
  if (!ground_.broken().ok()) return false;
  for (const auto& lane : lanes_) {
    if (!lane->node) continue;
    if (lane->driven.exchange(true, std::memory_order_acquire)) return true;
    const bool needed = lane->node->is_needed();
    lane->driven.store(false, std::memory_order_release);
    if (needed) return true;
  }
  return false;
}

void Lanes::settle_credits() {
  for (const auto& lane : lanes_) {
    const Driving driving(*lane);
    lane->wire.settle();
  }
}

bool Lanes::owes_credits_of(Slot slot) {
  for (const auto& lane : lanes_) {
    const Driving driving(*lane);
    if (lane->wire.owes_credits_of(slot)) return true;
  }
  return false;
}

void Lanes::forget_edge(Role role, Slot slot) {
  for (const auto& lane : lanes_) {
    const Driving driving(*lane);
    role == Role::reads ? lane->wire.forget_writer(slot) : lane->wire.forget_reader(slot);
  }
}

// REQUIRES: adopting_ is held.
void Lanes::make_attendant() {
  try {
    own_attendant_ = std::make_unique<Attendant>(ports().progress, ground_.waiting_bell());
  } catch (const std::system_error&) {
    return;  // no thread is to be had: callers that wait make progress
  }
  attendant_.store(own_attendant_.get(), std::memory_order_release);
}

void Lanes::adopt(Attended& operation, bool at_once) {
  ports().progress.background().begins();
  {
    std::lock_guard lock(adopting_);
    adopted_.push_back(&operation);
    if (!own_attendant_ && ports().progress.may_have_threads()) make_attendant();
    if (own_attendant_) own_attendant_->begun(at_once);
  }
  if (attendant() != nullptr) attendant()->call(at_once);
}

void Lanes::disown(Attended& operation) {
  std::lock_guard lock(adopting_);
  if (std::erase(adopted_, &operation) == 0) return;
  ports().progress.background().ends();
  if (own_attendant_) own_attendant_->ended();
}

// Under no lock while an operation goes on: what follows it may begin the next one. `held` keeps it from going
// meanwhile.
int Lanes::advance() {
  int ended = 0;
  for (std::size_t at = 0;; ++at) {
    Attended* operation = nullptr;
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
