#include "api/armci/job/team.hpp"

#include "api/armci/collective/board.hpp"
#include "api/armci/job/armci_rank.hpp"

#include <numeric>
#include <utility>

namespace polder::armci {
namespace {

std::vector<int> all_ranks(Group& world) {
  std::vector<int> ranks(world.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

Team::Team(Group& world) : Team(world, all_ranks(world), world.index(), Rank(world.size())) {}

Team::Team(Group& group, std::vector<int> ranks, Rank me, Rank job_size)
    : group_(&group), ranks_(std::move(ranks)), members_(job_size, -1) {
  for (std::size_t member = 0; member < ranks_.size(); ++member) {
    members_[std::size_t(ranks_[member])] = int(member);
    places_.push_back(*group.relative(Rank(ranks_[member])));
  }
  rank_ = members_[me];
}

Team::~Team() = default;

// The root of a broadcast is done when all have come to it, and they read from it only then. Boards of a part of the
// team are made by its members alone, so each part meets by itself, in the same order everywhere.
Status Team::leave_boards(ArmciRank& self) {
  Status outcome;
  for (Team* const part : {this, on_node.get(), masters.get()}) {
    if (part == nullptr || part->board == nullptr) continue;
    if (Status status = self.barrier(part->group()); outcome.ok()) outcome = std::move(status);
  }
  return outcome;
}

Result<std::shared_ptr<Team>> Team::make(ArmciRank& self, std::vector<int> ranks) {
  auto group = self.runtime().create_group(std::vector<Rank>(ranks.begin(), ranks.end()));
  if (!group.ok()) return std::move(group).status();
  if (Status status = self.wait([&](Timeout slice) { return (*group)->commit(slice); }); !status.ok()) return status;
  std::shared_ptr<Team> team(new Team(**group, std::move(ranks), self.rank(), self.size()));
  team->owned_ = *std::move(group);
  return team;
}

}  // namespace polder::armci
