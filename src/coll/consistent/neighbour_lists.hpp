// The blocks of an exchange with neighbours, from the order of its edges to one entry for each member, as an alltoall has
// them.
#pragma once

#include "coll/consistent/call.hpp"

#include <polder/collective.hpp>
#include <polder/neighbours.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace polder {

struct Neighbours::State {
  // One end of the edges of this member.
  struct Side {
    std::vector<Rank> members;         // as the user named them
    std::vector<std::uint32_t> order;  // of those that exist: by member, then by the order of the letters between both
    std::vector<std::uint32_t> each;   // how often each member of the group occurs
  };

  Group* group = nullptr;
  Side sources, destinations;
  // What commit() exchanges: how often this member sends to each, and hears from it.
  std::vector<std::uint32_t> told, heard;
  std::optional<Collective> comparing;
  std::optional<Status> compared;
  // Whether neighbours have slots for each other: this member's, and, once all are known, everybody's.
  std::uint64_t own_direct = 0, least_direct = 0;
  std::optional<Collective> voting;
  bool direct = false;
  std::optional<Status> committed;
};

namespace coll {

// Owns what the Arguments of a call point to.
struct NeighbourLists {
  std::vector<Part> sent, received;
  std::vector<StridedPart> sent_pieces, received_pieces;
  Arguments arguments;
};

// One block for each edge, in the user's order; those of kNobody do not count. invalid_argument: the neighbours have not
// been committed, or there are more or fewer blocks than edges, or blocks that overlap themselves; invalid_size.
Result<std::unique_ptr<NeighbourLists>> neighbour_lists(const Neighbours& neighbours, const void* send,
                                                        std::span<const StridedPart> sent, void* receive,
                                                        std::span<const StridedPart> received);

// The blocks of each kind of exchange.
std::vector<StridedPart> in_a_row(std::size_t blocks, std::size_t bytes);
std::vector<StridedPart> all_the_same(std::size_t blocks, std::size_t bytes);
std::vector<StridedPart> as_blocks(std::span<const Part> parts);

}  // namespace coll
}  // namespace polder
