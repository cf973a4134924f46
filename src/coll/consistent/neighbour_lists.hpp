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

namespace coll {

// What a member says of its edges to and from another one, when they are compared.
struct EdgeWord {
  static constexpr Slot kNoSlot = ~Slot{0};
  std::uint32_t sends = 0, hears = 0;  // how often it names the other one
  Slot slot = kNoSlot;                 // in which it reads what the other one sends
  Slot credits = kNoSlot;              // in which it is given cells back of what it sends
  // Of edges that have slots of earlier neighbours: it uses them no more, and nothing is under way at its end.
  bool reads_no_more = false, writes_no_more = false;
  std::uint16_t unused[3] = {};
};
static_assert(sizeof(EdgeWord) == 24);

}  // namespace coll

struct Neighbours::State {
  // One end of the edges of this member.
  struct Side {
    std::vector<Rank> members;         // as the user named them
    std::vector<std::uint32_t> order;  // of those that exist: by member, then by the order of the letters between both
    std::vector<std::uint32_t> each;   // how often each member of the group occurs
  };

  Group* group = nullptr;
  Side sources, destinations;
  // What commit() exchanges (coll/consistent/neighbour_commit.cpp).
  std::vector<coll::EdgeWord> told, heard;
  std::optional<Collective> comparing;
  bool has_compared = false, is_second_attempt = false;
  Status compared;
  std::size_t lacking[2] = {};  // edges for which this member has no slot, in each role
  std::uint64_t own_vote = 0, least_vote = 0;
  std::optional<Collective> voting;
  std::shared_ptr<coll::NeighbourEdges> edges;  // once committed: null if some edge of some member has no slot
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
