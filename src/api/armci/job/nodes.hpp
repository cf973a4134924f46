// Which ranks share a node, as the program is told: the truth, or that each rank is a node of its own.
#pragma once

#include <polder/types.hpp>

#include <vector>

namespace polder::armci {

class Nodes {
 public:
  // Each rank is a node.
  explicit Nodes(Rank ranks);

  // By the lowest rank of each rank's node.
  void arrange(const std::vector<int>& lowest);

  bool shared() const { return shared_; }  // some node has more than one rank, and that may be told
  int count() const { return int(members_.size()); }
  int node_of(int rank) const;  // -1: there is no such rank
  // -1 where there is no such node, or no such rank in it.
  int rank_of(int node, int index) const;
  int ranks_in(int node) const;

 private:
  std::vector<int> node_of_;               // by rank
  std::vector<std::vector<int>> members_;  // by node
  bool shared_ = false;
};

}  // namespace polder::armci
