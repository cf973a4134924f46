// From the arguments of each kind of collective to the algorithm that the table chose.
#include "coll/consistent/call.hpp"
#include "core/group/group_state.hpp"

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

// The leaders of nodes keep their order, whatever the function allows.
Task Call::start_over_nodes(Lane& lane) {
  const auto leaders = Rank(group_->state().nodes().leaders().size());
  const Algorithm between =
      lanes().table().choose({.kind = Kind::allreduce, .bytes = vector(), .members = leaders, .commutes = false});
  return two_level_allreduce(*lane.node, lane.leaders ? &*lane.leaders : nullptr, allreduce_by(between), send_,
                             receive_, spec_.count);
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
