// Collectives that are waited for, in one call or in several that each time out.
#pragma once

#include "coll/consistent/call.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

namespace polder::coll {

// The one that is under way since a call that timed out, or a new one, in the memory of the last.
Status run_blocking(Group& group, const Arguments& arguments, Timeout timeout);

// Whether run_blocking() of these would go on with the one under way. One thread at a time.
bool goes_on(Group& group, const Arguments& arguments);

}  // namespace polder::coll
