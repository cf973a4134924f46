// From the arguments of each kind of collective to the algorithm that the table chose.
#include "coll/algorithms/node_algorithms.hpp"
#include "coll/consistent/call.hpp"
#include "core/group/group_state.hpp"

namespace polder::coll {

Task Call::start(Lane& lane) {
  if (algorithm_ == Algorithm::two_level) return start_over_nodes(lane);
  if (algorithm_ >= Algorithm::shared) return start_on_node(*lane.node);
  Wire& wire = lane.wire;
  switch (kind_) {
    case Kind::broadcast: return broadcast(wire, *this);
    case Kind::reduce: return reduce(wire, *this);
    case Kind::allreduce: return allreduce(wire, *this);
    case Kind::reduce_scatter: return reduce_scatter(wire, *this);
    case Kind::allgather: return allgather(wire, *this);
    case Kind::gather: return binomial_gather(wire, root_, parts_in_bytes(), send_, receive_);
    case Kind::scatter: return binomial_scatter(wire, root_, parts_in_bytes(), send_, receive_);
    case Kind::alltoall: return alltoall(wire, *this);
    case Kind::scan: return scan(wire, *this);
    case Kind::exscan: return exscan(wire, *this);
    default: return dissemination_barrier(wire);
  }
}

Task Call::broadcast(Wire& wire, Call& call) {
  switch (call.algorithm_) {
    case Algorithm::chain: return chain_broadcast(wire, call.root_, call.receive_, call.bytes_);
    case Algorithm::scatter_allgather: return scatter_allgather_broadcast(wire, call.root_, call.receive_, call.bytes_);
    default: return binomial_broadcast(wire, call.root_, call.receive_, call.bytes_);
  }
}

Task Call::reduce(Wire& wire, Call& call) {
  std::byte* const data = wire.me == call.root_ ? call.receive_ : wire.scratch(call.vector());
  wire.copy(data, call.send_, call.vector());
  if (call.algorithm_ == Algorithm::scatter_gather)
    co_await scatter_gather_reduce(wire, call.root_, data, call.spec_.count);
  else
    co_await ordered_reduce(wire, call.root_, data, call.spec_.count);
}

namespace {

Task doubling(Wire& wire, std::byte* data, std::size_t count) {
  return doubling_allreduce(wire, data, count);
}
Task reduce_broadcast(Wire& wire, std::byte* data, std::size_t count) {
  return reduce_broadcast_allreduce(wire, data, count);
}

AllreduceOfWire allreduce_by(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::whole: return whole_allreduce;
    case Algorithm::slices: return slices_allreduce;
    case Algorithm::circulant: return circulant_allreduce;
    case Algorithm::ring: return ring_allreduce;
    case Algorithm::reduce_broadcast: return reduce_broadcast;
    default: return doubling;
  }
}

}  // namespace

Task Call::allreduce(Wire& wire, Call& call) {
  wire.copy(call.receive_, call.send_, call.vector());
  return allreduce_by(call.algorithm_)(wire, call.receive_, call.spec_.count);
}

// The leaders of nodes keep their order, whatever the function allows.
Task Call::start_over_nodes(Lane& lane) {
  const auto leaders = Rank(group_->state().nodes().leaders().size());
  const Algorithm between =
      lanes().table().choose({.kind = Kind::allreduce, .bytes = vector(), .members = leaders, .commutes = false});
  return two_level_allreduce(*lane.node, lane.leaders ? &*lane.leaders : nullptr, allreduce_by(between), send_,
                             receive_, spec_.count);
}

// Where no algorithm keeps the order in parts, member 0 combines whole vectors and deals the result out.
Task Call::reduce_scatter(Wire& wire, Call& call) {
  const Parts parts = call.parts_in_elements();
  if (call.algorithm_ == Algorithm::slices) {
    // What lies in the place of the vector is written last: others still have to be sent their parts.
    const std::size_t bytes = parts.bytes(wire.me);
    std::byte* const part = call.send_ == call.receive_ ? wire.scratch(bytes) : call.receive_;
    co_await slices_reduce_scatter(wire, parts, call.send_, part);
    wire.copy(call.receive_, part, bytes);
  } else if (call.algorithm_ == Algorithm::circulant) {
    co_await circulant_reduce_scatter(wire, parts, call.send_, call.receive_);
  } else {
    std::byte* const data = wire.scratch(call.vector());
    wire.copy(data, call.send_, call.vector());
    co_await binomial_reduce(wire, 0, data, call.spec_.count);
    co_await binomial_scatter(wire, 0, parts, data, call.receive_);
  }
}

Task Call::allgather(Wire& wire, Call& call) {
  const Parts parts = call.parts_in_bytes();
  wire.copy(call.receive_ + parts.begin(wire.me), call.send_, parts.bytes(wire.me));
  switch (call.algorithm_) {
    case Algorithm::spread: return spread_allgather(wire, parts, call.receive_);
    case Algorithm::ring: return ring_allgather(wire, parts, call.receive_);
    default: return bruck_allgather(wire, parts, call.receive_);
  }
}

Task Call::alltoall(Wire& wire, Call& call) {
  const Block *const out = call.sent_.data(), *const in = call.received_.data();
  switch (call.algorithm_) {
    case Algorithm::bruck: return bruck_alltoall(wire, call.send_, call.receive_, call.bytes_);
    case Algorithm::spread: return spread_alltoall(wire, call.send_, out, call.receive_, in);
    default: return routed_alltoall(wire, call.send_, out, call.receive_, in);
  }
}

Task Call::scan(Wire& wire, Call& call) {
  wire.copy(call.receive_, call.send_, call.vector());
  return doubling_scan(wire, call.receive_, call.spec_.count);
}

Task Call::exscan(Wire& wire, Call& call) {
  std::byte* const data = wire.scratch(call.vector());
  wire.copy(data, call.send_, call.vector());
  co_await doubling_exscan(wire, data, call.spec_.count);
  if (wire.me != 0) wire.copy(call.receive_, data, call.vector());
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
    default: return node_barrier(node);
  }
}

}  // namespace polder::coll
