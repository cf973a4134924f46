// How members find out whether they agree about who is whose neighbour, and by which slots letters go between them.
#pragma once

#include <polder/neighbours.hpp>
#include <polder/status.hpp>
#include <polder/timeout.hpp>

namespace polder::coll {

// Collective, as Neighbours::commit().
Status commit_neighbours(Neighbours::State& state, Timeout timeout);

}  // namespace polder::coll
