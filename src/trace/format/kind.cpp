#include "trace/format/kind.hpp"

namespace polder::trace {

namespace {

constexpr KindName kSharedKinds[] = {
    {EventKind::put, EventKind::put, "put", "rma"},
    {EventKind::get, EventKind::get, "get", "rma"},
    {EventKind::put_notify, EventKind::put_notify, "put_notify", "rma"},
    {EventKind::notify, EventKind::notify, "notify", "rma"},
    {EventKind::atomic, EventKind::atomic, "atomic", "rma"},
    {EventKind::accumulate, EventKind::accumulate, "accumulate", "rma"},
    {EventKind::wait_some, EventKind::wait_some, "wait_some", "sync"},
    {EventKind::reset, EventKind::reset, "reset", "sync"},
    {EventKind::queue_wait, EventKind::queue_wait, "queue_wait", "sync"},
    {EventKind::fence, EventKind::fence, "fence", "sync"},
    {EventKind::lock, EventKind::lock, "lock", "sync"},
    {EventKind::unlock, EventKind::unlock, "unlock", "sync"},
    {EventKind::message, EventKind::message, "message", "message"},
    {EventKind::receive, EventKind::receive, "receive", "message"},
    {EventKind::barrier, EventKind::barrier, "barrier", "coll"},
    {EventKind::broadcast, EventKind::broadcast, "broadcast", "coll"},
    {EventKind::reduce, EventKind::reduce, "reduce", "coll"},
    {EventKind::allreduce, EventKind::allreduce, "allreduce", "coll"},
    {EventKind::reduce_scatter, EventKind::reduce_scatter, "reduce_scatter", "coll"},
    {EventKind::gather, EventKind::gather, "gather", "coll"},
    {EventKind::allgather, EventKind::allgather, "allgather", "coll"},
    {EventKind::scatter, EventKind::scatter, "scatter", "coll"},
    {EventKind::alltoall, EventKind::alltoall, "alltoall", "coll"},
    {EventKind::scan, EventKind::scan, "scan", "coll"},
    {EventKind::exscan, EventKind::exscan, "exscan", "coll"},
    {EventKind::neighbours, EventKind::neighbours, "neighbours", "coll"},
    {EventKind::segment_create, EventKind::segment_create, "segment_create", "setup"},
    {EventKind::segment_delete, EventKind::segment_delete, "segment_delete", "setup"},
    {EventKind::group_create, EventKind::group_create, "group_create", "setup"},
    {EventKind::connect, EventKind::connect, "connect", "setup"},
    {EventKind::disconnect, EventKind::disconnect, "disconnect", "setup"},
    {EventKind::other_call, EventKind::other_call, "other_call", "call"},
    {EventKind::handler, EventKind::handler, "handler", "message"},
    {EventKind::progress, EventKind::progress, "progress", "message"},
    {EventKind::segment_import, EventKind::segment_import, "segment_import", "setup"},
    {EventKind::runtime, EventKind::runtime, "runtime", "setup"},
    {EventKind::shutdown, EventKind::shutdown, "shutdown", "setup"},
    {EventKind::peer_failed, EventKind::peer_failed, "peer_failed", "fault"},
    {EventKind::peer_doubted, EventKind::peer_doubted, "peer_doubted", "fault"},
    {EventKind::region, EventKind::region, "region", "user"},
    {EventKind::user_mark, EventKind::user_mark, "user_mark", "user"},
    {EventKind::user_counter, EventKind::user_counter, "user_counter", "user"},
    {EventKind::recording_off, EventKind::recording_off, "recording_off", "trace"},
    {EventKind::hardware, EventKind::hardware, "hardware", "trace"},
    {EventKind::room, EventKind::room, "room", "sync"},
};

}  // namespace

std::span<const KindName> shared_kinds() {
  return kSharedKinds;
}

}  // namespace polder::trace
