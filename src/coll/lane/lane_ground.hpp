// What all lanes of a group stand on, at one of its members: its memory, where that of the others lies, what they show of
// the calls that they are in, and why none can go on.
#pragma once

#include "coll/lane/asked_record.hpp"
#include "coll/lane/call_record.hpp"
#include "coll/lane/process_reads.hpp"
#include "coll/lane/shown_call.hpp"
#include "coll/port/copy_ways.hpp"
#include "core/group/letter_room.hpp"
#include "core/group/member_memory.hpp"
#include "device/device.hpp"
#include "util/bell.hpp"
#include "util/outward_copy.hpp"

#include <polder/queue.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>

namespace polder::core {
class GroupState;
struct GroupPorts;
struct PeerSegment;
}  // namespace polder::core

namespace polder::coll {

class LaneGround {
 public:
  explicit LaneGround(core::GroupState& group);
  LaneGround(const LaneGround&) = delete;
  LaneGround& operator=(const LaneGround&) = delete;

  core::GroupState& group() const { return group_; }
  const core::GroupPorts& ports() const { return ports_; }
  const core::PeerSegment& own() const { return own_; }
  const core::LetterRoom& room() const { return room_; }
  Queue& queue() const { return *queue_; }
  device::Device& device() const;
  // Of the own memory, as the device knows it; its peers can put into windows of it.
  const device::Exposure& exposure() const { return exposure_; }
  bool has_windows() const { return has_windows_; }
  // Each of those who write into memory of others begins with a copy of it.
  const util::OutwardCopy& outward() const { return outward_; }
  ProcessReads& process_reads() { return process_reads_; }
  CopyWays& copy_ways() { return copy_ways_; }
  // Of what is combined where it is taken.
  CopyWays& reduction_ways() { return reduction_ways_; }
  std::span<const Rank> ranks() const { return ranks_; }  // by member
  Rank rank_of(Rank member) const { return ranks_[member]; }
  // Letters ring it.
  util::Bell& waiting_bell() const;

  // Not ok: no collective of this group can succeed any more, and why.
  Status broken() const { return is_broken_.load(std::memory_order_acquire) ? why_broken() : Status(); }
  void break_with(const Status& why);

  // Says in the own memory which collective it is in.
  void publish(unsigned lane, const CallRecord& call);
  // What another member says; nothing: it cannot be read, now or at all.
  std::optional<CallRecord> published(unsigned lane, Rank member);
  // The same of a member that collective `number` waits for, wherever its memory is. Where that is not mapped the member is
  // asked once it has been waited for for a while, so this is to be called again, every kPatience at least.
  std::optional<CallRecord> published_or_asked(unsigned lane, Rank member, std::uint64_t number);
  // A member that was asked for by one of these takes part in no collective of the group any more, as far as it was found; why.
  bool has_given_up(Rank member) const;
  bool any_given_up() const { return any_given_up_.load(std::memory_order_acquire); }
  Status given_up_by(Rank member) const;
  // The member has deleted the group: what has come of it is all that ever comes.
  bool is_deleted(Rank member);
  Status mismatch(const CallRecord& here, const CallRecord& there, Rank member) const;
  // A member that is needed has deleted the group: why nothing can go on. Nothing for a moment: if it did so because
  // another one has died, that is the news, and comes soon.
  Status deleted_by(Rank rank);

  // True once it is known where the member's memory lies. To look for it makes progress, which may drive another lane
  // that looks for somebody: whoever finds a thread inside, or itself, comes again. failure: invalid_group, the member
  // has deleted the group.
  bool locate(Rank member, core::MemberMemory& memory, Status& failure);
  // Somebody's memory is looked for, and no bell need ring when it is there.
  bool seeking() const { return seeking_.load(std::memory_order_relaxed); }

 private:
  const core::PeerSegment* mapped(Rank member);
  ShownCall& shown(const core::PeerSegment& segment, unsigned lane) const;
  void note_given_up(Rank member);
  Status why_broken() const;

  core::GroupState& group_;
  // Of the group: each letter asks for them.
  const core::GroupPorts& ports_;
  const core::LetterRoom& room_;
  const std::span<const Rank> ranks_;
  const core::PeerSegment& own_;
  const device::Exposure exposure_;
  const bool has_windows_;
  const util::OutwardCopy outward_;
  CopyWays copy_ways_, reduction_ways_;
  const std::unique_ptr<Queue> queue_;  // its own, so that no other group's failure is found there

  AskedRecord asked_;

  mutable std::mutex mutex_;
  Status broken_;                               // under mutex_, raised behind it:
  std::atomic<bool> is_broken_{false};          // each collective asks
  std::map<Rank, std::int64_t> deleted_since_;  // ns, under mutex_
  std::set<Rank> given_up_;                     // members, under mutex_, raised behind it:
  std::atomic<bool> any_given_up_{false};
  std::atomic<bool> locating_{false};  // some thread is in locate()
  std::atomic<bool> seeking_{false};
  std::map<Rank, core::MemberMemory> located_;
  ProcessReads process_reads_;  // looks for members: last
};

}  // namespace polder::coll
