#include "api/armci/job/nodes.hpp"

#include <map>
#include <numeric>

namespace polder::armci {
Nodes::Nodes(Rank ranks) {
  std::vector<int> each(ranks);
  std::iota(each.begin(), each.end(), 0);
  arrange(each);
}

// Nodes are numbered by their lowest rank.
void Nodes::arrange(const std::vector<int>& lowest) {
  std::map<int, int> numbers;
  for (const int rank : lowest) numbers.emplace(rank, 0);
  int next = 0;
  for (auto& [rank, number] : numbers) number = next++;
  members_.assign(numbers.size(), {});
  node_of_.clear();
  for (std::size_t rank = 0; rank < lowest.size(); ++rank) {
    node_of_.push_back(numbers[lowest[rank]]);
    members_[std::size_t(node_of_.back())].push_back(int(rank));
  }
  shared_ = members_.size() < node_of_.size();
}

int Nodes::node_of(int rank) const {
  return rank >= 0 && std::size_t(rank) < node_of_.size() ? node_of_[std::size_t(rank)] : -1;
}

int Nodes::ranks_in(int node) const {
  return node >= 0 && node < count() ? int(members_[std::size_t(node)].size()) : -1;
}

int Nodes::rank_of(int node, int index) const {
  return index >= 0 && index < ranks_in(node) ? members_[std::size_t(node)][std::size_t(index)] : -1;
}

}  // namespace polder::armci
