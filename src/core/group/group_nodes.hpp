// How the members of a group lie on nodes: who leads each node, and who is beside this member. Places are member
// numbers.
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
  Rank place() const { return place_; }                        // of this node among all
  const std::vector<Rank>& places() const { return places_; }  // of the node of each member
  Rank place_beside() const { return place_beside_; }          // of this member in its node
  // Members of a node follow each other, in all nodes.
  bool consecutive() const { return consecutive_; }

 private:
  std::vector<Rank> leaders_, beside_, places_;
  Rank place_ = 0, place_beside_ = 0;
  bool consecutive_ = true;
};

}  // namespace polder::core
