// A group's state at one of its members: who the others are, where their flags lie, and how far its collectives have
// come.
#pragma once

#include "core/emulate/emulation.hpp"
#include "core/group/barrier.hpp"
#include "core/group/board_call.hpp"
#include "core/group/board_exchange.hpp"
#include "core/group/group_extension.hpp"
#include "core/group/group_memory.hpp"
#include "core/group/group_nodes.hpp"
#include "core/group/group_table.hpp"
#include "core/group/letter_room.hpp"
#include "core/group/member_fence.hpp"
#include "core/group/member_memory.hpp"
#include "core/group/member_records.hpp"
#include "core/group/node_room.hpp"
#include "core/health/group_progress.hpp"

#include <polder/group.hpp>
#include <polder/queue.hpp>
#include <polder/segment.hpp>
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
#include <string>
#include <vector>

namespace polder::core {

class GroupState {
 public:
  // Members in ascending order, whatever that of `ranks`.
  static Result<std::unique_ptr<Group>> make(GroupTable& table, std::vector<Rank> ranks, std::uint64_t label = 0);
  // In the order of `ranks`, which is the same at all members.
  static Result<std::unique_ptr<Group>> make_in_order(GroupTable& table, std::vector<Rank> ranks,
                                                      std::uint64_t label = 0);
  GroupState(GroupTable& table, std::vector<Rank> ranks, Rank index, std::uint32_t slot,
             std::span<GroupState* const> others, std::uint64_t label);
  ~GroupState();

  std::span<const Rank> ranks() const { return ranks_; }
  Rank index() const { return index_; }
  std::optional<Rank> member(Rank rank) const;  // its place among the members, or nothing
  const GroupPorts& ports() const { return ports_; }
  bool in_forked_child() const;
  GroupTable& table() const { return table_; }

  // Of this member's commit; differs between any two.
  std::uint64_t nonce() const { return nonce_; }
  // By which traces tell groups apart; the same at all members.
  std::uint32_t trace_tag() const { return std::uint32_t(tag_); }
  void define_in_trace() const;
  // For others, should this rank leave.
  GroupProgress progress() const;
  // Whether others still read what this rank showed them in a collective.
  bool needed() const;
  // Whether `rank`, which is gone, has been through this collective of module coll.
  DepartureWord word(Rank rank, std::uint64_t collective) const;

  // For collectives above core. The segment in which this member's flags and boards lie, and the room for letters in
  // it.
  const PeerSegment& own() const { return *segment_; }
  const LetterRoom& letters() const { return letters_; }
  const NodeRoom& node_room() const { return node_room_; }
  const GroupNodes& nodes() const { return nodes_; }
  Status check_committed() const;
  // True once it is known where the member's memory lies; else it is asked for, and the answer rings, but where its
  // table is mapped: then it is about to be there. failure: invalid_group, the member has deleted the group. One thread at
  // a time.
  bool locate(Rank member, MemberMemory& memory, Status& failure);
  // What members show each other, collectives or not.
  MemberRecords& records() { return records_; }
  // What such a module keeps with the group, made by the first who asks. Any thread.
  template <class Make>
  GroupExtension& extension(GroupExtension::Kind kind, Make&& make) {
    if (GroupExtension* const made = made_[kind].load(std::memory_order_acquire)) return *made;
    std::lock_guard lock(extending_);
    std::unique_ptr<GroupExtension>& extension = extensions_[kind];
    if (extension == nullptr) extension = make();
    made_[kind].store(extension.get(), std::memory_order_release);
    return *extension;
  }
  // Null: nobody has asked.
  GroupExtension* made(GroupExtension::Kind kind) const { return made_[kind].load(std::memory_order_acquire); }

  Status commit(Timeout timeout);
  bool committed() const { return stage_ == Stage::committed; }
  Status barrier(Timeout timeout);
  // What set-up needs; it is short, and over a network takes two meetings and a way to and fro. `combines`: what an allreduce makes of
  // it, of BoardCall. Where members on one node turn out to have made different calls, so do all that follow.
  Status allgather(std::span<const std::byte> mine, std::span<std::byte> all, Timeout timeout,
                   std::uint16_t combines = BoardCall::kNone);
  Status check_gather(std::span<const std::byte> mine, std::span<std::byte> all) const;

 private:
  enum class Stage { created, announced, acquainted, committed };

  // Another member whose memory this one writes to, or who writes to ours.
  struct Partner {
    Rank member = 0;
    std::uint64_t nonce = 0;  // of the partner's commit that we greeted
    std::uint64_t greeting = 0;
    std::uint64_t heard = 0;  // its last greeting
    bool acquainted = false;
    std::shared_ptr<Question> asked = nullptr;  // where its group is, over a network
    std::int64_t answered_ns = 0;
    std::optional<FoundGroup> found = std::nullopt;
  };

  enum class GatherStage { idle, meeting, reading, leaving };

  Status commit_untraced(Timeout timeout);
  Status allgather_untraced(std::span<const std::byte> mine, std::span<std::byte> all, const BoardCall& call,
                            Timeout timeout);
  Status gather_on(std::span<const std::byte> mine, std::span<std::byte> all, const BoardCall& call, Timeout timeout);
  SegmentSpec memory_needed() const;
  Status announce();
  Status acquaint(Timeout timeout);
  bool has_moved(const Partner& partner) const;
  bool acquainted_with(Partner& partner);
  void note_hopeless(const Status& status);
  bool stays_hopeless();
  void complain_once();
  void describe_commit(bootstrap::LongWait& wait) const;
  Status missing_partners();
  Status missing_members() const;
  std::string why_missing(const Partner& partner);
  Status greet(Peer& peer, Partner& partner, const FoundGroup& found);
  Status greet_in_place(Peer& peer, const Partner& partner, const PeerSegment& memory, const FoundGroup& found);
  Status greet_by_put(Partner& partner, const PeerSegment& memory);
  bool find_group(Peer& peer, Partner& partner);
  void find_anew(Peer& peer, Partner& partner);
  std::optional<FoundGroup> look_for_group(Peer& peer);
  void ask_for_group(Peer& peer, Partner& partner, Found wanted);
  Code take_answer(Partner& partner);
  Status find_all_memories(Timeout timeout);
  bool find_memory(Partner& partner, MemberMemory& memory, Status& failure);
  bool find_committed(Peer& peer, Partner& partner, Status& failure);
  bool is_still(Peer& peer, const PeerSegment& segment, const FoundGroup& found);
  bool is_deleted_for_long();
  bool hold(const PeerSegment& segment);
  void let_go();
  void spread() const;
  std::vector<Partner> choose_partners() const;
  void choose_in_dissemination(std::set<Rank>& chosen) const;
  const std::vector<Rank>& disseminating() const;
  Status set_up_lanes();
  std::vector<Barrier::Target> targets() const;
  Barrier::Counter counter(unsigned lane) const;
  std::uint64_t nonce_of(Rank member) const;
  Status fenced_barrier(Timeout timeout);
  Status check_resumed(std::size_t bytes) const;
  Status exchange(std::span<const std::byte> mine, std::span<std::byte> all, const BoardCall& call, Timeout timeout);
  Status set_up_exchange(Timeout timeout);
  Status read_own_node(std::span<std::byte> all, const BoardCall& call) const;
  Status read_boards(std::span<std::byte> all, Timeout timeout);
  void end_extensions();
  std::uint32_t occurrence(std::span<GroupState* const> others) const;
  GroupMemory& memory() const;

  GroupTable& table_;
  const GroupPorts& ports_;
  const std::vector<Rank> ranks_;
  const bool ascending_;
  const Rank index_;
  const GroupNodes nodes_;
  const LetterRoom letters_;          // behind GroupMemory
  const NodeRoom node_room_;          // behind that
  MemberRecords records_;             // behind that
  const std::vector<Rank> everyone_;  // 0 .. members-1
  const std::uint32_t slot_;          // in the root's table
  std::uint64_t tag_ = 0;
  std::uint64_t nonce_ = 0;
  Stage stage_ = Stage::created;
  std::atomic<bool> busy_[2] = {};  // barrier, allgather
  Status hopeless_;                 // why this commit will not succeed, as it looked the last time
  std::int64_t hopeless_since_ = 0;
  std::int64_t acquainting_since_ = 0;
  bool complained_ = false;
  const PeerSegment* segment_ = nullptr;  // own flags and boards
  std::vector<Partner> partners_;
  std::vector<MemberMemory> memories_;  // by member
  const bool flat_;  // all on one node, so that all can show and look at the same time, each with a core of its own
  BoardExchange exchange_;
  MemberFence fence_;  // before barrier_
  Barrier barrier_;
  Barrier gather_barrier_;
  GatherStage gather_stage_ = GatherStage::idle;
  std::optional<std::size_t> gathering_;  // bytes of a member in the allgather that is under way
  Status mismatch_;                       // members have made different calls: all that follow end so
  std::unique_ptr<Queue> greetings_;      // over a network; what they send lies in partners_
  std::unique_ptr<Queue> reads_;  // of boards over a network; its own, so that no other group's failure is found there
  std::vector<Partner> sought_;   // members whose memory is still to be found
  std::map<Rank, Partner> sought_above_;  // likewise, for locate()
  std::int64_t deleted_since_ = 0;        // by some member of those
  std::mutex holding_;
  std::set<const PeerSegment*> held_;  // of others, whose addresses are kept
  mutable std::mutex extending_;
  std::unique_ptr<GroupExtension> extensions_[GroupExtension::kKinds];
  std::atomic<GroupExtension*> made_[GroupExtension::kKinds] = {};  // the same: each collective asks
  std::uint64_t begun_in_the_end_ = 0, ended_in_the_end_ = 0;       // of the one for collectives
  Rank gathered_ = 0;             // members whose board has been read, or is on its way
  std::vector<std::byte> parts_;  // what was read
  unsigned parity_ = 0;
};

}  // namespace polder::core
