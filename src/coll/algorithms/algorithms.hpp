// The algorithms that run over a Wire: one file each, with its paper, rounds, bytes and LogGP time. N members, S bytes
// of a vector; L latency, o overhead of a letter at each end, g the gap between two letters, G time of a byte, y of
// combining one. docs/design/algorithms.md has them in one table.
//
// Counts are elements, of wire.elements.size bytes each. After all but the rooted ones every member has the same bits.
#pragma once

#include "coll/port/parts.hpp"
#include "coll/port/slotted_edge.hpp"
#include "coll/port/wire.hpp"

#include <polder/types.hpp>

#include <cstddef>
#include <span>

namespace polder::coll {

// ---- barrier ----
Task dissemination_barrier(Wire& wire);

// ---- broadcast: `data` of the root reaches all ----
using BroadcastOfWire = Task (*)(Wire& wire, Rank root, std::byte* data, std::size_t bytes);
Task binomial_broadcast(Wire& wire, Rank root, void* data, std::size_t bytes);
// Bytes of a piece of a chain, for this and the scans.
std::size_t piece_of_chain(Rank members, std::size_t bytes);
Task chain_broadcast(Wire& wire, Rank root, void* data, std::size_t bytes);
Task scatter_allgather_broadcast(Wire& wire, Rank root, std::byte* data, std::size_t bytes);
// REQUIRES: size <= Slots::kNear + 1.
Task spread_broadcast(Wire& wire, Rank root, std::byte* data, std::size_t bytes);

// ---- reduce: from `send` to `receive` of the root, which may be the same ----
using ReduceOfWire = Task (*)(Wire& wire, Rank root, const std::byte* send, std::byte* receive, std::size_t count);
// `sums` is `receive` at the root, and elsewhere room for a vector: who passes on what others sent combines it there.
// In the order of members beginning with the root; in ascending order if the root is 0.
Task binomial_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* sums, std::size_t count);
// In ascending order whatever the root.
Task ordered_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* sums, std::size_t count);
// Commuting functions only.
Task scatter_gather_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* receive, std::size_t count);
// In ascending order. REQUIRES: size <= Slots::kNear + 1.
Task whole_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* receive, std::size_t count);
Task slices_reduce(Wire& wire, Rank root, const std::byte* send, std::byte* receive, std::size_t count);

// ---- allreduce: from `send` to `receive`, which may be the same ----
using AllreduceOfWire = Task (*)(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
// In ascending order.
Task whole_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
Task doubling_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
Task slices_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
Task reduce_broadcast_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
// Commuting functions only.
Task circulant_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
Task ring_allreduce(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);

// ---- reduce_scatter: part c of the vectors of all, reduced, ends at member c in `part` ----
// Who has no part waits for nobody, and nobody for what would be empty.
using ReduceScatterOfWire = Task (*)(Wire& wire, Parts parts, const std::byte* data, std::byte* part);
// Commuting functions only.
Task circulant_reduce_scatter(Wire& wire, Parts parts, const std::byte* data, std::byte* part);
// In its place in `sums`, which may be `send` and has room for all parts.
Task ring_reduce_scatter(Wire& wire, Parts parts, const std::byte* send, std::byte* sums);
// In ascending order. `part` may be where it lies in `data`, which may change with it. REQUIRES: size <= Slots::kNear + 1.
Task slices_reduce_scatter(Wire& wire, Parts parts, const std::byte* data, std::byte* part);

// ---- allgather: `all` holds this member's part in its place, and the parts of all afterwards ----
using AllgatherOfWire = Task (*)(Wire& wire, Parts parts, std::byte* all);
Task bruck_allgather(Wire& wire, Parts parts, std::byte* all);
Task ring_allgather(Wire& wire, Parts parts, std::byte* all);
// REQUIRES: size <= Slots::kNear + 1, as for whole_allreduce and all in slices.
Task spread_allgather(Wire& wire, Parts parts, std::byte* all);

// ---- gather, scatter: part c of `all` at the root comes from, or goes to, `mine` of member c ----
Task binomial_gather(Wire& wire, Rank root, Parts parts, const std::byte* mine, std::byte* all);
Task binomial_scatter(Wire& wire, Rank root, Parts parts, const std::byte* all, std::byte* mine);
// REQUIRES: size <= Slots::kNear + 1.
Task spread_gather(Wire& wire, Rank root, Parts parts, const std::byte* mine, std::byte* all);
Task spread_scatter(Wire& wire, Rank root, Parts parts, const std::byte* all, std::byte* mine);

// ---- alltoall: block c of `send` reaches member c, block c of `receive` comes from member c ----
struct Block {
  std::size_t begin = 0;  // bytes
  std::size_t bytes = 0;
  bool awaited = true;  // false: not from or for a neighbour, so there is no letter for it
};
// Buffers that do not lie in one piece: then blocks begin in these, and the pointer to the buffer is not used.
struct Scattered {
  const Pieces *send = nullptr, *receive = nullptr;

  Out letter(Rank to, Slot slot, const std::byte* all, const Block& block) const {
    if (send == nullptr) return {.to = to, .slot = slot, .data = all + block.begin, .bytes = block.bytes};
    return {.to = to, .slot = slot, .bytes = block.bytes, .pieces = send, .begin = block.begin};
  }
  In letter(Rank from, Slot slot, std::byte* all, const Block& block) const {
    if (receive == nullptr) return {.from = from, .slot = slot, .into = all + block.begin, .bytes = block.bytes};
    return {.from = from, .slot = slot, .bytes = block.bytes, .pieces = receive, .begin = block.begin};
  }
};
// The block of this member itself. REQUIRES: it has one size.
void keep_own_block(Wire& wire, const std::byte* send, const Block& out, std::byte* receive, const Block& in,
                    Scattered scattered);
// Of blocks of the same size, which both sides have in these places.
using AlltoallOfWire = Task (*)(Wire& wire, const std::byte* send, const Block* blocks, std::byte* receive,
                                std::size_t bytes);
Task bruck_alltoall(Wire& wire, const std::byte* send, std::byte* receive, std::size_t bytes);
// REQUIRES: wire.slots.near() >= size - 1.
Task spread_alltoall(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                     Scattered scattered = {});
// Any group.
Task routed_alltoall(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in);

// ---- neighbours: an alltoall in which most blocks are of nothing ----
// Letters between those only who have something for each other, over these edges, each of which has a slot.
Task spread_neighbours(Wire& wire, const std::byte* send, const Block* out, std::byte* receive, const Block* in,
                       std::span<const SlottedEdge> leaving, std::span<const SlottedEdge> coming,
                       Scattered scattered = {});

// ---- scan: what this member and those before it make, from `send` to `receive`, which may be the same ----
Task doubling_scan(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
// Without its own; `receive` of member 0 is left alone.
Task doubling_exscan(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
// For long vectors of few members.
Task chain_scan(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);
// As doubling_exscan.
Task chain_exscan(Wire& wire, const std::byte* send, std::byte* receive, std::size_t count);

}  // namespace polder::coll
