#include "coll/table/wire_call.hpp"

namespace polder::coll {
namespace {

Task binomial(Wire& wire, Rank root, std::byte* data, std::size_t bytes) {
  return binomial_broadcast(wire, root, data, bytes);
}
Task chain(Wire& wire, Rank root, std::byte* data, std::size_t bytes) {
  return chain_broadcast(wire, root, data, bytes);
}

// Members that are no root combine what comes to them, too.
Task ordered(Wire& wire, Rank root, const std::byte* send, std::byte* receive, std::size_t count) {
  std::byte* const sums = wire.me == root ? receive : wire.scratch(count * wire.elements.size);
  return ordered_reduce(wire, root, send, sums, count);
}

// What lies in the place of the vector is written last: others still have to be sent their parts.
Task slices(Wire& wire, Parts parts, const std::byte* data, std::byte* part) {
  std::byte* const mine = data == part ? wire.scratch(parts.bytes(wire.me)) : part;
  co_await slices_reduce_scatter(wire, parts, data, mine);
  wire.copy(part, mine, parts.bytes(wire.me));
}
// Where no algorithm keeps the order in parts, member 0 combines whole vectors and deals the result out.
Task reduce_and_scatter(Wire& wire, Parts parts, const std::byte* data, std::byte* part) {
  std::byte* const sums = wire.scratch(parts.total());
  co_await binomial_reduce(wire, 0, data, sums, parts.total() / wire.elements.size);
  co_await binomial_scatter(wire, 0, parts, sums, part);
}

Task reduce_scatter(Wire& wire, const WireCall& call) {
  return reduce_scatter_by(call.algorithm)(wire, Parts(call.begins, wire.size, call.element), call.send, call.receive);
}

Task allgather(Wire& wire, const WireCall& call) {
  const Parts parts(call.begins, wire.size, 1);
  wire.copy(call.receive + parts.begin(wire.me), call.send, parts.bytes(wire.me));
  return allgather_by(call.algorithm)(wire, parts, call.receive);
}

Task gather(Wire& wire, const WireCall& call) {
  const Parts parts(call.begins, wire.size, 1);
  return call.algorithm == Algorithm::spread ? spread_gather(wire, call.root, parts, call.send, call.receive)
                                             : binomial_gather(wire, call.root, parts, call.send, call.receive);
}

Task scatter(Wire& wire, const WireCall& call) {
  const Parts parts(call.begins, wire.size, 1);
  return call.algorithm == Algorithm::spread ? spread_scatter(wire, call.root, parts, call.send, call.receive)
                                             : binomial_scatter(wire, call.root, parts, call.send, call.receive);
}

Task alltoall(Wire& wire, const WireCall& call) {
  switch (call.algorithm) {
    case Algorithm::bruck: return bruck_alltoall(wire, call.send, call.receive, call.bytes);
    case Algorithm::spread:
      return spread_alltoall(wire, call.send, call.sent, call.receive, call.received, call.scattered);
    default: return routed_alltoall(wire, call.send, call.sent, call.receive, call.received);
  }
}

Task bruck(Wire& wire, const std::byte* send, const Block* /*blocks*/, std::byte* receive, std::size_t bytes) {
  return bruck_alltoall(wire, send, receive, bytes);
}
Task spread(Wire& wire, const std::byte* send, const Block* blocks, std::byte* receive, std::size_t /*bytes*/) {
  return spread_alltoall(wire, send, blocks, receive, blocks);
}
Task routed(Wire& wire, const std::byte* send, const Block* blocks, std::byte* receive, std::size_t /*bytes*/) {
  return routed_alltoall(wire, send, blocks, receive, blocks);
}

Task neighbours(Wire& wire, const WireCall& call) {
  if (call.algorithm == Algorithm::spread)
    return spread_neighbours(wire, call.send, call.sent, call.receive, call.received, call.leaving, call.coming,
                             call.scattered);
  return routed_alltoall(wire, call.send, call.sent, call.receive, call.received);
}

Task scan(Wire& wire, const WireCall& call) {
  const auto by = call.algorithm == Algorithm::chain ? chain_scan : doubling_scan;
  return by(wire, call.send, call.receive, call.count);
}

Task exscan(Wire& wire, const WireCall& call) {
  const auto by = call.algorithm == Algorithm::chain ? chain_exscan : doubling_exscan;
  return by(wire, call.send, call.receive, call.count);
}

}  // namespace

BroadcastOfWire broadcast_by(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::chain: return chain;
    case Algorithm::scatter_allgather: return scatter_allgather_broadcast;
    case Algorithm::spread: return spread_broadcast;
    default: return binomial;
  }
}

ReduceOfWire reduce_by(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::whole: return whole_reduce;
    case Algorithm::slices: return slices_reduce;
    case Algorithm::scatter_gather: return scatter_gather_reduce;
    default: return ordered;
  }
}

ReduceScatterOfWire reduce_scatter_by(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::slices: return slices;
    case Algorithm::circulant: return circulant_reduce_scatter;
    default: return reduce_and_scatter;
  }
}

AllgatherOfWire allgather_by(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::spread: return spread_allgather;
    case Algorithm::ring: return ring_allgather;
    default: return bruck_allgather;
  }
}

AllreduceOfWire allreduce_by(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::whole: return whole_allreduce;
    case Algorithm::slices: return slices_allreduce;
    case Algorithm::circulant: return circulant_allreduce;
    case Algorithm::ring: return ring_allreduce;
    case Algorithm::reduce_broadcast: return reduce_broadcast_allreduce;
    default: return doubling_allreduce;
  }
}

AlltoallOfWire alltoall_by(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::bruck: return bruck;
    case Algorithm::spread: return spread;
    default: return routed;
  }
}

Task carry_out(Wire& wire, const WireCall& call) {
  switch (call.kind) {
    case Kind::broadcast: return broadcast_by(call.algorithm)(wire, call.root, call.receive, call.bytes);
    case Kind::reduce: return reduce_by(call.algorithm)(wire, call.root, call.send, call.receive, call.count);
    case Kind::allreduce: return allreduce_by(call.algorithm)(wire, call.send, call.receive, call.count);
    case Kind::reduce_scatter: return reduce_scatter(wire, call);
    case Kind::allgather: return allgather(wire, call);
    case Kind::gather: return gather(wire, call);
    case Kind::scatter: return scatter(wire, call);
    case Kind::alltoall: return alltoall(wire, call);
    case Kind::neighbours: return neighbours(wire, call);
    case Kind::scan: return scan(wire, call);
    case Kind::exscan: return exscan(wire, call);
    default: return dissemination_barrier(wire);
  }
}

}  // namespace polder::coll
