#include "trace/format/kind.hpp"

namespace polder::trace {

namespace {

constexpr KindName kSharedKinds[] = {
    {Kind::put, Kind::put, "put", "rma"},
    {Kind::get, Kind::get, "get", "rma"},
    {Kind::put_notify, Kind::put_notify, "put_notify", "rma"},
    {Kind::notify, Kind::notify, "notify", "rma"},
    {Kind::atomic, Kind::atomic, "atomic", "rma"},
    {Kind::accumulate, Kind::accumulate, "accumulate", "rma"},
    {Kind::wait_some, Kind::wait_some, "wait_some", "sync"},
    {Kind::reset, Kind::reset, "reset", "sync"},
    {Kind::queue_wait, Kind::queue_wait, "queue_wait", "sync"},
    {Kind::fence, Kind::fence, "fence", "sync"},
    {Kind::lock, Kind::lock, "lock", "sync"},
    {Kind::unlock, Kind::unlock, "unlock", "sync"},
    {Kind::message, Kind::message, "message", "message"},
    {Kind::receive, Kind::receive, "receive", "message"},
    {Kind::barrier, Kind::barrier, "barrier", "coll"},
    {Kind::broadcast, Kind::broadcast, "broadcast", "coll"},
    {Kind::reduce, Kind::reduce, "reduce", "coll"},
    {Kind::allreduce, Kind::allreduce, "allreduce", "coll"},
    {Kind::reduce_scatter, Kind::reduce_scatter, "reduce_scatter", "coll"},
    {Kind::gather, Kind::gather, "gather", "coll"},
    {Kind::allgather, Kind::allgather, "allgather", "coll"},
    {Kind::scatter, Kind::scatter, "scatter", "coll"},
    {Kind::alltoall, Kind::alltoall, "alltoall", "coll"},
    {Kind::scan, Kind::scan, "scan", "coll"},
    {Kind::exscan, Kind::exscan, "exscan", "coll"},
    {Kind::segment_create, Kind::segment_create, "segment_create", "setup"},
    {Kind::segment_delete, Kind::segment_delete, "segment_delete", "setup"},
    {Kind::group_create, Kind::group_create, "group_create", "setup"},
    {Kind::connect, Kind::connect, "connect", "setup"},
    {Kind::disconnect, Kind::disconnect, "disconnect", "setup"},
    {Kind::other_call, Kind::other_call, "other_call", "call"},
    {Kind::handler, Kind::handler, "handler", "message"},
    {Kind::progress, Kind::progress, "progress", "message"},
    {Kind::segment_import, Kind::segment_import, "segment_import", "setup"},
    {Kind::runtime, Kind::runtime, "runtime", "setup"},
    {Kind::shutdown, Kind::shutdown, "shutdown", "setup"},
    {Kind::peer_failed, Kind::peer_failed, "peer_failed", "fault"},
    {Kind::peer_doubted, Kind::peer_doubted, "peer_doubted", "fault"},
    {Kind::region, Kind::region, "region", "user"},
    {Kind::user_mark, Kind::user_mark, "user_mark", "user"},
    {Kind::user_counter, Kind::user_counter, "user_counter", "user"},
    {Kind::recording_off, Kind::recording_off, "recording_off", "trace"},
    {Kind::hardware, Kind::hardware, "hardware", "trace"},
    {Kind::room, Kind::room, "room", "sync"},
};

}  // namespace

std::span<const KindName> shared_kinds() {
  return kSharedKinds;
}

}  // namespace polder::trace
