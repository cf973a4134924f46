// How the members of a group lie on nodes: who leads each node, who is beside this member, and who has its place on other nodes.
// Members are named by their numbers.
#pragma once

#include <polder/types.hpp>

#include <span>
#include <vector>

namespace polder::core {

struct Outside;

// A node here is members that load and store each other's memory. Where the launcher does not say who is where, or the
// device does not share memory, each member is a node of its own, unless all of the group are of one.
class GroupNodes {
 public:
  GroupNodes(const Outside& outside, std::span<const Rank> ranks, Rank index);

  bool one() const { return leaders_.size() == 1; }
  const std::vector<Rank>& leaders() const { return leaders_; }  // the first member of each node, upwards
  const std::vector<Rank>& beside() const { return beside_; }    // members of this one's node, upwards
  Rank leader() const { return beside_.front(); }                // of this node
  bool leads(Rank member) const { return member == leader(); }
  Rank place() const { return place_; }                                      // of this node among all
  const std::vector<Rank>& places() const { return places_; }                // of the node of each member
  const std::vector<Rank>& places_beside() const { return places_beside_; }  // of each member in its node
  Rank place_beside() const { return places_beside_[index_]; }               // of this one
  // The row of this member: of each node, in the order of nodes, the member that has this one's place there. Leaders are a row, and
  // there are as many as the smallest node has members; empty if this member's node has more.
  const std::vector<Rank>& row() const { return place_beside() == 0 ? leaders_ : row_; }
  Rank rows() const { return rows_; }
  // All members, node by node, upwards on each.
  std::vector<Rank> by_node() const;
  // Each node has as many members.
  bool even() const { return leaders_.size() * rows_ == places_.size(); }
  // Members of a node follow each other, in all nodes.
  bool consecutive() const { return consecutive_; }

 private:
  std::vector<Rank> leaders_, beside_, places_, places_beside_;
  std::vector<Rank> row_;  // of leaders it is empty
  Rank index_, place_ = 0, rows_ = 0;
  bool consecutive_ = true;
};

}  // namespace polder::core
