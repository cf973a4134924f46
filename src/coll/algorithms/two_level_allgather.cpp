// Allgather over nodes: the first of a node gathers the parts of all, those exchange what they have, and each tells its node. The
// network carries each part once for each node, and not for each member. For N nodes: an allgather of N between two turns on a
// node. Where the members of nodes do not follow each other, each puts the parts in their order behind it: a copy of S bytes more.
// Hierarchical collectives: Karonis et al. 2000; Träff 2006.
#include "coll/algorithms/node_algorithms.hpp"
#include "util/copy.hpp"

#include <algorithm>
#include <numeric>

namespace polder::coll {

PartsByNode::PartsByNode(const std::size_t* given, std::span<const Rank> node_of_member, Rank nodes, Rank node) {
  // Members sorted by nodes: how many come before those of each, and then where each goes.
  std::vector<Rank> first(nodes + 1);
  for (const Rank each : node_of_member) ++first[each + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  first_ = first[node];
  std::vector<Rank> next = first, members(node_of_member.size());
  for (Rank member = 0; member < members.size(); ++member) members[next[node_of_member[member]]++] = member;
  is_in_order_ = std::is_sorted(members.begin(), members.end());
  for (const Rank member : members) {
    places_.push_back(given[member]);
    begins_.push_back(total() + given[member + 1] - given[member]);
  }
  for (const Rank member : first) nodes_.push_back(begins_[member]);
}

void PartsByNode::put_in_order(const std::byte* by_node, std::byte* all) const {
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (const std::size_t bytes = begins_[i + 1] - begins_[i]; bytes != 0)
      util::copy(all + places_[i], by_node + begins_[i], bytes);
}

Task two_level_allgather(Node& node, Wire* leaders, AllgatherOfWire between, PartsByNode parts, const std::byte* mine,
                         std::byte* all) {
  std::byte* const by_node = parts.is_in_order() ? all : node.scratch(parts.total());
  const Parts beside = parts.of_node(node.size);
  if (node.size > 1)
    co_await node_gather(node, 0, beside, mine, by_node);
  else if (beside.bytes(0) != 0)
    util::copy(by_node + beside.begin(0), mine, beside.bytes(0));
  if (leaders != nullptr) co_await between(*leaders, parts.of_nodes(), by_node);
  if (node.size > 1) co_await node_broadcast(node, 0, by_node, parts.total());
  if (!parts.is_in_order()) parts.put_in_order(by_node, all);
}

}  // namespace polder::coll
