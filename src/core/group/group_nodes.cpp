#include "core/group/group_nodes.hpp"

#include "core/progress/outside.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace polder::core {
namespace {

// Equal for members of one node.
std::vector<Rank> node_names(const Outside& outside, std::span<const Rank> ranks) {
  std::vector<Rank> names(ranks.begin(), ranks.end());
  if (!outside.device->is_direct(outside.rank())) return names;
  const bool all_here =
      std::all_of(ranks.begin(), ranks.end(), [&](Rank r) { return outside.bootstrap->same_node(r); });
  for (Rank& name : names) name = all_here ? ranks.front() : outside.bootstrap->first_beside(name).value_or(name);
  return names;
}

}  // namespace

GroupNodes::GroupNodes(const Outside& outside, std::span<const Rank> ranks, Rank index) : index_(index) {
  const std::vector<Rank> names = node_names(outside, ranks);
  std::map<Rank, Rank> places;
  std::vector<Rank> sizes;
  std::size_t runs = 0;
  places_.reserve(ranks.size());  // in jobs of many ranks the bytes of each count
  places_beside_.reserve(ranks.size());
  for (Rank member = 0; member < ranks.size(); ++member) {
    const auto [node, is_first] = places.emplace(names[member], Rank(leaders_.size()));
    if (is_first) {
      leaders_.push_back(member);
      sizes.push_back(0);
    }
    places_.push_back(node->second);
    places_beside_.push_back(sizes[node->second]++);
    if (names[member] == names[index]) beside_.push_back(member);
    runs += member == 0 || names[member] != names[member - 1];
  }
  place_ = places_[index];
  consecutive_ = runs == leaders_.size();
  rows_ = *std::min_element(sizes.begin(), sizes.end());
  if (place_beside() == 0 || place_beside() >= rows_) return;
  row_.resize(leaders_.size());
  for (Rank member = 0; member < ranks.size(); ++member)
    if (places_beside_[member] == place_beside()) row_[places_[member]] = member;
}

std::vector<Rank> GroupNodes::by_node() const {
  std::vector<Rank> members(places_.size());
  std::iota(members.begin(), members.end(), Rank{0});
  std::stable_sort(members.begin(), members.end(), [this](Rank a, Rank b) { return places_[a] < places_[b]; });
  return members;
}

}  // namespace polder::core
