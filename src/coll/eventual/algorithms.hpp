// The three eventual algorithms.
#pragma once

#include "coll/eventual/eventual_part.hpp"
#include "coll/task/task.hpp"

namespace polder::coll {

Task eventual_broadcast(EventualPart& part);
Task eventual_reduce(EventualPart& part);
Task eventual_allreduce(EventualPart& part);
// The one of the part's wish.
Task eventual_operation(EventualPart& part);

}  // namespace polder::coll
