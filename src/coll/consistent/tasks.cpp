// From the arguments of each kind of collective to the algorithm that the table chose.
#include "coll/consistent/call.hpp"
#include "core/group/group_state.hpp"

#include <vector>

namespace polder::coll {

Task Call::start(Lane& lane) {
  if (algorithm_ == Algorithm::two_level) return start_over_nodes(lane);
  if (is_over_node()) return start_on_node(*lane.node);
  wire_call_ = {.kind = kind_,
                .algorithm = algorithm_,
                .root = root_,
                .send = send_,
                .receive = receive_,
                .bytes = bytes_,
                .count = spec_.count,
                .element = spec_.element_size,
                .begins = begins_.data(),
                .sent = sent_.data(),
                .received = received_.data()};
  if (takes_pieces()) wire_call_.scattered = {pieces_of(send_blocks_), pieces_of(receive_blocks_)};
  if (edges_ != nullptr) wire_call_.leaving = edges_->leaving, wire_call_.coming = edges_->coming;
  return carry_out(lane.wire, wire_call_);
}

Task Call::start_over_nodes(Lane& lane) {
  Node& node = *lane.node;
  const core::GroupNodes& nodes = group_->state().nodes();
  Wire* const row = lane.row ? &*lane.row : nullptr;
  Wire* const leaders = nodes.place_beside() == 0 ? row : nullptr;
  if (kind_ == Kind::barrier) return two_level_barrier(node, leaders);
  const auto leading = Rank(nodes.leaders().size());
  // Those between nodes keep the order of these, whatever the function allows.
  const Algorithm between =
      lanes().table().choose({.kind = kind_, .bytes = choice().bytes, .members = leading, .commutes = !reduces(kind_)});
  if (kind_ == Kind::broadcast)
    return two_level_broadcast(node, row, broadcast_by(between), node_of_root(), receive_, bytes_);
  if (kind_ == Kind::reduce)
    return two_level_reduce(node, row, reduce_by(between), node_of_root(), send_, receive_, spec_.count);
  if (kind_ == Kind::allgather)
    return two_level_allgather(node, leaders, allgather_by(between),
                               PartsByNode(begins_.data(), nodes.places(), leading, nodes.place()), send_, receive_);
  return two_level_allreduce(node, leaders, allreduce_by(between), send_, receive_, spec_.count);
}

NodeOfRoot Call::node_of_root() const {
  const core::GroupNodes& nodes = group_->state().nodes();
  const Rank node = nodes.places()[root_], beside = nodes.places_beside()[root_];
  return {node, node == nodes.place(), beside, beside % nodes.rows()};
}

// ---- among members that load and store each other's memory ----

Task Call::start_on_node(Node& node) {
  const std::size_t bytes = vector();
  const Rank root = kind_ == Kind::reduce || kind_ == Kind::gather ? root_ : kEverybody;
  switch (kind_) {
    case Kind::broadcast: return node_broadcast(node, root_, receive_, bytes_);
    case Kind::reduce:
    case Kind::allreduce:
      if (algorithm_ == Algorithm::board) return board_reduce(node, root, send_, receive_, bytes);
      if (algorithm_ == Algorithm::late_tree) return late_tree_reduce(node, root, send_, receive_, bytes);
      return claimed_slices_reduce(node, root, send_, receive_, bytes);
    case Kind::reduce_scatter: return node_reduce_scatter(node, parts_in_elements(), send_, receive_);
    case Kind::allgather:
    case Kind::gather: return node_gather(node, root, parts_in_bytes(), send_, receive_);
    case Kind::scatter: return node_scatter(node, root_, parts_in_bytes(), send_, receive_);
    case Kind::alltoall: return node_alltoall(node, send_, sent_.data(), receive_, received_.data(), bytes_);
    case Kind::scan: return start_scan(node, Including::own);
    case Kind::exscan: return start_scan(node, Including::others_only);
    default: return node_barrier(node);
  }
}

Task Call::start_scan(Node& node, Including own) {
  if (algorithm_ == Algorithm::look_back) return look_back_scan(node, own, send_, receive_, vector());
  return desk_scan(node, own, send_, receive_, vector());
}

}  // namespace polder::coll
