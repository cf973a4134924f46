#include "trace/kind.hpp"

namespace polder::trace {

namespace {

constexpr KindName kSharedKinds[] = {
    {Kind::put, "put", "rma"},
    {Kind::get, "get", "rma"},
    {Kind::put_notify, "put_notify", "rma"},
    {Kind::notify, "notify", "rma"},
    {Kind::atomic, "atomic", "rma"},
    {Kind::accumulate, "accumulate", "rma"},
    {Kind::wait_some, "wait_some", "sync"},
    {Kind::reset, "reset", "sync"},
    {Kind::queue_wait, "queue_wait", "sync"},
    {Kind::fence, "fence", "sync"},
    {Kind::progress, "progress", "message"},
    {Kind::message, "message", "message"},
    {Kind::handler, "handler", "message"},
    {Kind::barrier, "barrier", "coll"},
    {Kind::broadcast, "broadcast", "coll"},
    {Kind::reduce, "reduce", "coll"},
    {Kind::allreduce, "allreduce", "coll"},
    {Kind::gather, "gather", "coll"},
    {Kind::allgather, "allgather", "coll"},
    {Kind::scatter, "scatter", "coll"},
    {Kind::alltoall, "alltoall", "coll"},
    {Kind::segment_create, "segment_create", "setup"},
    {Kind::segment_delete, "segment_delete", "setup"},
    {Kind::segment_import, "segment_import", "setup"},
    {Kind::connect, "connect", "setup"},
    {Kind::disconnect, "disconnect", "setup"},
    {Kind::group_create, "group_create", "setup"},
    {Kind::runtime, "runtime", "setup"},
    {Kind::shutdown, "shutdown", "setup"},
    {Kind::peer_failed, "peer_failed", "fault"},
};

}  // namespace

std::span<const KindName> shared_kinds() {
  return kSharedKinds;
}

}  // namespace polder::trace
