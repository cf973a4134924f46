#include "core/group/barrier.hpp"

#include "core/direct/notification.hpp"
#include "core/group/group_wait.hpp"
#include "core/health/departures.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/transfer.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "util/assert.hpp"
#include "util/outside_order.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace polder::core {

namespace {

// For what a member sent before it was gone, where it is not known how far it has come: it has left without a word of
// this group, or the link to it broke.
constexpr std::int64_t kGraceOfLeft_ns = 2'000'000'000;
constexpr std::int64_t kGraceOfLost_ns = 500'000'000;

// Where many share a core, a member that waits has so many turns, and so long for each of the members on its core: three
// times what it takes to wake them all, because those who are woken first wait for those who are woken last. Else a
// barrier that found all asleep would put them to sleep again. So long, too, is the first barrier after one in which
// they slept: who is woken then shares the core with all those who are awake and yield.
constexpr int kTurns = 4;
constexpr std::int64_t kTurns_ns = 32'000;
constexpr std::int64_t kTurnsAfterSleep_ns = 3 * kTurns_ns;

// Yielding in vain twice is not tried again for so many barriers, at first and at most. Once may be a disturbance.
constexpr std::uint32_t kSleeps = 4;
constexpr std::uint32_t kMostSleeps = 64;

}  // namespace

unsigned dissemination_rounds(std::size_t members) {
  return members < 2 ? 0 : unsigned(std::bit_width(members - 1));
}

void Barrier::begin() {
  ++sequence_;
  under_way_ = true;
  arrived_ = false;
  met_ = false;
  round_ = 0;
  told_ = false;
  missed_since_ = 0;
}

Status Barrier::run(Timeout timeout) {
  if (!under_way_) begin();
  Status status = run_all(timeout);
  if (!status.ok()) return status;
  util::hear_outside();
  under_way_ = false;
  completed_.store(sequence_, std::memory_order_relaxed);
  if (bootstrap::Standing* const standing = setting_.ports->progress.standing()) standing->count_collective();
  return {};
}

Status Barrier::run_first(Timeout timeout) {
  first_ = true;
  Status status = run(timeout);
  first_ = false;
  return status;
}

Status Barrier::trouble() {
  return trouble(setting_.lane == 0 ? GroupProgress::barriers : GroupProgress::gatherings,
                 under_way_ ? sequence_ : sequence_ + 1);
}

// A member that died is named before those that left: they mostly left because of it.
Status Barrier::trouble(GroupProgress::Kind kind, std::uint64_t number) {
  Peers& peers = setting_.ports->peers;
  if (Status status = peers.check_open(); !status.ok()) return status;
  // At a counter nothing counts but whether the launcher knows all to live; members look as often as they sleep.
  const bool at_counter = setting_.node.central != nullptr && !is_led();
  const std::uint32_t changes = setting_.ports->progress.changes();
  if (at_counter && all_lived_at_.load(std::memory_order_relaxed) == changes) return {};
  bool all_live = true;
  const Rank* lost = nullptr;
  for (const Rank& rank : setting_.ranks) {
    if (peers.health(rank) == Health::healthy) continue;
    all_live = false;
    if (missing(rank, kind, number) != Missing::for_good) continue;
    if (peers.health(rank) == Health::failed) return peers.gone(rank);
    if (lost == nullptr) lost = &rank;
  }
  if (all_live) all_lived_at_.store(changes, std::memory_order_relaxed);
  return lost == nullptr ? Status() : peers.gone(*lost);
}

// A member that is gone has either been through this barrier, and then it will end, or it will never come. In a central
// barrier the first means that all are released, and the waiting looks once more. Else the member's own word tells, and
// where there is none, time: its last flags may still be on their way.
Barrier::Missing Barrier::missing(Rank rank, GroupProgress::Kind kind, std::uint64_t number) {
  const GroupPorts& ports = *setting_.ports;
  if (first_ && !ports.peers.is_gone(rank)) return Missing::for_now;
  const auto word = ports.departures.word(rank, setting_.tag, kind, number);
  if (word == Departures::Word::passed) return Missing::no;
  const bool is_certain = word == Departures::Word::never || ports.outside.bootstrap->health(rank) == Health::failed;
  const bool all_meet_here = setting_.node.central != nullptr && !is_led();
  if (is_certain || all_meet_here || first_) return Missing::for_good;
  if (missed_since_ == 0) missed_since_ = setting_.ports->clock.now_ns();
  const bool has_left = ports.peers.health(rank) == Health::finished;
  const std::int64_t grace = has_left ? kGraceOfLeft_ns : kGraceOfLost_ns;
  return setting_.ports->clock.now_ns() - missed_since_ > grace ? Missing::for_good : Missing::for_now;
}

template <class Ready>
Status Barrier::wait(Ready&& ready, util::Bell& bell, Timeout timeout) {
  return setting_.ports->progress.wait(
      ready, [this] { return trouble(); }, bell, timeout, [this](bootstrap::LongWait& wait) { describe(wait); });
}

// Where members share cores a yield comes back after the others have had their turns, so that of members that come at
// the same time nearly all are released by then: the first turn touches little memory, since after others all of it is cold.
// It looks, though, whether a stranger was there: most yields that come back late find the barrier over. Where many share a core, 1.5 to 3 us each, a barrier costs each of them a turn; to wake one
// of them takes 10 us. So there a member goes on yielding without asking, as other waits do, whether a yield took so
// long that it met a stranger. The deadline begins behind the first turn.
template <class Ready>
Status Barrier::wait_in_turn(Ready&& ready, util::Bell& bell, Timeout timeout) {
  const Counter& node = setting_.node;
  if (timeout.is_test() || !takes_turns()) return wait(ready, bell, timeout);
  if (ready()) return {};
  Progress& progress = setting_.ports->progress;
  if (node.sharing == 0) {
    util::yield_once(progress.patience());
    return ready() ? Status() : wait(ready, bell, timeout);
  }
  util::yield_core();
  if (ready()) return {};
  const util::Deadline deadline(timeout, progress.clock());
  const bool slept = node.central->slept_for.load(std::memory_order_relaxed) != 0;
  const std::int64_t each_ns = slept ? kTurnsAfterSleep_ns : kTurns_ns;
  const util::Deadline enough(std::chrono::nanoseconds(each_ns * node.sharing), progress.clock());
  for (int turn = 1; turn < kTurns || !enough.passed(); ++turn) {
    if (deadline.passed() || progress.attention()) break;
    if (progress.active()) progress.make();
    progress.background().advance();
    util::yield_core();
    if (ready()) return {};
  }
  return wait(ready, bell, deadline.remaining());
}

// Otherwise yielding is known to be in vain, or there are cores enough to spin on.
bool Barrier::takes_turns() const {
  const Counter& node = setting_.node;
  if (node.sharing != 0) return node.central->sleep_for.load(std::memory_order_relaxed) == 0;
  util::Patience& patience = setting_.ports->progress.patience();
  return patience.options().oversubscribed && patience.may_yield();
}

// For all alike, by the one that releases them: while some sleep and others yield, a barrier takes as long as waking all,
// a turn takes longer for that, and more fall asleep.
void Barrier::choose_how_to_wait() {
  const Counter& node = setting_.node;
  if (node.sharing == 0) return;
  auto& sleep_for = node.central->sleep_for;
  auto& slept_for = node.central->slept_for;
  if (const std::uint32_t left = sleep_for.load(std::memory_order_relaxed); left != 0)
    return sleep_for.store(left - 1, std::memory_order_relaxed);
  const bool in_vain = node.central->bell.sleepers.load(std::memory_order_relaxed) > node.members / 4;
  const std::uint32_t before = slept_for.load(std::memory_order_relaxed);
  const std::uint32_t longer = before == 0 ? 1 : std::clamp(2 * before, kSleeps, kMostSleeps);
  sleep_for.store(in_vain && before != 0 ? longer : 0, std::memory_order_relaxed);
  slept_for.store(in_vain ? longer : 0, std::memory_order_relaxed);
}

// Where all of this node are there, it is the others: a member waits for the first of its node, that one for another
// node's.
void Barrier::describe(bootstrap::LongWait& wait) const {
  describe_meeting(*setting_.ports, setting_.ranks, setting_.lane == 0 ? "barrier" : "allgather or allreduce",
                   {setting_.tag, setting_.lane, sequence_}, wait);
  if (wait.missing != 0) return;
  const bool disseminates = setting_.node.central == nullptr || met_;
  if (disseminates && round_ < setting_.to.size())
    wait.wait_for(setting_.to[round_].awaited);
  else if (is_led() && !setting_.node.leads)
    wait.wait_for(setting_.node.at);
}

Status Barrier::run_all(Timeout timeout) {
  const Counter& node = setting_.node;
  if (node.central == nullptr) return disseminate(timeout);
  if (!is_led() || !node.leads) return meet(timeout);
  const util::Deadline deadline(timeout, setting_.ports->clock);
  if (!met_)
    if (Status status = meet(timeout); !status.ok()) return status;
  met_ = true;
  Status status = disseminate(deadline.remaining());
  if (status.ok()) release();
  return status;
}

// A leader waits for its node, the others for their release.
Status Barrier::meet(Timeout timeout) {
  CentralBarrier& central = *setting_.node.central;
  if (!arrived_ && !arrive()) return come_too_late(timeout);
  arrived_ = true;
  if (!is_led() || !setting_.node.leads) return wait_in_turn([&] { return released(); }, central.bell, timeout);
  const std::uint64_t all = setting_.node.base + sequence_ * setting_.node.members;
  return wait_in_turn([&] { return central.arrived.load(std::memory_order_acquire) >= all; },
                      setting_.own->control->bell, timeout);
}

// False: the counter is not, or no longer, that of this group. The first guess, that nobody is here yet, brings the
// counter's line as a fetch_add would; whoever guessed wrong needs a second exchange of a line that it has.
bool Barrier::arrive() {
  const Counter& node = setting_.node;
  // Nobody comes twice before all have come once, and none counts for a barrier that has not begun.
  const std::uint64_t first = node.base + (sequence_ - 1) * node.members;
  std::uint64_t before = first;
  util::tell_outside();
  while (!node.central->arrived.compare_exchange_weak(before, before + 1, std::memory_order_acq_rel))
    if (before - first >= node.members) return false;
  if (before + 1 != first + node.members) return true;
  if (!is_led())
    release();
  else if (!node.leads)
    node.leader->control->bell.ring();
  return true;
}

// Nobody can be released from the next one before this member has come to it. Equal, and not larger: what lies in the
// place of a group that was deleted may be anything.
bool Barrier::released() const {
  return setting_.node.central->released.load(std::memory_order_acquire) == setting_.node.base + sequence_;
}

Status Barrier::come_too_late(Timeout timeout) {
  const bool is_short = timeout.nanoseconds() < kGraceOfDeleted.nanoseconds();
  Status status = wait([] { return false; }, setting_.own->control->bell, is_short ? timeout : kGraceOfDeleted);
  return status.timed_out() && !is_short ? deleted_by(setting_.node.at) : status;
}

void Barrier::release() {
  POLDER_ASSERT(setting_.node.central->released.load(std::memory_order_relaxed) == setting_.node.base + sequence_ - 1);
  choose_how_to_wait();
  setting_.node.central->released.store(setting_.node.base + sequence_, std::memory_order_release);
  setting_.node.central->bell.ring();
}

Status Barrier::disseminate(Timeout timeout) {
  std::optional<util::Deadline> deadline;  // asks the clock only where a partner keeps us waiting
  const auto left = [&] {
    return (deadline ? *deadline : deadline.emplace(timeout, setting_.ports->clock)).remaining();
  };
  for (; round_ < setting_.to.size(); ++round_, told_ = false) {
    if (!told_)
      if (Status status = tell(round_, left); !status.ok()) return status;
    told_ = true;
    const auto& flag = setting_.own->control->flags()[setting_.lane * GroupMemory::kRounds + round_];
    // A partner may be one barrier ahead.
    const auto arrived = [&] { return std::int32_t(flag.load(std::memory_order_acquire) - mark()) >= 0; };
    if (setting_.to[round_].segment->control != nullptr && util::glance(arrived)) continue;
    if (Status status = wait(arrived, setting_.own->control->bell, left()); !status.ok()) return status;
  }
  return {};
}

template <class Left>
Status Barrier::tell(unsigned round, Left&& left) {
  const Notification flag{setting_.lane * GroupMemory::kRounds + round, mark(), kAnySegment};
  const Target& to = setting_.to[round];
  if (!to.segment->live()) return deleted_by(to.rank);
  if (to.segment->control != nullptr) {
    raise_flag(*to.segment, flag);
    return {};
  }
  const GroupPorts& ports = *setting_.ports;
  const Post post(ports.one_sided.internal_queue(), left());
  Status status = ports.one_sided.post_flag(to.rank, to.id, *to.segment, flag, post, Urgency::unawaited);
  if (status.code() == Code::invalid_segment) return deleted_by(to.rank);  // meanwhile
  return status.code() == Code::queue_full ? Status(Code::timeout) : status;
}

// Another group may live in its place by now. Or it went because a member is dead: then that is the news.
Status Barrier::deleted_by(Rank rank) {
  if (Status status = trouble(); !status.ok()) return status;
  return {Code::invalid_group, "barrier: rank " + std::to_string(rank) + " has deleted the group"};
}

}  // namespace polder::core
