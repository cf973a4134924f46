// How far this member has come with a collective allocation.
#pragma once

#include "core/group/group_ports.hpp"
#include "core/group/group_state.hpp"

#include <polder/allocation.hpp>
#include <polder/segment.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace polder::core {

// Members propose the lowest id that is free here and above what failed before, and take the highest proposal; whoever
// cannot make a segment of that id says so, and they try again. Two allgathers where nobody uses other ids than the
// rest, which is the normal case.
class AllocationState {
 public:
  static std::unique_ptr<Allocation> make(const GroupPorts& ports, Group& group, const AllocationSpec& spec);
  AllocationState(const GroupPorts& ports, Group& group, const AllocationSpec& spec)
      : ports_(ports), group_(group), spec_(spec) {}
  ~AllocationState();

  Status commit(Timeout timeout);
  Status free(Timeout timeout);
  bool committed() const { return stage_ == Stage::committed; }
  const Segment& segment() const { return segment_; }
  std::span<const Contribution> contributions() const { return contributions_; }

 private:
  enum class Stage { created, proposing, reporting, committed, freeing, failed };

  struct Report {
    Contribution contribution;
    std::uint64_t code = 0;
  };

  Status propose(Timeout timeout);
  Status report(Timeout timeout);
  Report make_segment();
  void give_back();
  template <class T>
  Status gather(const T& mine, std::vector<T>& all, Timeout timeout);

  const GroupPorts& ports_;
  Group& group_;
  const AllocationSpec spec_;
  Stage stage_ = Stage::created;
  SegmentId proposal_ = kFirstAutomaticSegment;
  SegmentId agreed_ = 0;
  bool exists_ = false;  // the segment, here
  Segment segment_;
  Report report_;
  std::vector<SegmentId> proposals_;
  std::vector<Report> reports_;
  std::vector<Contribution> contributions_;
};

}  // namespace polder::core
