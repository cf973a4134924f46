// What a collective costs by the model: the algorithm that the table chooses, or another one, run by FlowModel.
#pragma once

#include "coll/model/flow.hpp"
#include "coll/model/neighbour_graph.hpp"
#include "coll/table/table.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace polder::coll {

// A collective of members that share no memory, or are not known to; parts and blocks of one size, functions that commute.
struct ModelCall {
  Kind kind = Kind::none;
  Rank members = 1;
  std::size_t bytes = 0;  // of a member's vector; of all parts; of a block of an alltoall
  Rank root = 0;
  const NeighbourGraph* graph = nullptr;  // of neighbours, of as many members; null: a ring
};

// Elements of vectors, as far as the model knows them.
constexpr std::size_t kModelElement = 8;

Choice choice_of(const ModelCall& call);

// By `algorithm`, one that runs over a Wire, in virtual time. Contents are left out. invalid_argument: it cannot serve
// such a call.
Result<FlowOutcome> predict(const ModelCall& call, Algorithm algorithm, FlowOptions options);

}  // namespace polder::coll
