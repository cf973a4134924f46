// Reduces vectors of a group that spans nodes: first in each node by shared memory, then among the leaders of the nodes
// over the network, then from each leader to its node. The network carries one vector for each node, and not for each
// member.
//
// In the node, for n members and S bytes: each copies its vector to a desk of its own. A short one the leader combines,
// (n-1) S bytes read. A long one is combined in slices, by all members at the same time, S bytes read by each; that is
// one more meeting. Always in the order of members, so that where nodes hold consecutive members a vector is combined
// in the order of all members.
#pragma once

#include "core/group/group_ports.hpp"
#include "core/group/leader_exchange.hpp"
#include "core/group/member_memory.hpp"
#include "core/group/reduction_room.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::core {

class Barrier;
class GroupNodes;

// Not thread safe: one thread at a time, as its group sees to it.
class NodeReduction {
 public:
  struct Setting {
    const GroupPorts* ports = nullptr;
    Barrier* barrier = nullptr;  // of the group, that knows why others will never come
    std::span<const Rank> ranks;
    Rank index = 0;
    const GroupNodes* nodes = nullptr;
    std::span<const MemberMemory> memories;  // by member; those of partners() are known before run()
    ReductionRoom room;
  };

  void set_up(Setting setting);
  bool is_set_up() const { return setting_.ports != nullptr; }

  // Members whose memory a piece needs.
  std::vector<Rank> partners(const ReductionPiece& piece) const;
  // This member has the result in `receive`, or what was wrong with combining in `outcome`. timeout: call again to go
  // on, with the same piece. After other errors the group can only be destroyed.
  Status run(const ReductionPiece& piece, Status& outcome, Timeout timeout);
  bool under_way() const { return stage_ != Stage::idle; }
  // How many this rank has been through. Any thread.
  std::uint64_t completed() const { return completed_.load(std::memory_order_relaxed); }

 private:
  enum class Stage { idle, showing, meeting, folding, gathering, exchanging, awaiting };

  void begin(const ReductionPiece& piece);
  Status run_stages(const ReductionPiece& piece);
  void show(const ReductionPiece& piece);
  Status fold_slice(const ReductionPiece& piece);
  Status fold_all(const ReductionPiece& piece);
  Status fold(const ReductionPiece& piece, std::size_t first, std::size_t elements);
  void publish();
  Status take(const ReductionPiece& piece);
  Status fold_failure() const;
  template <class Ready>
  Status wait(Ready&& ready, util::Bell& bell);

  bool leads() const;
  std::size_t members() const;  // of this node
  bool in_slices(const ReductionPiece& piece) const;
  std::byte* leader_data() const;
  NodeMeeting& meeting() const { return *reinterpret_cast<NodeMeeting*>(leader_data() + setting_.room.meeting()); }
  std::byte* desk(std::size_t place) const;
  std::byte* sum() const { return leader_data() + setting_.room.own(parity_); }
  util::Bell& leader_bell() const;
  Timeout left() const { return deadline_.remaining(); }

  Setting setting_;
  LeaderExchange exchange_;            // of leaders
  std::size_t place_ = 0;              // in the node
  Timeout timeout_ = Timeout::test();  // of the call that runs
  util::Deadline deadline_{Timeout::test()};

  Stage stage_ = Stage::idle;
  std::uint64_t number_ = 0;  // of the reduction that began last
  std::atomic<std::uint64_t> completed_{0};
  std::uint64_t folds_ = 0;  // reductions in slices, of this node
  std::size_t parity_ = 0;
  std::size_t folded_ = 0;  // desks that are in the sum
  Status failure_;          // of combining at this member
  Status broken_;           // why no reduction of the group will end any more
};

}  // namespace polder::core
