// A public collective of one member: its arguments, checked, and the task that carries them out by the algorithm that
// the table chooses.
#pragma once

#include "coll/algorithms/node_algorithms.hpp"
#include "coll/consistent/block_layout.hpp"
#include "coll/drive/driven_collective.hpp"
#include "coll/drive/edge_slots.hpp"
#include "coll/port/node.hpp"
#include "coll/port/slotted_edge.hpp"
#include "coll/table/table.hpp"
#include "coll/table/wire_call.hpp"
#include "core/group/group_nodes.hpp"
#include "util/assert.hpp"

#include <polder/collective.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace polder::coll {

// The edges of a member's neighbours, nearest first, and what it has taken for those that have no slot of a distance.
struct NeighbourEdges {
  explicit NeighbourEdges(std::shared_ptr<EdgeSlots> slots) : lease(std::move(slots)) {}
  std::vector<SlottedEdge> leaving, coming;
  EdgeLease lease;
};

// Arguments, as the public functions take them.
struct Arguments {
  Kind kind = Kind::none;
  Rank root = 0;
  ReductionSpec spec = {};
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t bytes = 0;                    // of a broadcast, of a block
  std::span<const std::size_t> parts = {};  // elements of a reduce_scatter, else bytes
  std::span<const Part> sent = {}, received = {};
  std::span<const StridedPart> sent_blocks = {}, received_blocks = {};  // of an alltoallw
  bool in_parts = false;                                                // it is one of these two: none is wrong
  // Of neighbours: how many of the above each member has, 0 for those that are none.
  std::span<const std::uint32_t> sent_each = {}, received_each = {};
  // And the slots of their edges; null: some edge of some member has none.
  std::shared_ptr<const NeighbourEdges> edges = {};
};

class Call final : public DrivenCollective {
 public:
  Call() = default;
  ~Call() override { retire(); }

  // Success, or what is wrong with the arguments. They are copied, but for the buffers.
  static Status check(Group& group, const Arguments& arguments);
  // REQUIRES: check() of these was ok, and nothing is under way.
  void prepare(Group& group, const Arguments& arguments);
  Status begin();
  // What it keeps others from using. REQUIRES: nothing is under way.
  void leave_edges() {
    POLDER_ASSERT(!under_way());
    edges_.reset();
  }

  // By this algorithm and no other. invalid_argument: there is no such one, or it cannot serve this call.
  Status use(std::string_view algorithm);
  // The one of use(), or what the table chooses.
  Algorithm algorithm() const;

  // As Collective::lay_out(). REQUIRES: nothing is under way.
  Status lay_out(const StridedPart* send, const StridedPart* receive);

  // Whether a blocking call with these arguments goes on with this one.
  bool is_of(const Arguments& arguments) const;

 private:
  Task start(Lane& lane) override;
  void finish() override;
  void place_vectors();
  void place_sent_blocks(const Arguments& arguments);
  void place_received_blocks(const Arguments& arguments);
  void mark_neighbours(const Arguments& arguments);
  std::size_t bytes_to_send() const;
  std::size_t bytes_to_receive() const;
  std::size_t result_elements() const;
  // Letters of neighbours go nowhere else, so who has no need of the dead goes on.
  bool is_direct_among_neighbours() const { return kind_ == Kind::neighbours && algorithm_ == Algorithm::spread; }
  // Letters are filled from pieces of a buffer, and emptied into them.
  bool takes_pieces() const {
    return algorithm_ == Algorithm::spread && (kind_ == Kind::neighbours || kind_ == Kind::alltoall);
  }
  static const Pieces* pieces_of(const BlockLayout& blocks) { return blocks.used() ? &blocks.pieces() : nullptr; }
  void place_blocks();
  bool is_over_node() const { return algorithm_ >= Algorithm::shared; }
  Over over() const {
    return is_over_node() ? Over::node : runs_over_wire(algorithm_) ? Over::wires : Over::wires_and_node;
  }
  CallRecord record() const;
  Choice choice() const;
  bool can_go_by_nodes(const core::GroupNodes& nodes) const;
  std::size_t given_element() const { return spec_.narrow_size != 0 ? spec_.narrow_size : spec_.element_size; }
  std::size_t vector() const { return spec_.count * spec_.element_size; }  // bytes
  Parts parts_in_bytes() const { return {begins_.data(), Rank(begins_.size() - 1), 1}; }
  Parts parts_in_elements() const { return {begins_.data(), Rank(begins_.size() - 1), spec_.element_size}; }

  Task start_over_nodes(Lane& lane);
  std::optional<Rank> sole_owner() const;
  NodeOfRoot node_of(Rank root) const;
  PartsByNode parts_by_node() const;
  Task start_on_node(Node& node);
  Task start_scan(Node& node, Including own);

  Group* group_ = nullptr;
  Kind kind_ = Kind::none;
  Rank root_ = 0;
  ReductionSpec spec_;
  const std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> begins_;              // of parts, in elements of a reduce_scatter, else bytes
  std::vector<Block> sent_, received_;           // of an alltoallv
  std::shared_ptr<const NeighbourEdges> edges_;  // of neighbours that have slots for each other
  std::uint64_t blocks_hash_ = 0;                // of what an alltoallw and neighbours were given
  Algorithm algorithm_ = Algorithm::choose;
  CallRecord record_;   // unsigned: still to be made
  WireCall wire_call_;  // what a task over the wire reads
  // What the user gave; the same, or where its blocks are one behind the other; then, or in a wider form, send_ and
  // receive_.
  const void* given_send_ = nullptr;
  void* given_receive_ = nullptr;
  BlockLayout send_blocks_, receive_blocks_;
  const std::byte* whole_send_ = nullptr;
  std::byte* whole_receive_ = nullptr;
  std::vector<std::byte> wide_;
};

}  // namespace polder::coll
