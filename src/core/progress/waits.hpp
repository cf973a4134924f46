// The narrow port of Progress: for parts that wait, and that end waits of others. It shows none of what Progress is made
// of, so that most of core is not compiled again when that changes.
//
// Costs: a wait that is over at once takes some indirect calls, 5 ns. Who cannot spare them (a barrier) uses
// progress.hpp, whose waits are templates.
#pragma once

#include "util/clock.hpp"
#include "util/function_ref.hpp"

#include <polder/status.hpp>
#include <polder/timeout.hpp>

#include <cstdint>
#include <string_view>

namespace polder::util {
struct Bell;
}
namespace polder::bootstrap {
struct LongWait;
}

namespace polder::core {

class Outstanding;
class Progress;

using Ready = util::FunctionRef<bool()>;
using Trouble = util::FunctionRef<Status()>;
using Describe = util::FunctionRef<void(bootstrap::LongWait&)>;

// Waits until `ready()` holds, making progress meanwhile where nobody else does. `trouble()`, asked before each sleep, may
// end the wait early. `describe` says what is waited for, should it take long. `ready` becomes true by an operation that
// ends, or by whoever rings the completions.
Status wait_for(Progress& progress, Ready ready, Trouble trouble, Timeout timeout, Describe describe);
// The same, until the runtime is closed.
Status wait_for(Progress& progress, Ready ready, Timeout timeout, Describe describe);
// The same as the first for what rings another bell than that of completions.
Status wait_for(Progress& progress, Ready ready, Trouble trouble, util::Bell& bell, Timeout timeout, Describe describe);

// Whose operations are waited for, as it is told to those who look from outside: {"queue", 3}, {"a fence"}.
struct DrainOwner {
  std::string_view what;
  std::int64_t number = -1;  // none
};
// Waits for what counts in `which`. A device completes everything in the end, with an error where a peer is gone, so
// only a closed runtime ends this wait early. Where nothing is under way it costs two loads.
Status drain(Progress& progress, Outstanding& which, Timeout timeout, const DrainOwner& owner);

// Wakes threads of this process that wait for the end of operations.
void ring_completions(Progress& progress);
// Likewise those that wait for an answer of a peer, once it has been stored.
void ring_answers(Progress& progress);

// Wakes whoever sleeps by the network, to do what was left for it.
void wake_helper(Progress& progress);

// By which deadlines are kept.
util::Clock clock_of(const Progress& progress);

}  // namespace polder::core
