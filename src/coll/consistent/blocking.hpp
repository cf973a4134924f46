// Collectives that are waited for, in one call or in several that each time out.
#pragma once

#include "coll/consistent/call.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <functional>

namespace polder::coll {

// The one that is under way since a call that timed out, or a new one, in the memory of the last. `fill` writes what a new one sends, and
// is not called where none begins because another one is in its way.
Status run_blocking(Group& group, const Arguments& arguments, Timeout timeout,
                    const std::function<void()>& fill = nullptr);

}  // namespace polder::coll
