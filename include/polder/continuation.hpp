// Being told instead of asking: work that goes on when something is done.
//
//   polder::Handle handle;
//   rt.put(data, there, bytes, handle);
//   polder::then(rt, handle, [&](const Status& status) { ready.push(next); });          // the put is complete
//   polder::when_set(rt, 0, 7, 1, [&](Result<NotificationId> flag) { ... });            // flag 7 of segment 0 is up
//   polder::when_fenced(rt, 3, [&](const Status& status) { ... });                      // all at rank 3 is visible
//
// A continuation runs exactly once, and never inside the call that leaves it: with success; with the error that the
// corresponding wait would have returned (peer_failed, invalid_segment, ...); or with `closed` when the runtime ends,
// before its destructor returns.
//
// It runs in a thread that makes progress: the helper, or a thread of this rank that waits for something. No lock is
// held. It must not wait itself, and should be short; it may post with Timeout::test(), send, and leave further
// continuations. Objects that it refers to must live until it has run. An exception must not leave it.
//
// Cost: one allocation each, and a look at each open one whenever somebody makes progress. Flags that are raised by
// plain stores (on one machine) are noticed by a thread of their own, which sleeps on the bell of their segment: at
// once where all flags that are watched lie in one segment, else within a millisecond. With Helper::none there are no
// such threads: continuations run inside calls that wait and in Runtime::progress().
//
// All functions are thread safe and may be called from continuations and handlers. They fail, and then nothing is left
// behind: closed, or an argument that the corresponding wait would refuse; a continuation that is empty is
// invalid_argument.
#pragma once

#include <polder/export.hpp>
#include <polder/handle.hpp>
#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <functional>

namespace polder {

using Continuation = std::function<void(const Status&)>;
using FlagContinuation = std::function<void(const Result<NotificationId>&)>;

// When all that was posted with `handle` so far is complete remotely, as Handle::wait(Completion::remote) would say; a
// failure that is told here is told nowhere else. Operations that an aggregate handle keeps back are posted. The handle may die or
// be used again meanwhile; what is posted with it before the continuation runs may count as well.
POLDER_API Status then(Runtime& runtime, Handle& handle, Continuation continuation);

// When one of the flags first .. first+count-1 of this rank's `segment` is up, as Runtime::wait_some() would say. The
// flag is not reset: reset() it there, for others may watch it, too.
POLDER_API Status when_set(Runtime& runtime, SegmentId segment, NotificationId first, NotificationId count,
                           FlagContinuation continuation);

// When all that this rank posted so far is visible, at `rank` or everywhere, as Runtime::fence() and fence_all() would
// say.
POLDER_API Status when_fenced(Runtime& runtime, Rank rank, Continuation continuation);
POLDER_API Status when_all_fenced(Runtime& runtime, Continuation continuation);

}  // namespace polder
