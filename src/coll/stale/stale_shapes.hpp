// The three shapes of a stale-synchronous allreduce.
#pragma once

#include "coll/stale/stale_part.hpp"
#include "coll/task/task.hpp"

namespace polder::coll {

Task stale_hypercube(StalePart& part);
Task stale_flat(StalePart& part);
Task stale_sharded(StalePart& part);
// The one of the part's shape.
Task stale_call(StalePart& part);

}  // namespace polder::coll
