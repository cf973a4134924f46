// Exchange between neighbours: each member of a group names those that it hears from and those that it tells, and from
// then on only these exchange anything. MPI's neighbourhood collectives, over any graph and over grids.
//
//   auto grid = *Neighbours::grid(rt.world(), std::array{GridDimension{4, true}, GridDimension{3}});
//   Status status = grid.commit(1s);
//   status = neighbour_alltoall(grid, bytes, faces, halo, 1s);     // a face to each side, and theirs
//
// Of a grid the neighbours are, dimension by dimension, the one before this member and the one behind it. What leaves
// towards one side arrives as what comes from the other, also where both sides are the same member. Of a graph a member
// may be named several times: blocks between two members arrive in the order in which both name each other.
//
// A place of kNobody, as where a grid ends, has a block in the buffers like any other, which is neither read nor written.
//
// Forms, buffers and errors: as in collective.hpp, where the requests are; they count as collectives of the group, which
// all its members begin in the same order. Beyond those: invalid_size, at the member that hears (and here only, the
// group can only be destroyed): a neighbour sends another number of bytes than it expects, both of which are named. A
// death ends it at those only that exchange something with the dead, once all else has come: peer_failed, and the
// neighbours of all others go on, as does the group for exchanges of neighbours. A neighbour of a member that lives and has given the
// group up, because another collective failed there, gets peer_failed likewise. Not where blocks go through others
// (`routed`), so that a death ends it at all: in groups of more than 32 members, if some member has more than 64 edges, in
// or out, besides those that need none of its 64 slots. Those are the ones to members up to 31 behind it, or a power of two
// behind or in front of it, and those as far as half the group, a quarter and so on. Neighbours of one group share these
// slots, an edge that several have takes one of them, and they are given back with the last request that was made of the
// neighbours. Where a neighbour is on the same machine a block of 32 kB and more may be read where it lies, in a segment or in private
// memory, instead of being copied on: then a call lasts until that neighbour has come. Cost: coll/algorithms/spread_neighbours.cpp.
#pragma once

#include <polder/collective.hpp>
#include <polder/export.hpp>
#include <polder/group.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace polder {

// In the place of a neighbour that does not exist.
inline constexpr Rank kNobody = ~Rank{0};

struct GridDimension {
  std::size_t extent = 1;  // members in this direction
  bool periodic = false;   // the first and the last one are neighbours
};

// One thread at a time. It must not outlive its group. Memory: 8 bytes for each member of the group, and 12 for each
// neighbour.
class POLDER_API Neighbours {
 public:
  // Local. Members by their index in the group, or kNobody; this member itself, too. invalid_rank: outside the group.
  static Result<Neighbours> graph(Group& group, std::span<const Rank> sources, std::span<const Rank> destinations);
  // Local. Member i lies at the place of i written with the extents as digits, the last one running fastest.
  // invalid_size: they do not make the number of members.
  static Result<Neighbours> grid(Group& group, std::span<const GridDimension> dimensions);
  ~Neighbours();
  Neighbours(Neighbours&&) noexcept;
  Neighbours& operator=(Neighbours&&) noexcept;

  // Collective: an alltoall of 24 bytes, by which members see that they agree, and of more than 32 an allreduce
  // of 8 bytes, by which they see whether blocks go directly; both twice if slots of neighbours that are gone have to be
  // given back first. invalid_argument: another member names this one more or less often than this one names it, which the
  // text says; both fail, others may not. peer_failed: a member died before all were through; some may be, and their
  // exchanges with those who are not fail with peer_failed (Group::agree() tells whether all are). timeout: call again to
  // go on.
  Status commit(Timeout timeout);
  bool committed() const;

  Group& group() const;
  std::span<const Rank> sources() const;
  std::span<const Rank> destinations() const;

  // For the library's own use.
  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Neighbours(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- blocking; timeout: call again with the same arguments to go on ----

// `bytes` of `send` reach each destination; block i of `receive` comes from source i.
POLDER_API Status neighbour_allgather(const Neighbours& neighbours, std::size_t bytes, const void* send, void* receive,
                                      Timeout timeout);
// Members may send different numbers of bytes: received[i] is as long as what source i sends.
POLDER_API Status neighbour_allgatherv(const Neighbours& neighbours, std::size_t bytes, const void* send, void* receive,
                                       std::span<const Part> received, Timeout timeout);
// Block i of `send` reaches destination i.
POLDER_API Status neighbour_alltoall(const Neighbours& neighbours, std::size_t bytes, const void* send, void* receive,
                                     Timeout timeout);
// Blocks of any sizes, anywhere.
POLDER_API Status neighbour_alltoallv(const Neighbours& neighbours, const void* send, std::span<const Part> sent,
                                      void* receive, std::span<const Part> received, Timeout timeout);
// Blocks of any shape; one copy of all of them more at each end, as where a neighbour is named twice and its
// blocks do not lie one behind the other.
POLDER_API Status neighbour_alltoallw(const Neighbours& neighbours, const void* send, std::span<const StridedPart> sent,
                                      void* receive, std::span<const StridedPart> received, Timeout timeout);

}  // namespace polder
