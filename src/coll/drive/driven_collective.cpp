#include "coll/drive/driven_collective.hpp"

#include "core/group/busy.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "trace/record/span.hpp"
#include "util/assert.hpp"
#include "util/outside_order.hpp"
#include "util/platform.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace polder::coll {
namespace {

constexpr std::int64_t kCrowded = 1'000'000;   // ns to sleep where a device has no room, for no bell tells of it
constexpr std::int64_t kSeeking = 50'000'000;  // ns to sleep at most where a member is not there yet, likewise
constexpr int kGlance = 50;                    // looks, for about a microsecond

// Both enumerations have the collectives in the same order, but for neighbours.
trace::EventKind trace_kind(Kind kind) {
  if (kind == Kind::neighbours) return trace::EventKind::neighbours;
  static_assert(int(trace::EventKind::exscan) - int(trace::EventKind::barrier) ==
                int(Kind::exscan) - int(Kind::barrier));
  return trace::EventKind(int(trace::EventKind::barrier) + int(kind) - int(Kind::barrier));
}

}  // namespace

DrivenCollective::~DrivenCollective() {
  POLDER_ASSERT(!under_way() && !alone_);
}

void DrivenCollective::retire() {
  if (call_.lanes == nullptr) return;
  if (under_way())
    give_up({Code::invalid_group,
             "a " + std::string(to_string(call_.record.kind)) + " of the group was abandoned before its end",
             Died::operation});
  leave_alone();
}

// No thread looks after it any more when this returns.
void DrivenCollective::leave_alone() {
  if (alone_) call_.lanes->disown(*this);
  while (held.load(std::memory_order_acquire)) util::yield_core();
  alone_ = false;
}

Status DrivenCollective::begin(core::GroupState& group, const CallRecord& call, const Elements& elements, Living living,
                               Over over) {
  if (Status status = group.check_committed(); !status.ok()) return status;
  if (Status status = group.ports().peers.check_open(); !status.ok()) return status;
  POLDER_ASSERT(!under_way());
  leave_alone();  // whoever ended the last one may still be on its way out of its lane
  call_.lanes = &Lanes::of(group);
  const core::Busy beginning(call_.lanes->busy);
  if (!beginning.mine()) return core::busy("collective");
  if (Status status = call_.ground().broken(); !status.ok()) return status;
  told_.store(true, std::memory_order_relaxed);
  call_.record = call;
  call_.record.number = call_.lanes->next_number();
  if (call_.record.signature == 0) call_.record.sign();
  call_.elements = elements;
  call_.living = living;
  call_.over = over;
  call_.lane = &call_.lanes->lane_of(call_.record.number);
  news_.begin();
  call_.stage.store(Stage::queued, std::memory_order_release);
  return {};
}

// ---- driving ----

// Looks so many times whether it can go on.
void DrivenCollective::advance(int looks) {
  if (!under_way()) return;
  Lane& lane = *call_.lane;
  if (lane.driven.exchange(true, std::memory_order_acquire)) return;
  if (under_way()) drive();
  while (--looks > 0 && under_way()) {
    util::cpu_relax();
    drive();
  }
  lane.driven.store(false, std::memory_order_release);
}

void DrivenCollective::drive() {
  if (call_.is_at(Stage::queued) && !enter()) return;
  const bool is_over = call_.lane->strand.advance();
  if (Status trouble = take_trouble(); !trouble.ok()) return end(std::move(trouble), true);
  if (!is_over) return;
  if (LaneNode* const on_node = call_.node())
    if (Status status = on_node->check_offers(); !status.ok()) return end(std::move(status), true);
  Status failure = take_failure();
  if (failure.ok()) finish();
  end(std::move(failure), false);
}

Status DrivenCollective::take_trouble() {
  if (!call_.goes_over_wires()) return call_.lane->node->take_trouble();
  Status trouble = call_.lane->wire.take_trouble();
  if (trouble.ok() && call_.lane->row) trouble = call_.lane->row->take_trouble();
  if (LaneNode* const on_node = call_.node(); trouble.ok() && on_node != nullptr) trouble = on_node->take_trouble();
  return trouble;
}

Status DrivenCollective::take_failure() {
  if (!call_.goes_over_wires()) return call_.lane->node->take_failure();
  Status failure = call_.lane->wire.take_failure();
  if (failure.ok() && call_.lane->row) failure = call_.lane->row->take_failure();
  if (LaneNode* const on_node = call_.node(); failure.ok() && on_node != nullptr) failure = on_node->take_failure();
  return failure;
}

// False: it is not its turn, or it has ended at once.
bool DrivenCollective::enter() {
  if (call_.lane->turn.load(std::memory_order_acquire) != call_.record.number) return false;
  if (Status status = call_.ground().broken(); !status.ok()) {
    end(std::move(status), false);
    return false;
  }
  if (call_.goes_over_wires()) {
    call_.lane->wire.begin(call_.record, call_.elements, call_.living == Living::reached);
    if (call_.lane->row) call_.lane->row->begin(call_.record, call_.elements);
  }
  if (LaneNode* const on_node = call_.node()) on_node->begin(call_.record, call_.elements);
  call_.ground().publish(call_.lane_number(), call_.record);
  call_.stage.store(Stage::running, std::memory_order_release);
  call_.lane->strand.begin(start(*call_.lane));
  return true;
}

void DrivenCollective::end(Status outcome, bool for_good) {
  call_.lane->strand.abandon();
  if (LaneNode* const on_node = call_.node(); for_good && on_node != nullptr) on_node->withdraw();
  call_.lane->wire.withdraw();
  if (call_.lane->row) call_.lane->row->withdraw();
  if (for_good) call_.ground().break_with(outcome);
  outcome_ = std::move(outcome);
  if (bootstrap::Standing* const standing = call_.lanes->ports().progress.standing()) standing->count_collective();
  call_.lane->turn.store(call_.record.number + Lanes::kLanes,
                         std::memory_order_release);  // nobody else does while this one drives it
  util::hear_outside();
  call_.stage.store(Stage::ended, std::memory_order_release);
  if (alone_) call_.ground().own().control->bell.ring();
}

void DrivenCollective::give_up(Status why) {
  const Driving driving(*call_.lane);
  give_up_driven(std::move(why));
}

// REQUIRES: this thread drives the lane.
void DrivenCollective::give_up_driven(Status why) {
  if (!under_way()) return;
  if (call_.is_running()) {
    const bool is_whole_otherwise = call_.lost().has_value();
    return end(std::move(why), !is_whole_otherwise);
  }
  // Its turn has not come, and those after it on this lane would wait for it: nothing of the group goes on.
  call_.ground().break_with(why);
  outcome_ = std::move(why);
  call_.stage.store(Stage::ended, std::memory_order_release);
}

Status DrivenCollective::wait(Timeout timeout) {
  if (call_.lanes->ports().outside.recorder() == nullptr) return wait_untraced(timeout);
  const bool rooted = is_rooted(call_.record.kind);
  trace::Span span(call_.lanes->ports().outside.recorder(), trace_kind(call_.record.kind),
                   {.peer = rooted ? call_.ranks()[call_.record.root] : trace::kNoPeer,
                    .segment = call_.ground().group().trace_tag(),
                    .bytes = call_.record.count * call_.record.element,
                    .queue = call_.record.algorithm,
                    .value = NotificationValue(call_.record.number)});
  return span.outcome(wait_untraced(timeout));
}

Status DrivenCollective::wait_untraced(Timeout timeout) {
  const auto gone_on = [this] {
    advance();
    return ended();
  };
  core::Progress& progress = call_.lanes->ports().progress;
  const bool is_all_mapped = call_.ground().group().nodes().one();  // else nothing rings for what a member says
  // What comes over a network is not there before somebody polls it.
  const bool may_glance = is_all_mapped && !timeout.is_test() && progress.patience().may_spin();
  advance(may_glance ? kGlance : 1);
  if (ended()) return told();
  const Attendant::Away away(alone_ && !timeout.is_test() ? call_.lanes->attendant() : nullptr);
  std::int64_t seeking = kCrowded / 2;
  const auto longest_sleep = [&] {
    if (is_crowded()) return kCrowded;
    if (call_.ground().seeking()) return seeking = std::min(2 * seeking, kSeeking);
    return call_.living == Living::reached ? kSeeking : is_all_mapped ? INT64_MAX : AskedRecord::kPatience;
  };
  Status status = progress.wait(
      gone_on, [this] { return news_.trouble(); }, call_.ground().waiting_bell(), timeout,
      [this](bootstrap::LongWait& wait) { news_.describe(wait); }, [this] { return awaits_other_nodes(); },
      longest_sleep);
  if (status.timed_out()) return timeout.is_test() ? status : news_.timed_out();
  if (!status.ok()) give_up(std::move(status));
  return told();
}

// And nobody of this one.
bool DrivenCollective::awaits_other_nodes() const {
  return call_.is_running() && call_.goes_over_wires() &&
         (call_.lane->wire.awaits_other_nodes() || (call_.lane->row && call_.lane->row->awaits_other_nodes()));
}

bool DrivenCollective::is_crowded() const {
  return call_.goes_over_wires() && (call_.lane->wire.crowded() || (call_.lane->row && call_.lane->row->crowded()));
}

Status DrivenCollective::told() {
  if (told_.load(std::memory_order_relaxed)) return outcome_;
  if (const auto then = take_continuation()) then();
  return outcome_;
}

std::function<void()> DrivenCollective::take_continuation() {
  if (!ended() || told_.load(std::memory_order_relaxed) || told_.exchange(true, std::memory_order_acq_rel)) return {};
  return std::move(then_);
}

bool DrivenCollective::test() {
  return wait(Timeout::test()).code() != Code::timeout || ended();
}

void DrivenCollective::go_on_alone(std::function<void()> then) {
  then_ = std::move(then);
  told_.store(false, std::memory_order_relaxed);
  alone_ = true;
  // One that is so long takes twenty times what it takes to wake a thread.
  constexpr std::uint64_t kLong = std::uint64_t{4} << 20;  // bytes
  call_.lanes->adopt(*this, then_ != nullptr || call_.record.count * call_.record.element >= kLong);
}

void DrivenCollective::attend() {
  advance();
  if (!under_way()) return;
  const std::int64_t now = call_.lanes->ports().progress.clock().coarse_now_ns();
  if (now - looked_ns_ < kLook) return;
  looked_ns_ = now;
  Status status = news_.trouble();
  // The thread that drives the lane may be this one, which makes progress there: it must not wait for itself. The next look is soon.
  if (status.ok() || call_.lane->driven.exchange(true, std::memory_order_acquire)) return;
  give_up_driven(std::move(status));
  call_.lane->driven.store(false, std::memory_order_release);
}

}  // namespace polder::coll
