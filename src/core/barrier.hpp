// Barriers over the memory of a group. Two ways to meet:
//
//   dissemination   ceil(log2 P) rounds; in round k member i raises a flag at member i + 2^k. Every member works at the
//   same time, so it is
//                   the faster one where each has a core. Hensgen, Finkel, Manber 1988.
//   central         everyone adds to one counter, the last one releases all. Each member needs its core once per
//   barrier and not once per round, which
//                   is what counts where members share cores, and all are on one machine.
//
// After a timeout the next run goes on where this one stopped.
#pragma once

#include "core/group_memory.hpp"
#include "core/peer.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace polder::core {

class Engine;

class Barrier {
 public:
  struct Setting {
    Engine* engine = nullptr;
    std::span<const Rank> ranks;
    Rank index = 0;
    unsigned lane = 0;
    const PeerSegment* own = nullptr;
    CentralBarrier* central = nullptr;        // not null: meet there
    std::vector<const PeerSegment*> to = {};  // dissemination: who is told in round k
    std::vector<SegmentId> to_segment = {};   // and the id of its segment
  };

  void set_up(Setting setting) { setting_ = std::move(setting); }
  Status run(Timeout timeout);
  // The first one of its group: a member that has left may have left with an older runtime, and be about to come.
  Status run_first(Timeout timeout);
  // This rank has begun one and not ended it.
  bool under_way() const { return under_way_; }
  // Why the others will never come, as far as that is known.
  Status trouble();

 private:
  Status run_central(Timeout timeout);
  Status run_dissemination(Timeout timeout);
  Status tell(unsigned round, Timeout timeout);

  Setting setting_;
  std::uint64_t sequence_ = 0;  // barriers begun
  bool under_way_ = false;
  unsigned round_ = 0;
  bool told_ = false;
  bool first_ = false;
  std::int64_t left_since_ = 0;  // when a member was first found to have left
};

// Rounds of a dissemination barrier among `members`.
unsigned dissemination_rounds(std::size_t members);

}  // namespace polder::core
