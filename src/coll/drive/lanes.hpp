// The collectives of a group at one of its members. They are numbered as members begin them, which is the same order at
// all; number n goes over lane n mod kLanes, so that as many may be under way together.
#pragma once

#include "coll/drive/lane_node.hpp"
#include "coll/drive/lane_wire.hpp"
#include "coll/table/table.hpp"
#include "coll/task/task.hpp"
#include "core/group/group_extension.hpp"
#include "core/group/letter_room.hpp"
#include "core/group/member_memory.hpp"
#include "core/progress/background.hpp"
#include "util/bell.hpp"

#include <polder/queue.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace polder::core {
class GroupState;
struct GroupPorts;
}  // namespace polder::core

namespace polder::coll {

class DrivenCollective;

// What one collective at a time runs over.
struct Lane {
  Lane(Lanes& lanes, unsigned number);

  Frames frames;
  Strand strand{frames};
  LaneWire wire;                    // all members
  std::optional<LaneWire> leaders;  // the first members of nodes; of those only, and only if there are several nodes
  std::optional<LaneNode> node;     // the members of this one's node, if any node has several
  std::atomic<std::uint64_t> turn;  // the number of the collective whose lane it is
  std::atomic<bool> driven{false};  // by some thread, at this instant
  DrivenCollective* current = nullptr;  // under way; changed by who drives
};

class Lanes final : public core::GroupExtension, private core::Background {
 public:
  static constexpr unsigned kLanes = core::LetterRoom::kLanes;

  // Of this group, made on first use. REQUIRES: the group is committed.
  static Lanes& of(core::GroupState& group);
  explicit Lanes(core::GroupState& group);
  ~Lanes() override;

  std::uint64_t begun() const override { return begun_.load(std::memory_order_relaxed); }
  std::uint64_t ended() const override;
  bool needed() const override;

  core::GroupState& group() const { return group_; }
  const core::GroupPorts& ports() const;
  const core::PeerSegment& own() const { return own_; }
  const core::LetterRoom& room() const;
  Queue& queue() const { return *queue_; }
  Rank rank_of(Rank member) const;

  // Letters ring it.
  util::Bell& waiting_bell() const;

  // ---- for operations ----
  // The number of the collective that begins now.
  std::uint64_t next_number() {
    const std::uint64_t number = begun() + 1;
    begun_.store(number, std::memory_order_relaxed);  // by one thread at a time
    return number;
  }
  Lane& lane_of(std::uint64_t number) { return *lanes_[number % kLanes]; }
  // One thread of a rank begins or drives a blocking collective of a group at a time.
  std::atomic<bool> busy{false};
  // Of blocking calls: a thread is in one, and the one that timed out last goes on, or the memory of the last.
  std::atomic<bool> blocking{false};
  std::unique_ptr<DrivenCollective> resumable;
  const Table& table() const { return table_; }
  // Not ok: no collective of this group can succeed any more, and why.
  Status broken() const;
  void break_with(const Status& why);
  // Says in the own memory which collective it is in.
  void publish(unsigned lane, const CallRecord& call);
  // What another member says; nothing: it cannot be read, now or at all.
  std::optional<CallRecord> published(unsigned lane, Rank member);
  // The member has deleted the group: what has come of it is all that ever comes.
  bool is_deleted(Rank member);
  // Is driven by whoever makes progress.
  void adopt(DrivenCollective& operation);
  void disown(DrivenCollective& operation);

  // ---- for wires ----
  // True once it is known where the member's memory lies. To look for it makes progress, which may drive another lane
  // that looks for somebody: whoever finds a thread inside, or itself, comes again. failure: invalid_group, the member
  // has deleted the group.
  bool locate(Rank member, core::MemberMemory& memory, Status& failure);
  // Somebody's memory is looked for, and no bell need ring when it is there.
  bool seeking() const { return seeking_.load(std::memory_order_relaxed); }
  Status mismatch(const CallRecord& here, const CallRecord& there, Rank member) const;
  // A member that is needed has deleted the group: why nothing can go on. Nothing for a moment: if it did so because
  // another one has died, that is the news, and comes soon.
  Status deleted_by(Rank rank);

 private:
  int advance() override;

  core::GroupState& group_;
  const Table table_ = Table::of_environment();
  const core::PeerSegment& own_;
  std::unique_ptr<Queue> queue_;  // its own, so that no other group's failure is found there
  std::array<std::unique_ptr<Lane>, kLanes> lanes_;
  std::atomic<std::uint64_t> begun_{0};

  mutable std::mutex mutex_;
  Status broken_;
  std::atomic<bool> locating_{false};  // some thread is in locate()
  std::atomic<bool> seeking_{false};
  std::map<Rank, core::MemberMemory> located_;
  std::map<Rank, std::int64_t> deleted_since_;  // ns, under mutex_
  std::mutex adopting_;
  std::vector<DrivenCollective*> adopted_;
};

}  // namespace polder::coll
