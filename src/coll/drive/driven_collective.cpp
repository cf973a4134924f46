#include "coll/drive/driven_collective.hpp"

#include "core/group/busy.hpp"
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/group/group_wait.hpp"
#include "core/peers/peers.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "trace/record/span.hpp"
#include "util/assert.hpp"
#include "util/outside_order.hpp"
#include "util/scheduling.hpp"
#include "util/thread.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace polder::coll {
namespace {

constexpr std::int64_t kCrowded = 1'000'000;    // ns to sleep where a device has no room, for no bell tells of it
constexpr std::int64_t kSeeking = 50'000'000;   // ns to sleep at most where a member is not there yet, likewise
constexpr int kGlance = 50;                     // looks, for about a microsecond
constexpr std::int64_t kGrace = 2'000'000'000;  // ns in which the last letters of one that has left may still come

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
  if (lanes_ == nullptr) return;
  if (under_way())
    give_up({Code::invalid_group,
             "a " + std::string(to_string(call_.kind)) + " of the group was abandoned before its end",
             Died::operation});
  leave_alone();
}

// No thread looks after it any more when this returns.
void DrivenCollective::leave_alone() {
  if (alone_) lanes_->disown(*this);
  while (held.load(std::memory_order_acquire)) util::yield_core();
  alone_ = false;
}

Status DrivenCollective::begin(core::GroupState& group, const CallRecord& call, const Elements& elements, Living living,
                               Over over) {
  if (Status status = group.check_committed(); !status.ok()) return status;
  if (Status status = group.ports().peers.check_open(); !status.ok()) return status;
  POLDER_ASSERT(!under_way());
  leave_alone();  // whoever ended the last one may still be on its way out of its lane
  lanes_ = &Lanes::of(group);
  const core::Busy beginning(lanes_->busy);
  if (!beginning.mine()) return core::busy("collective");
  if (Status status = lanes_->ground().broken(); !status.ok()) return status;
  told_.store(true, std::memory_order_relaxed);
  call_ = call;
  call_.number = lanes_->next_number();
  if (call_.signature == 0) call_.sign();
  elements_ = elements;
  living_ = living;
  over_ = over;
  lane_ = &lanes_->lane_of(call_.number);
  left_since_ns_.store(0, std::memory_order_relaxed);
  stage_.store(Stage::queued, std::memory_order_release);
  return {};
}

// ---- driving ----

// Looks so many times whether it can go on.
void DrivenCollective::advance(int looks) {
  if (!under_way()) return;
  Lane& lane = *lane_;
  if (lane.driven.exchange(true, std::memory_order_acquire)) return;
  if (under_way()) drive();
  while (--looks > 0 && under_way()) {
    util::cpu_relax();
    drive();
  }
  lane.driven.store(false, std::memory_order_release);
}

void DrivenCollective::drive() {
  if (stage() == Stage::queued && !enter()) return;
  const bool is_over = lane_->strand.advance();
  if (Status trouble = take_trouble(); !trouble.ok()) return end(std::move(trouble), true);
  if (!is_over) return;
  if (LaneNode* const on_node = node())
    if (Status status = on_node->check_offers(); !status.ok()) return end(std::move(status), true);
  Status failure = take_failure();
  if (failure.ok()) finish();
  end(std::move(failure), false);
}

Status DrivenCollective::take_trouble() {
  if (over_ == Over::node) return lane_->node->take_trouble();
  Status trouble = lane_->wire.take_trouble();
  if (trouble.ok() && lane_->row) trouble = lane_->row->take_trouble();
  if (LaneNode* const on_node = node(); trouble.ok() && on_node != nullptr) trouble = on_node->take_trouble();
  return trouble;
}

Status DrivenCollective::take_failure() {
  if (over_ == Over::node) return lane_->node->take_failure();
  Status failure = lane_->wire.take_failure();
  if (failure.ok() && lane_->row) failure = lane_->row->take_failure();
  if (LaneNode* const on_node = node(); failure.ok() && on_node != nullptr) failure = on_node->take_failure();
  return failure;
}

// False: it is not its turn, or it has ended at once.
bool DrivenCollective::enter() {
  if (lane_->turn.load(std::memory_order_acquire) != call_.number) return false;
  if (Status status = lanes_->ground().broken(); !status.ok()) {
    end(std::move(status), false);
    return false;
  }
  if (over_ != Over::node) {
    lane_->wire.begin(call_, elements_, living_ == Living::reached);
    if (lane_->row) lane_->row->begin(call_, elements_);
  }
  if (LaneNode* const on_node = node()) on_node->begin(call_, elements_);
  lanes_->ground().publish(unsigned(call_.number % Lanes::kLanes), call_);
  stage_.store(Stage::running, std::memory_order_release);
  lane_->strand.begin(start(*lane_));
  return true;
}

void DrivenCollective::end(Status outcome, bool for_good) {
  lane_->strand.abandon();
  if (LaneNode* const on_node = node(); for_good && on_node != nullptr) on_node->withdraw();
  lane_->wire.withdraw();
  if (lane_->row) lane_->row->withdraw();
  if (for_good) lanes_->ground().break_with(outcome);
  outcome_ = std::move(outcome);
  if (bootstrap::Standing* const standing = lanes_->ports().progress.standing()) standing->count_collective();
  lane_->turn.store(call_.number + Lanes::kLanes,
                    std::memory_order_release);  // nobody else does while this one drives it
  util::hear_outside();
  stage_.store(Stage::ended, std::memory_order_release);
  if (alone_) lanes_->ground().own().control->bell.ring();
}

void DrivenCollective::give_up(Status why) {
  const Driving driving(*lane_);
  if (!under_way()) return;
  if (stage() == Stage::running) {
    const bool is_whole_otherwise = over_ != Over::node && lane_->wire.lost().has_value();
    return end(std::move(why), !is_whole_otherwise);
  }
  // Its turn has not come, and those after it on this lane would wait for it: nothing of the group goes on.
  lanes_->ground().break_with(why);
  outcome_ = std::move(why);
  stage_.store(Stage::ended, std::memory_order_release);
}

Status DrivenCollective::wait(Timeout timeout) {
  if (lanes_->ports().outside.recorder() == nullptr) return wait_untraced(timeout);
  const bool rooted = is_rooted(call_.kind);
  trace::Span span(lanes_->ports().outside.recorder(), trace_kind(call_.kind),
                   {.peer = rooted ? lanes_->ground().group().ranks()[call_.root] : trace::kNoPeer,
                    .segment = lanes_->ground().group().trace_tag(),
                    .bytes = call_.count * call_.element,
                    .queue = call_.algorithm,
                    .value = NotificationValue(call_.number)});
  return span.outcome(wait_untraced(timeout));
}

Status DrivenCollective::wait_untraced(Timeout timeout) {
  const auto gone_on = [this] {
    advance();
    return ended();
  };
  core::Progress& progress = lanes_->ports().progress;
  const bool is_all_mapped = lanes_->ground().group().nodes().one();  // else nothing rings for what a member says
  // What comes over a network is not there before somebody polls it.
  const bool may_glance = is_all_mapped && !timeout.is_test() && progress.patience().may_spin();
  advance(may_glance ? kGlance : 1);
  if (ended()) return told();
  const Attendant::Away away(alone_ && !timeout.is_test() ? lanes_->attendant() : nullptr);
  std::int64_t seeking = kCrowded / 2;
  const auto longest_sleep = [&] {
    if (is_crowded()) return kCrowded;
    if (lanes_->ground().seeking()) return seeking = std::min(2 * seeking, kSeeking);
    return living_ == Living::reached ? kSeeking : is_all_mapped ? INT64_MAX : AskedRecord::kPatience;
  };
  Status status = progress.wait(
      gone_on, [this] { return trouble(); }, lanes_->ground().waiting_bell(), timeout,
      [this](bootstrap::LongWait& wait) { describe(wait); }, [this] { return awaits_other_nodes(); }, longest_sleep);
  if (status.timed_out()) return timeout.is_test() ? status : timed_out();
  if (!status.ok()) give_up(std::move(status));
  return told();
}

// And nobody of this one.
bool DrivenCollective::awaits_other_nodes() const {
  return stage() == Stage::running && over_ != Over::node &&
         (lane_->wire.awaits_other_nodes() || (lane_->row && lane_->row->awaits_other_nodes()));
}

bool DrivenCollective::is_crowded() const {
  return over_ != Over::node && lane_->wire.crowded();
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
  lanes_->adopt(*this, then_ != nullptr || call_.count * call_.element >= kLong);
}

void DrivenCollective::attend() {
  advance();
  if (!under_way()) return;
  const std::int64_t now = lanes_->ports().progress.clock().coarse_now_ns();
  if (now - looked_ns_ < kLook) return;
  looked_ns_ = now;
  if (Status status = trouble(); !status.ok()) give_up(std::move(status));
}

// ---- why the others will never come ----

Status DrivenCollective::trouble() {
  if (Status status = lanes_->ground().broken(); !status.ok()) return status;
  if (Status status = gone(); !status.ok()) return status;
  if (const auto member = awaited())
    if (Status status = news_of(*member); !status.ok()) return status;
  return over_ == Over::wires ? news_beside() : news_of_node();
}

// Letters of one that has left, or given up, have come or are on their way for a moment yet.
bool DrivenCollective::is_grace_over() const {
  std::int64_t unset = 0;
  const std::int64_t now = lanes_->ports().progress.clock().now_ns();
  left_since_ns_.compare_exchange_strong(unset, now);
  return now - left_since_ns_ > kGrace;
}

// Who left in good order has either been through this collective, and then it will end; or it will never come. Its own
// word tells. Where there is none, its last letters may still be on their way, for a moment.
Status DrivenCollective::gone() const {
  core::Peers& peers = lanes_->ports().peers;
  if (Status status = peers.check_open(); !status.ok()) return status;
  const auto ranks = lanes_->ground().group().ranks();
  const auto one = living_ == Living::reached ? lane_->wire.lost() : awaited();
  const auto needed = living_ == Living::all ? ranks : ranks.subspan(one.value_or(0), one ? 1 : 0);
  if (living_ == Living::reached && one && !peers.is_gone(ranks[*one]) && lanes_->ground().has_given_up(*one))
    return lanes_->ground().given_up_by(*one);
  const Rank *left = nullptr, *never = nullptr;
  for (const Rank& rank : needed) {
    const Health health = peers.health(rank);
    if (health == Health::healthy) continue;
    const bool has_left =
        health == Health::finished || lanes_->ports().outside.bootstrap->health(rank) == Health::healthy;
    if (!has_left) return peers.gone(rank);  // named before those that left, mostly because of it
    const auto word = lanes_->ground().group().word(rank, call_.number);
    if (word == core::DepartureWord::never && never == nullptr) never = &rank;
    // Of an eventual collective a member may have ended that never sent what this one waits for.
    if (word != core::DepartureWord::passed || living_ != Living::all) left = &rank;
  }
  if (never != nullptr) return peers.gone(*never);
  return left != nullptr && is_grace_over() ? peers.gone(*left) : Status();
}

// What the member that is waited for says in its own memory, if that can be read: another call than ours, or that it
// has given up.
Status DrivenCollective::news_of(Rank member) const {
  if (living_ == Living::reached && lanes_->ports().peers.is_gone(lanes_->ground().rank_of(member))) return {};
  if (lanes_->ground().is_deleted(member)) return lanes_->ground().deleted_by(lanes_->ground().rank_of(member));
  if (stage() != Stage::running) return {};
  const auto there = lanes_->ground().published_or_asked(unsigned(call_.number % Lanes::kLanes), member, call_.number);
  if (living_ == Living::reached && lanes_->ground().has_given_up(member)) return {};  // what else there is comes first
  if (there && there->number == call_.number && there->fingerprint() != call_.fingerprint())
    return lanes_->ground().mismatch(call_, *there, member);
  // One that is past this call has sent its letters.
  const bool has_ended = living_ == Living::all && lanes_->ground().has_given_up(member) &&
                         !(there && there->number > call_.number) && is_grace_over();
  return has_ended ? lanes_->ground().given_up_by(member) : Status();
}

// Who waits for letters mostly waits for one that waits, too, and only the last of them for the one that made another call: where
// that can be read, all say so. Not of exchanges in which nobody needs more than its neighbours.
Status DrivenCollective::news_beside() const {
  if (living_ != Living::all || stage() != Stage::running) return {};
  LaneGround& ground = lanes_->ground();
  for (const Rank member : ground.group().nodes().beside()) {
    const auto there = ground.published(unsigned(call_.number % Lanes::kLanes), member);
    if (there && there->number == call_.number && there->fingerprint() != call_.fingerprint())
      return ground.mismatch(call_, *there, member);
  }
  return {};
}

// Where members show each other what they do. Whoever drives the lane at this instant finds out itself.
Status DrivenCollective::news_of_node() {
  LaneNode* const on_node = node();
  if (on_node == nullptr || lane_->driven.exchange(true, std::memory_order_acquire)) return {};
  Status status;
  if (stage() == Stage::running) {
    status = on_node->news();
    if (const auto member = on_node->never_leaves(); status.ok() && member && is_grace_over())
      status = lanes_->ground().given_up_by(*member);
  }
  lane_->driven.store(false, std::memory_order_release);
  return status;
}

std::optional<Rank> DrivenCollective::awaited() const {
  if (stage() != Stage::running || over_ == Over::node) return {};
  if (const auto member = lane_->wire.awaited()) return member;
  return lane_->row ? lane_->row->awaited() : std::nullopt;
}

// Those who say in their memory that they are not that far, as far as it can be read.
std::vector<Rank> DrivenCollective::late_members() const {
  std::vector<Rank> late;
  const auto& group = lanes_->ground().group();
  for (Rank member = 0; member < group.ranks().size(); ++member) {
    if (member == group.index()) continue;
    const auto there = lanes_->ground().published(unsigned(call_.number % Lanes::kLanes), member);
    if (there && there->number < call_.number) late.push_back(lanes_->ground().rank_of(member));
  }
  return late;
}

Status DrivenCollective::timed_out() const {
  constexpr std::size_t kNamed = 4;
  const std::vector<Rank> late = late_members();
  if (late.empty()) return Code::timeout;
  std::string names;
  for (std::size_t i = 0; i < std::min(late.size(), kNamed); ++i)
    names += (names.empty() ? "" : ", ") + std::to_string(late[i]);
  if (late.size() > kNamed) names += " and " + std::to_string(late.size() - kNamed) + " more";
  return {Code::timeout, (late.size() == 1 ? "rank " : "ranks ") + names + (late.size() == 1 ? " has" : " have") +
                             " not entered " + std::string(to_string(call_.kind)) + ", collective " +
                             std::to_string(call_.number) + " of the group"};
}

// Where all have come, or their memory cannot be read, it is the one whose letter is missing.
void DrivenCollective::describe(bootstrap::LongWait& wait) const {
  const core::GroupState& group = lanes_->ground().group();
  wait.say("in " + std::string(to_string(call_.kind)) + " of " + core::name_of_group(group.ports(), group.ranks()));
  for (const Rank rank : late_members()) wait.wait_for(rank);
  if (wait.missing != 0) return;
  if (const auto member = awaited()) wait.wait_for(lanes_->ground().rank_of(*member));
}

}  // namespace polder::coll
