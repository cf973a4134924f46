// Who began it: a rank that was waited for may only have been late because it had waited itself, for one that had waited
// for another. (Böhme et al. 2010, "Identifying the root causes of wait states in large-scale parallel applications".)
#pragma once

#include "trace/analyse/findings.hpp"

#include <vector>

namespace polder::trace {

// Sorts the waits by their ends and gives each its root: the rank that was late of itself.
//
// Waiter and late rank were last at the same point when either had waited for somebody. What the late one has taken
// since then is its own work and its own waits; as far as it worked longer than the waiter it was late of itself, and
// for the rest those were whom it waited for, or whoever had begun that. Of these the one with most of the time is
// named. Cost: a look at the waits in between, a thousand at most.
void name_roots(std::vector<RankWait>& waits);

}  // namespace polder::trace
