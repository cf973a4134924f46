// From a kind and an algorithm to the task of a member: the one place that knows which function carries out which row of
// the table over a Wire. Programs and the model (coll/model/prediction.hpp) go through it.
#pragma once

#include "coll/algorithms/algorithms.hpp"
#include "coll/table/table.hpp"

#include <cstddef>
#include <span>

namespace polder::coll {

// What a member brings. Buffers are those of the public call of this kind (polder/collective.hpp).
struct WireCall {
  Kind kind = Kind::none;
  Algorithm algorithm = Algorithm::choose;  // one that runs over a Wire
  Rank root = 0;
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t bytes = 0;                // of a broadcast, of a block
  std::size_t count = 0, element = 1;   // of what is reduced: elements, and bytes of one
  const std::size_t* begins = nullptr;  // of parts, one more than members: elements of a reduce_scatter, else bytes
  const Block *sent = nullptr, *received = nullptr;        // of an alltoall or of neighbours, one for each member
  Scattered scattered = {};                                // of those by `spread`
  std::span<const SlottedEdge> leaving = {}, coming = {};  // of neighbours by `spread`, nearest first

  std::size_t vector() const { return count * element; }  // bytes
};

// `call` must stay until the task has ended. REQUIRES: its algorithm is one of its kind.
Task carry_out(Wire& wire, const WireCall& call);

BroadcastOfWire broadcast_by(Algorithm algorithm);
ReduceOfWire reduce_by(Algorithm algorithm);
ReduceScatterOfWire reduce_scatter_by(Algorithm algorithm);
AllgatherOfWire allgather_by(Algorithm algorithm);
AllreduceOfWire allreduce_by(Algorithm algorithm);
AlltoallOfWire alltoall_by(Algorithm algorithm);

}  // namespace polder::coll
