// The members of an ARMCI group, in the order that its creator chose. Polder's groups are ascending; here the two
// orders meet.
#pragma once

#include "api/armci/memory/spares.hpp"

#include <polder/group.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace polder::armci {

class Board;
class ArmciRank;

class Team {
 public:
  // Whatever the side of MPI needs to remember with a team.
  class Attachment {
   public:
    virtual ~Attachment() = default;
  };

  // Of all ranks.
  explicit Team(Group& world);
  // Collective over `ranks`, which are those of the job and this rank among them.
  static Result<std::shared_ptr<Team>> make(ArmciRank& self, std::vector<int> ranks);
  ~Team();

  Group& group() const { return *group_; }
  std::size_t size() const { return ranks_.size(); }
  int rank() const { return rank_; }  // of this process

  // -1: no such member.
  int absolute(int member) const {
    return member >= 0 && std::size_t(member) < size() ? ranks_[std::size_t(member)] : -1;
  }
  int relative(int rank) const {
    return rank >= 0 && std::size_t(rank) < members_.size() ? members_[std::size_t(rank)] : -1;
  }
  // The place among the ascending ranks of group().
  std::size_t place(std::size_t member) const { return places_[member]; }

  // The arrays that the interface shows. The first identifies the team.
  int* grp_to_abs() { return ranks_.data(); }
  int* abs_to_grp() { return members_.data(); }

  // Collective, where there are boards: no member reads any more what another one has shown on its board, so the team
  // may go. peer_failed: a member cannot say so.
  Status leave_boards(ArmciRank& self);

  // The next number of an allocation, the same at all members.
  std::uint64_t next_allocation() { return ++allocations_; }

  std::unique_ptr<Attachment> attachment;
  std::shared_ptr<Team> on_node;  // its members on this rank's node, and the first of each node; made when needed
  std::shared_ptr<Team> masters;
  std::unique_ptr<Board> board;  // made by the first broadcast
  Spares spares;

 private:
  Team(Group& group, std::vector<int> ranks, Rank me, Rank job_size);

  std::unique_ptr<Group> owned_;
  Group* group_;
  std::vector<int> ranks_;    // by member
  std::vector<int> members_;  // by rank of the job
  std::vector<std::size_t> places_;
  int rank_ = -1;
  std::uint64_t allocations_ = 0;
};

}  // namespace polder::armci
