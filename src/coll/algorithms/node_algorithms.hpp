// The algorithms that run over a Node: members that load and store each other's memory. N members, S bytes of a vector.
// What counts is how often each member needs a core (a turn), because members may outnumber cores, and then the bytes
// that all of them move together.
//
// In ascending order of members, whoever comes first: functions need not commute, and all get the same bits.
#pragma once

#include "coll/algorithms/algorithms.hpp"
#include "coll/port/node.hpp"
#include "coll/port/parts.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace polder::coll {

constexpr Rank kEverybody = ~Rank{0};
// From here on it pays to ask all members whether they offer their memory: a meeting more.
constexpr std::size_t kDirect = std::size_t{32} << 10;

// Pieces that a member brings before it takes the first of the others: where ranks outnumber cores a turn moves so many. With
// all kDesks of them desks no longer fit the cache.
constexpr std::uint64_t kUnderWay = 3;
static_assert(kUnderWay < Node::kDesks);

Task node_barrier(Node& node);

// REQUIRES of board: the vector, or each part, fits Node::kInline.
Task board_broadcast(Node& node, Rank root, std::byte* data, std::size_t bytes);
Task node_broadcast(Node& node, Rank root, std::byte* data, std::size_t bytes);
Task board_scatter(Node& node, Rank root, Parts parts, const std::byte* all, std::byte* mine);
Task node_scatter(Node& node, Rank root, Parts parts, const std::byte* all, std::byte* mine);

// The result goes to `root`, or kEverybody. REQUIRES of board: count elements fit Node::kInline; of the others: one
// element fits Node::kDesk.
Task board_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes);
Task late_tree_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes);
// Where all vectors are offered; else late_tree_reduce.
Task claimed_slices_reduce(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes);

// `receive` of the first member stays as it is where the own vector is left out. REQUIRES: the vector fits Node::kInline.
enum class Including { own, others_only };
Task look_back_scan(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes);
// The same of any length. REQUIRES: an element fits Node::kDesk.
Task desk_scan(Node& node, Including own, const std::byte* send, std::byte* receive, std::size_t bytes);

// ---- members on several nodes ----
// `leaders` joins the first member of each, and is null elsewhere. `row` joins the members of each that have the same place there
// as this one; it is null where some node has too few.

// Where the root is, and who takes part between nodes for it: the row of the root, so that the network begins and ends with it, and
// roots that change share the work out; if there is no such row, another one.
struct NodeOfRoot {
  Rank node = 0;         // its node among all, which is its row's place
  bool is_here = false;  // that is this member's node
  Rank beside = 0;       // the root's place in it
  Rank row = 0;          // the place of those between nodes
};

Task two_level_barrier(Node& node, Wire* leaders);
Task two_level_broadcast(Node& node, Wire* row, BroadcastOfWire between, NodeOfRoot root, std::byte* data,
                         std::size_t bytes);
// `receive` of others than the root is not touched. `between` keeps the order of its members. REQUIRES: an element fits
// Node::kDesk.
Task two_level_reduce(Node& node, Wire* row, ReduceOfWire between, NodeOfRoot root, const std::byte* send,
                      std::byte* receive, std::size_t count);
// The parts of all members node by node, and in a node by members.
class PartsByNode {
 public:
  // Part c of `given` begins at byte given[c], and member c is of the node of that place; `node` is this member's.
  PartsByNode(const std::size_t* given, std::span<const Rank> node_of_member, Rank nodes, Rank node);

  std::size_t total() const { return begins_.back(); }
  bool is_in_order() const { return is_in_order_; }  // then they lie as given
  // What the members of this node have, in all of it and from the first part of the node on, and what each node has; these must not
  // outlive this.
  Parts of_node(Rank members) const { return {begins_.data() + first_, members, 1}; }
  Parts alone_of_node() const { return {beside_.data(), Rank(beside_.size() - 1), 1}; }
  Parts of_nodes() const { return {nodes_.data(), Rank(nodes_.size() - 1), 1}; }
  void put_in_order(const std::byte* by_node, std::byte* all) const;
  void put_by_node(const std::byte* all, std::byte* by_node) const;

 private:
  std::vector<std::size_t> places_, begins_{0}, nodes_;  // as given; by node, one more; of nodes, one more
  std::vector<std::size_t> beside_;                      // of this node, from its first one on; one more
  Rank first_ = 0;                                       // of this node, in that order
  bool is_in_order_ = true;
};
Task two_level_allgather(Node& node, Wire* leaders, AllgatherOfWire between, PartsByNode parts, const std::byte* mine,
                         std::byte* all);
// To one member of a node that has several.
Task reduce_on_node(Node& node, Rank root, const std::byte* send, std::byte* receive, std::size_t bytes);
// `between` keeps the order of its members. REQUIRES: an element fits Node::kDesk.
Task two_level_allreduce(Node& node, Wire* leaders, AllreduceOfWire between, const std::byte* send, std::byte* receive,
                         std::size_t count);

// Sizes of parts in bytes. `between` keeps the order of its members, or the function commutes. REQUIRES: an element fits Node::kDesk.
Task two_level_reduce_scatter(Node& node, Wire* leaders, ReduceScatterOfWire between, PartsByNode parts,
                              const std::byte* send, std::byte* part);

// REQUIRES of board: all elements fit Node::kInline; of the other: one element fits Node::kDesk / size.
Task board_reduce_scatter(Node& node, Parts parts, const std::byte* data, std::byte* part);
Task node_reduce_scatter(Node& node, Parts parts, const std::byte* data, std::byte* part);

// To `root`, or kEverybody. REQUIRES of board: each part fits Node::kInline.
Task board_gather(Node& node, Rank root, Parts parts, const std::byte* mine, std::byte* all);
Task node_gather(Node& node, Rank root, Parts parts, const std::byte* mine, std::byte* all);

// `equal`: what all blocks have, or 0 if they differ. REQUIRES: size <= kMostBlocks.
constexpr Rank kMostBlocks = 512;
// REQUIRES of board: all have `bytes`, and what goes to others fits Node::kInline.
Task board_alltoall(Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                    std::size_t bytes);
Task node_alltoall(Node& node, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                   std::size_t equal);
// `by_node` has all members node by node, in the order of nodes in `row`. REQUIRES: each node has node.size <= kMostBlocks members.
Task two_level_alltoall(Node& node, Wire& row, AlltoallOfWire between, std::vector<Rank> by_node, const std::byte* send,
                        std::byte* receive, std::size_t bytes);

}  // namespace polder::coll
