// Barriers over the memory of a group. Two ways to meet, and both together:
//
//   dissemination   ceil(log2 P) rounds; in round k member i raises a flag at member i + 2^k. Every member works at the
//                   same time, so it is the faster one where each has a core. Hensgen, Finkel, Manber 1988.
//   central         everyone adds to one counter, the last one releases all. Each member needs its core once per
//                   barrier and not once per round, which is what counts where members share cores, and all are on one
//                   machine.
//   of nodes        the members of a node meet at a counter; when all of them are there, the first of them takes part
//                   in a dissemination of the first ones of all nodes, and then releases its node. ceil(log2 N) rounds
//                   of the network for N nodes, and one message a node in each.
//
// After a timeout the next run goes on where this one stopped.
#pragma once

#include "bootstrap/standing.hpp"
#include "core/group/group_memory.hpp"
#include "core/group/group_ports.hpp"
#include "core/health/group_progress.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace polder::core {

struct PeerSegment;

class Barrier {
 public:
  // A member that is told in a round of a dissemination.
  struct Target {
    Rank rank = 0;
    const PeerSegment* segment = nullptr;
    SegmentId id = 0;
    Rank awaited = 0;  // whose word is waited for in the same round
  };
  // Where the members of a node meet.
  struct Counter {
    CentralBarrier* central = nullptr;    // null: nobody is beside this member, or all take part in the dissemination
    std::uint64_t base = 0;               // of its counters
    Rank at = 0;                          // whose memory it is
    const PeerSegment* leader = nullptr;  // who is told that all are there; null: the last one releases the others
    bool leads = false;
    std::size_t members = 0;
    unsigned sharing = 0;  // members for each core where they are many; else 0
  };
  struct Setting {
    const GroupPorts* ports = nullptr;
    std::span<const Rank> ranks;
    std::uint64_t tag = 0;  // of the group
    unsigned lane = 0;      // 0: barriers of users; 1: those of gatherings
    const PeerSegment* own = nullptr;
    Counter node = {};
    std::vector<Target> to = {};  // by round; empty for those that leave it to the leader of their node
  };

  void set_up(Setting setting) { setting_ = std::move(setting); }
  Status run(Timeout timeout);
  // The first one of its group: a member that has left may have left with an older runtime, and be about to come.
  Status run_first(Timeout timeout);
  // This rank has begun one and not ended it.
  bool under_way() const { return under_way_; }
  // How many this rank has been through. Any thread.
  std::uint64_t completed() const { return completed_.load(std::memory_order_relaxed); }
  // Why the others will never come, as far as that is known: to this barrier, or to the next one if none is under way.
  Status trouble();
  // The same for another collective of the group, the one of that number.
  Status trouble(GroupProgress::Kind kind, std::uint64_t number);

 private:
  void begin();
  Status run_all(Timeout timeout);
  Status meet(Timeout timeout);
  bool arrive();
  bool released() const;
  Status come_too_late(Timeout timeout);
  void release();
  Status disseminate(Timeout timeout);
  template <class Left>
  Status tell(unsigned round, Left&& left);
  Status deleted_by(Rank rank);
  enum class Missing { no, for_now, for_good };
  Missing missing(Rank rank, GroupProgress::Kind kind, std::uint64_t number);
  template <class Ready>
  Status wait(Ready&& ready, util::Bell& bell, Timeout timeout);
  template <class Ready>
  Status wait_in_turn(Ready&& ready, util::Bell& bell, Timeout timeout);
  bool takes_turns() const;
  void choose_how_to_wait();
  void describe(bootstrap::LongWait& wait) const;
  bool is_led() const { return setting_.node.leader != nullptr; }
  // What flags of this barrier hold. Never 0, which is no flag; differences survive the wrap-around.
  std::uint32_t mark() const { return std::uint32_t((sequence_ - 1) % UINT32_MAX) + 1; }

  Setting setting_;
  std::uint64_t sequence_ = 0;  // barriers begun
  bool under_way_ = false;
  bool arrived_ = false;  // at the counter
  bool met_ = false;      // the node
  unsigned round_ = 0;
  bool told_ = false;
  bool first_ = false;
  std::int64_t missed_since_ = 0;  // when a member was first found to be gone of which it is not known where it was
  std::atomic<std::uint64_t> completed_{0};
  static constexpr std::uint64_t kNeverLooked = ~std::uint64_t{0};
  std::atomic<std::uint64_t> all_lived_at_{kNeverLooked};  // the launcher's count of changes when nobody was gone
};

// Rounds of a dissemination barrier among `members`.
unsigned dissemination_rounds(std::size_t members);

}  // namespace polder::core
