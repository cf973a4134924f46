// The cables of a dragonfly: routers of a group are joined each with each, and so are groups (Kim, Dally, Scott, Abts 2008).
#pragma once

#include <cassert>
#include <cstdint>
#include <span>

namespace polder::topology {

// Vertices are nodes, group by group and router by router, then routers. The cable of a group to another one ends at a
// router of each: the d-th group after it at router d - 1, counted round. Ways are the shortest ones: up, at most one cable
// inside of the group, one between groups, one inside, down.
class Dragonfly {
 public:
  // `extents`: groups, routers of a group, nodes of a router.
  explicit Dragonfly(std::span<const std::uint32_t> extents)
      : groups_(extents[0]), routers_(extents[1]), nodes_(extents[2]) {}

  std::uint32_t nodes() const { return groups_ * routers_ * nodes_; }
  std::uint32_t node(std::uint32_t group, std::uint32_t router, std::uint32_t number) const {
    return (group * routers_ + router) * nodes_ + number;
  }
  std::uint32_t links() const { return first_between() + groups_ * groups_; }

  struct Step {
    std::uint32_t link = 0;  // one direction of a cable
    std::uint32_t to = 0;    // the vertex at its end
  };
  // REQUIRES: at != node, and `at` lies on the way of some letter to it.
  Step next(std::uint32_t at, std::uint32_t node) const {
    assert(at != node);
    if (at < nodes()) return {at, router_of(at)};
    const std::uint32_t here = at - nodes(), goal = router_of(node) - nodes();
    if (here == goal) return {nodes() + node, node};
    const std::uint32_t group = here / routers_, target = goal / routers_;
    if (group == target) return inside(here, goal);
    const std::uint32_t gate = group * routers_ + gate_of(group, target);
    if (here != gate) return inside(here, gate);
    return {first_between() + group * groups_ + target, nodes() + target * routers_ + gate_of(target, group)};
  }

 private:
  std::uint32_t router_of(std::uint32_t node) const { return nodes() + node / nodes_; }
  std::uint32_t gate_of(std::uint32_t group, std::uint32_t target) const {
    return (target + groups_ - group - 1) % groups_ % routers_;
  }
  Step inside(std::uint32_t from, std::uint32_t to) const {
    return {2 * nodes() + from * routers_ + to % routers_, nodes() + to};
  }
  // Cables of nodes, up and down, come first, then those inside of groups.
  std::uint32_t first_between() const { return 2 * nodes() + groups_ * routers_ * routers_; }

  std::uint32_t groups_, routers_, nodes_;
};

}  // namespace polder::topology
