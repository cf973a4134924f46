#include "api/armci/collective/collectives.hpp"

#include "api/armci/collective/board.hpp"
#include "api/armci/job/context.hpp"
#include "api/armci/symbols.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace polder::armci {

namespace {

std::vector<int> neighbours(const Nodes& nodes, const Team& group, int rank) {
  std::vector<int> ranks;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (nodes.node_of(group.absolute(int(i))) == nodes.node_of(rank)) ranks.push_back(group.absolute(int(i)));
  return ranks;
}

// The first member of each node.
std::vector<int> masters(const Nodes& nodes, const Team& group) {
  std::vector<int> ranks;
  std::vector<bool> seen(std::size_t(nodes.count()));
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto node = std::size_t(nodes.node_of(group.absolute(int(i))));
    if (!seen[node]) ranks.push_back(group.absolute(int(i)));
    seen[node] = true;
  }
  return ranks;
}

// Makes the team of `ranks` when it is first needed; all of them come here at the same time.
Result<Participation> part_of(Context& context, std::shared_ptr<Team>& part, std::vector<int> ranks) {
  const int me = int(context.rank());
  const bool takes_part = std::find(ranks.begin(), ranks.end(), me) != ranks.end();
  if (ranks.size() < 2 || !takes_part) return Participation{.alone = takes_part};
  if (part == nullptr) {
    auto made = Team::make(context, std::move(ranks));
    if (!made.ok()) return std::move(made).status();
    part = *std::move(made);
  }
  return Participation{.team = part.get()};
}

}  // namespace

Result<Participation> team_of_scope(Context& context, int scope, Team& group) {
  const Nodes& nodes = context.nodes;
  switch (scope) {
    case SCOPE_ALL: return Participation{.team = &group};
    case SCOPE_NODE: return part_of(context, group.on_node, neighbours(nodes, group, int(context.rank())));
    case SCOPE_MASTERS:
      if (!nodes.shared()) return Participation{.team = &group};
      return part_of(context, group.masters, masters(nodes, group));
    default: return Status(Code::invalid_argument, "there is no scope " + std::to_string(scope));
  }
}

Status broadcast(Context& context, Team& team, int root, std::span<std::byte> bytes) {
  if (team.relative(root) < 0)
    return {Code::invalid_rank, "rank " + std::to_string(root) + " is not among those of the broadcast"};
  if (bytes.empty() || team.size() == 1) return {};
  if (team.board == nullptr) {
    auto board = Board::make(context, team.group());
    if (!board.ok()) return std::move(board).status();
    team.board = *std::move(board);
  }
  return team.board->broadcast(context, team.group(), Rank(root), bytes);
}

}  // namespace polder::armci
