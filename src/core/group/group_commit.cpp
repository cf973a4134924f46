// Committing a group. Members find each other by the group's tag in the tables of their roots, and greet each other: a
// greeting mixes the nonces of both commits. So a member that still holds an older group of the same ranks is not taken
// for one of the new group. Each member greets only those that it will exchange flags with.
#include "core/direct/notification.hpp"
#include "core/group/busy.hpp"
#include "core/group/group_state.hpp"
#include "core/group/group_table.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/post/one_sided.hpp"
#include "core/post/transfer.hpp"
#include "core/progress/outside.hpp"
#include "core/progress/progress.hpp"
#include "core/segment/peer_segments.hpp"
#include "core/segment/segments.hpp"
#include "trace/record/span.hpp"
#include "util/placement.hpp"
#include "util/random.hpp"

#include <atomic>
#include <set>
#include <vector>

#include <unistd.h>

namespace polder::core {
namespace {

std::uint64_t fresh_nonce(Rank rank, util::Clock clock) {
  if (clock.simulated() != nullptr) return clock.simulated()->draw() | 1;
  const std::uint64_t seed = std::uint64_t(util::now_ns()) ^ util::mix(std::uint64_t(getpid()) << 32 | rank);
  return util::mix(seed ^ util::mix(util::cycles())) | 1;  // never 0
}

}  // namespace

Status GroupState::commit(Timeout timeout) {
  trace::Span span(ports_.outside.recorder(), trace::EventKind::group_create, {.segment = trace_tag()});
  return span.outcome(commit_untraced(timeout));
}

Status GroupState::commit_untraced(Timeout timeout) {
  const util::Deadline deadline(timeout, ports_.clock);
  const auto left = [&] { return deadline.remaining(); };
  if (Status status = ports_.peers.check_open(); !status.ok()) return status;
  const Busy running(busy_[0]);
  if (!running.mine()) return busy("collective");
  if (stage_ == Stage::created)
    if (Status status = announce(); !status.ok()) return status;
  if (stage_ == Stage::announced)
    if (Status status = acquaint(left()); !status.ok())
      return status.timed_out() && !timeout.is_test() ? missing_partners() : status;
  if (stage_ == Stage::acquainted) {
    if (Status status = barrier_.run_first(left()); !status.ok())
      return status.timed_out() && !timeout.is_test() ? missing_members() : status;
    stage_ = Stage::committed;
    table_.note_committed(slot_, tag_, nonce_);
    spread();
  }
  return {};
}

// The same at all members, so that each knows where the others have their letters. What is not used costs nothing.
SegmentSpec GroupState::memory_needed() const {
  return {.size = records_.end(), .notifications = letters_.notifications()};
}

Status GroupState::announce() {
  auto segment = ports_.segments.create_internal(group_segment(slot_), memory_needed());
  if (!segment.ok()) return std::move(segment).status();
  auto own = ports_.peer_segments.resolve(ports_.outside.rank(), group_segment(slot_), Timeout::test());
  if (!own.ok()) return std::move(own).status();
  segment_ = *own;
  memories_[index_] = {segment_, group_segment(slot_)};
  records_.open(tag_, segment_->data);
  table_.open(records_, tag_);
  nonce_ = fresh_nonce(ports_.outside.rank(), ports_.clock);
  partners_ = choose_partners();
  memory().open_central(nonce_);
  table_.announce(slot_, tag_, nonce_);
  stage_ = Stage::announced;
  return {};
}

// Those that we tell in a barrier and those that tell us; and those of our node with whom we meet at a counter.
std::vector<GroupState::Partner> GroupState::choose_partners() const {
  std::set<Rank> chosen;
  choose_in_dissemination(chosen);
  if (nodes_.leads(index_))
    chosen.insert(nodes_.beside().begin(), nodes_.beside().end());
  else
    chosen.insert(nodes_.leader());
  chosen.erase(index_);
  std::vector<Partner> partners;
  for (const Rank member : chosen) partners.push_back({.member = member});
  return partners;
}

// The members that take part in disseminations.
const std::vector<Rank>& GroupState::disseminating() const {
  return nodes_.one() ? everyone_ : nodes_.leaders();
}

void GroupState::choose_in_dissemination(std::set<Rank>& chosen) const {
  if (nodes_.one() ? !flat_ : !nodes_.leads(index_)) return;
  const std::vector<Rank>& ring = disseminating();
  const std::size_t me = nodes_.one() ? index_ : nodes_.place();
  for (unsigned round = 0; round < dissemination_rounds(ring.size()); ++round) {
    const std::size_t distance = std::size_t{1} << round;
    chosen.insert(ring[(me + distance) % ring.size()]);
    chosen.insert(ring[(me + ring.size() - distance) % ring.size()]);
  }
}

Status GroupState::acquaint(Timeout timeout) {
  constexpr std::int64_t kLookAgain = 10'000'000;
  std::int64_t looked_ns = 0;
  const auto all_acquainted = [&] {
    // Whoever comes later than we sees us, and greets: where all are on one node, the first of them need not look at
    // all others for each one that comes.
    const std::int64_t now = ports_.clock.now_ns();
    const bool at_all = !nodes_.one() || now - looked_ns > kLookAgain;
    if (at_all) {
      looked_ns = now;
      hopeless_ = {};
    }
    bool all = true;
    for (Partner& partner : partners_) {
      if (partner.acquainted) continue;
      if (!(at_all || has_moved(partner)) || !acquainted_with(partner)) all = false;
    }
    return all;
  };
  util::Bell& greeted = segment_->control->bell;
  const AnswerBells::Listener listener(ports_.progress.answers(), greeted);
  if (acquainting_since_ == 0) acquainting_since_ = ports_.clock.now_ns();
  const auto trouble = [&] {
    complain_once();
    Status gone = ports_.peers.check_may_join(ranks_);
    return gone.ok() && stays_hopeless() ? hopeless_ : gone;
  };
  const auto describe = [this](bootstrap::LongWait& wait) { describe_commit(wait); };
  if (Status status = ports_.progress.wait(all_acquainted, trouble, greeted, timeout, describe); !status.ok())
    return status;
  if (Status lanes = set_up_lanes(); !lanes.ok()) return lanes;
  stage_ = Stage::acquainted;
  return {};
}

// No descriptors, no memory, no way: waiting would not make it better.
void GroupState::note_hopeless(const Status& status) {
  switch (status.code()) {
    case Code::system:
    case Code::out_of_memory:
    case Code::limit:
    case Code::unsupported:
    case Code::invalid_argument: hopeless_ = status; return;
    default: return;
  }
}

// For a moment it may be what is left of a member that has just died, and is not known to have.
bool GroupState::stays_hopeless() {
  constexpr std::int64_t kMoment = 200'000'000;
  if (hopeless_.ok()) return hopeless_since_ = 0, false;
  if (hopeless_since_ == 0) hopeless_since_ = ports_.clock.now_ns();
  return ports_.clock.now_ns() - hopeless_since_ > kMoment;
}

// It has been found, it has greeted us, or we wait for its answer.
bool GroupState::has_moved(const Partner& partner) const {
  return partner.found || partner.asked != nullptr ||
         memory().greetings[partner.member].load(std::memory_order_acquire) != partner.heard;
}

// True once the partner has greeted our commit and we have greeted its.
bool GroupState::acquainted_with(Partner& partner) {
  const Rank rank = ranks_[partner.member];
  auto peer = ports_.peers.connect(rank, Timeout::test());
  note_hopeless(peer.status());
  if (!peer.ok()) return false;  // not there yet, or gone: then the wait ends with that
  if (!find_group(**peer, partner)) return false;
  const Status greeted = partner.found->nonce == partner.nonce ? Status() : greet(**peer, partner, *partner.found);
  note_hopeless(greeted);
  const std::uint64_t heard = memory().greetings[partner.member].load(std::memory_order_acquire);
  partner.acquainted = greeted.ok() && heard == util::mix(partner.nonce ^ util::mix(nonce_));
  // It has made the group anew since we found it: the one that we know is gone, or it greets us from another one.
  const bool outdated = greeted.code() == Code::invalid_segment || (!partner.acquainted && heard != partner.heard);
  partner.heard = heard;
  if (outdated) find_anew(**peer, partner);
  return partner.acquainted;
}

Status GroupState::greet(Peer& peer, Partner& partner, const FoundGroup& found) {
  const Rank rank = ranks_[partner.member];
  const SegmentId id = group_segment(std::uint32_t(found.index));
  auto memory = ports_.peer_segments.resolve(rank, id, Timeout::test());
  if (!memory.ok()) return std::move(memory).status();
  // One of both is of an older group in the same place.
  if (found.generation != 0 && (*memory)->generation != found.generation) return Code::invalid_segment;
  if (!hold(**memory)) return Code::invalid_segment;
  partner.greeting = util::mix(nonce_ ^ util::mix(found.nonce));
  const bool is_mapped = peer.root != nullptr && (*memory)->data != nullptr && (*memory)->control != nullptr;
  Status status = is_mapped ? greet_in_place(peer, partner, **memory, found) : greet_by_put(partner, **memory);
  if (!status.ok()) return status;
  partner.nonce = found.nonce;
  memories_[partner.member] = {*memory, id};
  return {};
}

// The owner of mapped memory asks nobody before another group takes its place. Then a greeting of this one must not lie
// on one of a member of that group, who gives it once: so a place where something lies is written only if the group that
// we know still is in the owner's table, and unless something else has come meanwhile.
Status GroupState::greet_in_place(Peer& peer, const Partner& partner, const PeerSegment& memory,
                                  const FoundGroup& found) {
  std::atomic<std::uint64_t>& place = reinterpret_cast<GroupMemory*>(memory.data)->greetings[index_];
  std::uint64_t there = 0;
  do {
    const auto still = look_for_group(peer);
    if (!memory.live() || !still || still->index != found.index || still->nonce != found.nonce)
      return Code::invalid_segment;
  } while (there != partner.greeting && !place.compare_exchange_strong(there, partner.greeting));
  raise_flag(memory, {GroupMemory::kWakeUp, 1, memory.id});
  return {};
}

Status GroupState::greet_by_put(Partner& partner, const PeerSegment& memory) {
  if (greetings_ == nullptr) greetings_ = ports_.one_sided.make_internal_queue();
  const Notification wake_up{GroupMemory::kWakeUp, 1, memory.id};
  const Shape word(sizeof partner.greeting);
  return ports_.one_sided.transfer({Transfer::Kind::put,
                                    reinterpret_cast<std::byte*>(&partner.greeting),
                                    {memory.rank, memory.id, GroupMemory::greeting_offset(index_)},
                                    word,
                                    &wake_up,
                                    Post(*greetings_, Timeout::test()),
                                    &memory});
}

Status GroupState::set_up_lanes() {
  if (!nodes_.one()) reads_ = ports_.one_sided.make_internal_queue();
  for (unsigned lane = 0; lane < GroupMemory::kLanes; ++lane)
    (lane == 0 ? barrier_ : gather_barrier_)
        .set_up({.ports = &ports_,
                 .ranks = ranks_,
                 .tag = tag_,
                 .lane = lane,
                 .own = segment_,
                 .node = counter(lane),
                 .to = targets()});
  return {};
}

// The scheduler leaves threads that yield to each other where they happened to wake: too many on one core, or neighbours on
// the same one, who then run by turns where they could run at once. Where ranks are many each begins on a core of its own; where
// they are few the scheduler finds them one, and knows better which.
void GroupState::spread() const {
  if (ports_.clock.simulated() != nullptr) return;  // one thread for all ranks
  const bootstrap::Job& job = ports_.outside.bootstrap->job();
  if (2 * job.local_size > Rank(job.cores)) util::begin_on_core(job.local_rank, job.local_size, job.node);
}

}  // namespace polder::core
