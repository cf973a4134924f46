// From the arguments of each kind of collective to the algorithm that the table chose.
#include "coll/consistent/call.hpp"
#include "core/group/group_state.hpp"

#include <algorithm>
#include <optional>
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
  const std::optional<Rank> owner = sole_owner();
  const Kind kind = owner ? Kind::reduce : kind_;
  const auto leading = Rank(nodes.leaders().size());
  // Those between nodes keep the order of these, whatever the function allows; but parts may be combined in any.
  const bool any_order = !reduces(kind) || (kind == Kind::reduce_scatter && spec_.commutes);
  const std::size_t bytes = kind == Kind::alltoall ? nodes.rows() * bytes_ : choice().bytes;
  const Algorithm between =
      lanes().table().choose({.kind = kind, .bytes = bytes, .members = leading, .commutes = any_order});
  switch (kind) {
    case Kind::broadcast:
      return two_level_broadcast(node, row, broadcast_by(between), node_of(root_), receive_, bytes_);
    case Kind::reduce:
      return two_level_reduce(node, row, reduce_by(between), node_of(owner.value_or(root_)), send_, receive_,
                              spec_.count);
    case Kind::reduce_scatter:
      return two_level_reduce_scatter(node, leaders, reduce_scatter_by(between), parts_by_node(), send_, receive_);
    case Kind::allgather:
      return two_level_allgather(node, leaders, allgather_by(between), parts_by_node(), send_, receive_);
    case Kind::alltoall:
      return two_level_alltoall(node, *row, alltoall_by(between), nodes.by_node(), send_, receive_, bytes_);
    default: return two_level_allreduce(node, leaders, allreduce_by(between), send_, receive_, spec_.count);
  }
}

// Of a reduce_scatter that is a reduce: the member that gets all of it.
std::optional<Rank> Call::sole_owner() const {
  if (kind_ != Kind::reduce_scatter || spec_.count == 0) return std::nullopt;
  const auto first =
      std::upper_bound(begins_.begin(), begins_.end(), 0);  // the end of the first part that is not empty
  if (*first != spec_.count) return std::nullopt;
  return Rank(first - begins_.begin() - 1);
}

NodeOfRoot Call::node_of(Rank root) const {
  const core::GroupNodes& nodes = group_->state().nodes();
  const Rank node = nodes.places()[root], beside = nodes.places_beside()[root];
  return {node, node == nodes.place(), beside, beside % nodes.rows()};
}

PartsByNode Call::parts_by_node() const {
  const core::GroupNodes& nodes = group_->state().nodes();
  std::vector<std::size_t> begins = begins_;
  if (kind_ == Kind::reduce_scatter)
    for (std::size_t& each : begins) each *= spec_.element_size;
  return {begins.data(), nodes.places(), Rank(nodes.leaders().size()), nodes.place()};
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
