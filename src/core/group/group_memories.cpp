// Where members of a group have their flags and boards: found in the tables of their roots, by the group's tag.
//
// A tag is that of ranks, and not of a commit: a member that deletes its group and makes one of the same ranks announces
// that under the same tag. While a group is being made its partners tell commits apart by their greetings. Afterwards
// this holds: as long as a member has the group, no other of its tag can be committed, because that needs this very
// member. So what a member's table names as committed is this group; what is not yet may be either, and is waited for;
// and where there is nothing, the group has been deleted.
#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"
#include "core/group/group_wait.hpp"
#include "core/message/question.hpp"
#include "core/peers/peer.hpp"
#include "core/peers/peers.hpp"
#include "core/peers/root_layout.hpp"
#include "core/progress/waits.hpp"
#include "core/segment/peer_segments.hpp"
#include "util/assert.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>

namespace polder::core {

// ---- in the tables of members ----

// True if partner.found is what is known by now. Over a network the partner answers as soon as it has the group; it is
// asked once more now and then, because it may have made the group anew since.
bool GroupState::find_group(Peer& peer, Partner& partner) {
  constexpr std::int64_t kAskAgain = 100'000'000;
  if (peer.root != nullptr) {
    partner.found = look_for_group(peer);
    return partner.found.has_value();
  }
  take_answer(partner);
  if (partner.asked == nullptr && (!partner.found || ports_.clock.now_ns() - partner.answered_ns > kAskAgain))
    ask_for_group(peer, partner, Found::announced);
  return partner.found.has_value();
}

// Who waits for the new one sleeps meanwhile: the answer will ring.
void GroupState::find_anew(Peer& peer, Partner& partner) {
  partner.found.reset();
  partner.asked = nullptr;
  find_group(peer, partner);
}

void GroupState::ask_for_group(Peer& peer, Partner& partner, Found wanted) {
  auto question = Question::make(ports_.progress);
  Status asked = question->ask(question, [&](Question& q) { return table_.ask(peer, tag_, wanted, q); });
  if (asked.ok()) partner.asked = std::move(question);
}

// invalid_group: there is none.
Code GroupState::take_answer(Partner& partner) {
  if (partner.asked == nullptr || !partner.asked->answered()) return Code::timeout;
  const auto asked = std::exchange(partner.asked, nullptr);
  partner.answered_ns = ports_.clock.now_ns();
  if (!asked->status().ok()) return asked->status().code();
  partner.found.emplace();
  std::memcpy(&*partner.found, asked->answer(), sizeof(FoundGroup));
  if (partner.found->index < Root::kGroups) return Code::ok;
  partner.found.reset();  // no rank has so many
  return Code::invalid_group;
}

// In the table of a peer that is mapped.
std::optional<FoundGroup> GroupState::look_for_group(Peer& peer) {
  constexpr Timeout patience = std::chrono::seconds(1);  // a writer is at work for a microsecond
  std::optional<FoundGroup> found;
  const auto matches = [&](std::uint32_t index) {
    auto read = ports_.peers.read_published(peer, peer.root->groups[index], patience);
    if (!read.ok() || read->tag != tag_) return false;
    found = FoundGroup{index, read->nonce, 0, read->committed};
    return true;
  };
  auto summary = ports_.peers.read_published(peer, peer.root->group_summary, patience);
  if (!summary.ok()) return found;
  const std::uint32_t entries = summary->entries();
  if (slot_ < entries && matches(slot_)) return found;  // programs mostly make groups in the same order
  for (std::uint32_t index = 0; index < entries; ++index)
    if (index != slot_ && matches(index)) return found;
  return found;
}

// ---- of a group that is committed here ----

// True once it is known where the member's flags and boards lie. failure: invalid_group, it has deleted the group.
bool GroupState::find_memory(Partner& partner, MemberMemory& memory, Status& failure) {
  const Rank rank = ranks_[partner.member];
  const auto is_known = [&](const auto& result) {
    if (!result.ok() && !result.status().timed_out() && result.status().code() != Code::queue_full)
      failure = result.status();
    return result.ok();
  };
  auto peer = ports_.peers.connect(rank, Timeout::test());
  if (!is_known(peer) || !find_committed(**peer, partner, failure)) return false;
  const SegmentId id = group_segment(std::uint32_t(partner.found->index));
  auto segment = ports_.peer_segments.resolve(rank, id, Timeout::test());
  const bool is_missing = segment.status().code() == Code::invalid_segment;
  // Whatever has taken its place since is not what was found.
  if (is_missing || (segment.ok() && !(hold(**segment) && is_still(**peer, **segment, *partner.found)))) {
    partner.found.reset();
    return false;
  }
  if (!is_known(segment)) return false;
  memory = {*segment, id};
  return true;
}

bool GroupState::find_committed(Peer& peer, Partner& partner, Status& failure) {
  Code code = Code::timeout;
  if (peer.root != nullptr) {
    partner.found = look_for_group(peer);
    code = !partner.found ? Code::invalid_group : partner.found->committed == 1 ? Code::ok : Code::timeout;
  } else if (partner.found) {
    code = Code::ok;
  } else {
    code = take_answer(partner);
    if (!partner.found && partner.asked == nullptr) ask_for_group(peer, partner, Found::committed);
  }
  if (code == Code::invalid_group)
    failure = Status(code, "rank " + std::to_string(peer.rank) + " has deleted the group");
  return code == Code::ok;
}

// A table that is mapped still names the group: then nothing else has been in its place since that was looked up.
bool GroupState::is_still(Peer& peer, const PeerSegment& segment, const FoundGroup& found) {
  if (peer.root == nullptr) return segment.generation == found.generation;
  const auto now = look_for_group(peer);
  return now && now->index == found.index && now->nonce == found.nonce;
}

// From now on, until this group ends here, no other segment takes the addresses of this one, so that what a late member
// stores goes nowhere else. False: it has ended. What is not mapped needs none of this.
bool GroupState::hold(const PeerSegment& segment) {
  if (segment.data == nullptr || segment.control == nullptr) return true;
  const std::lock_guard lock(holding_);
  if (held_.insert(&segment).second) {
    [[maybe_unused]] const bool entered = segment.enter();
    POLDER_ASSERT(entered);  // nobody revokes what is mapped
  }
  return segment.live();
}

void GroupState::let_go() {
  for (const PeerSegment* segment : held_) segment->leave();
  held_.clear();
}

bool GroupState::locate(Rank member, MemberMemory& memory, Status& failure) {
  const bool greeted = member == index_ || std::any_of(partners_.begin(), partners_.end(), [&](const Partner& partner) {
                         return partner.member == member;
                       });
  if (greeted) {
    memory = memories_[member];
    return true;
  }
  Partner& partner = sought_above_[member];
  partner.member = member;
  if (!find_memory(partner, memory, failure)) return false;
  sought_above_.erase(member);
  return true;
}

// Before we arrive, so that nobody has left by the time we look for its memory.
Status GroupState::find_all_memories(Timeout timeout) {
  // No bell tells that a member whose table is mapped has been through its commit; it is about to be.
  std::int64_t nap = 1'000'000;
  constexpr std::int64_t kLongest = 50'000'000;
  if (sought_.empty())
    for (Rank member = 0; member < ranks_.size(); ++member)
      if (memories_[member].segment == nullptr) sought_.push_back({.member = member});
  if (sought_.empty()) return {};
  Status failure;
  const auto all_found = [&] {
    std::erase_if(sought_, [&](Partner& partner) { return find_memory(partner, memories_[partner.member], failure); });
    return sought_.empty();
  };
  // It may have been deleted because a member has died: that is the news then, and comes soon.
  const auto trouble = [&] {
    if (Status status = ports_.peers.check_healthy(ranks_); !status.ok()) return status;
    if (failure.code() != Code::invalid_group) return failure;
    return is_deleted_for_long() ? failure : Status();
  };
  const auto describe = [this](bootstrap::LongWait& wait) {
    wait.say("for the memory of members of " + name_of_group(ports_, ranks_));
    for (const Partner& partner : sought_) wait.wait_for(ranks_[partner.member]);
  };
  const util::Deadline deadline(timeout, ports_.clock);
  Status status;
  do {
    const Timeout left = std::chrono::nanoseconds(deadline.left(nap));
    status = wait_for(ports_.progress, all_found, trouble, left, describe);
    nap = std::min(2 * nap, kLongest);
  } while (status.timed_out() && !deadline.passed());
  return status;
}

bool GroupState::is_deleted_for_long() {
  const std::int64_t now = ports_.clock.now_ns();
  if (deleted_since_ == 0) deleted_since_ = now;
  return now - deleted_since_ > kGraceOfDeleted.nanoseconds();
}

}  // namespace polder::core
