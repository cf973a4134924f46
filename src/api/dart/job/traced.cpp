#include "api/dart/job/traced.hpp"

namespace polder::dart {
namespace {

using trace::Like;

constexpr trace::DoorCallName name_of(DartCall call, Like like, const char* name) {
  return {trace::door_kind(2, unsigned(call)), like, name, "dart"};
}

constexpr trace::DoorCallName kNames[] = {
    name_of(DartCall::init, Like::connect, "dart_init"),
    name_of(DartCall::init_thread, Like::connect, "dart_init_thread"),
    name_of(DartCall::exit, Like::disconnect, "dart_exit"),
    name_of(DartCall::team_create, Like::group_create, "dart_team_create"),
    name_of(DartCall::team_clone, Like::group_create, "dart_team_clone"),
    name_of(DartCall::team_destroy, Like::other_call, "dart_team_destroy"),
    name_of(DartCall::team_memalloc_aligned, Like::segment_create, "dart_team_memalloc_aligned"),
    name_of(DartCall::team_memfree, Like::segment_delete, "dart_team_memfree"),
    name_of(DartCall::team_memregister_aligned, Like::segment_create, "dart_team_memregister_aligned"),
    name_of(DartCall::team_memregister, Like::segment_create, "dart_team_memregister"),
    name_of(DartCall::team_memderegister, Like::segment_delete, "dart_team_memderegister"),
    name_of(DartCall::allocator_new, Like::segment_create, "dart_allocator_new"),
    name_of(DartCall::allocator_destroy, Like::segment_delete, "dart_allocator_destroy"),
    name_of(DartCall::get, Like::get, "dart_get"),
    name_of(DartCall::put, Like::put, "dart_put"),
    name_of(DartCall::get_blocking, Like::get, "dart_get_blocking"),
    name_of(DartCall::put_blocking, Like::put, "dart_put_blocking"),
    name_of(DartCall::get_handle, Like::get, "dart_get_handle"),
    name_of(DartCall::put_handle, Like::put, "dart_put_handle"),
    name_of(DartCall::flush, Like::fence, "dart_flush"),
    name_of(DartCall::flush_all, Like::fence, "dart_flush_all"),
    name_of(DartCall::flush_local, Like::queue_wait, "dart_flush_local"),
    name_of(DartCall::flush_local_all, Like::queue_wait, "dart_flush_local_all"),
    name_of(DartCall::wait, Like::queue_wait, "dart_wait"),
    name_of(DartCall::wait_local, Like::queue_wait, "dart_wait_local"),
    name_of(DartCall::waitall, Like::queue_wait, "dart_waitall"),
    name_of(DartCall::waitall_local, Like::queue_wait, "dart_waitall_local"),
    name_of(DartCall::test, Like::queue_wait, "dart_test"),
    name_of(DartCall::test_local, Like::queue_wait, "dart_test_local"),
    name_of(DartCall::testall, Like::queue_wait, "dart_testall"),
    name_of(DartCall::testall_local, Like::queue_wait, "dart_testall_local"),
    name_of(DartCall::accumulate, Like::accumulate, "dart_accumulate"),
    name_of(DartCall::accumulate_blocking_local, Like::accumulate, "dart_accumulate_blocking_local"),
    name_of(DartCall::fetch_and_op, Like::atomic, "dart_fetch_and_op"),
    name_of(DartCall::compare_and_swap, Like::atomic, "dart_compare_and_swap"),
    name_of(DartCall::barrier, Like::barrier, "dart_barrier"),
    name_of(DartCall::bcast, Like::broadcast, "dart_bcast"),
    name_of(DartCall::scatter, Like::other_call, "dart_scatter"),
    name_of(DartCall::gather, Like::other_call, "dart_gather"),
    name_of(DartCall::allgather, Like::other_call, "dart_allgather"),
    name_of(DartCall::allgatherv, Like::other_call, "dart_allgatherv"),
    name_of(DartCall::allreduce, Like::allreduce, "dart_allreduce"),
    name_of(DartCall::alltoall, Like::other_call, "dart_alltoall"),
    name_of(DartCall::reduce, Like::reduce, "dart_reduce"),
    name_of(DartCall::send, Like::message, "dart_send"),
    name_of(DartCall::recv, Like::receive, "dart_recv"),
    name_of(DartCall::sendrecv, Like::message, "dart_sendrecv"),
    name_of(DartCall::team_lock_init, Like::other_call, "dart_team_lock_init"),
    name_of(DartCall::team_lock_destroy, Like::other_call, "dart_team_lock_destroy"),
    name_of(DartCall::lock_acquire, Like::lock, "dart_lock_acquire"),
    name_of(DartCall::lock_try_acquire, Like::lock, "dart_lock_try_acquire"),
    name_of(DartCall::lock_release, Like::unlock, "dart_lock_release"),
    name_of(DartCall::team_locality_init, Like::other_call, "dart_team_locality_init"),
    name_of(DartCall::team_locality_finalize, Like::other_call, "dart_team_locality_finalize"),
};

}  // namespace

void name_dart_calls_in_traces() {
  trace::name_door_calls(kNames);
}

}  // namespace polder::dart
