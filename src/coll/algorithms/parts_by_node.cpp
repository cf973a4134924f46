// How the parts of all members lie node by node.
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
  for (Rank member = first_; member <= first[node + 1]; ++member) beside_.push_back(begins_[member] - begins_[first_]);
}

void PartsByNode::put_in_order(const std::byte* by_node, std::byte* all) const {
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (const std::size_t bytes = begins_[i + 1] - begins_[i]; bytes != 0)
      util::copy(all + places_[i], by_node + begins_[i], bytes);
}

void PartsByNode::put_by_node(const std::byte* all, std::byte* by_node) const {
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (const std::size_t bytes = begins_[i + 1] - begins_[i]; bytes != 0)
      util::copy(by_node + begins_[i], all + places_[i], bytes);
}

}  // namespace polder::coll
