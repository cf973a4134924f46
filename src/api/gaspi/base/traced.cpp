#include "api/gaspi/base/traced.hpp"

namespace polder::gaspi {
namespace {

using trace::Like;

constexpr trace::DoorCallName name_of(GaspiCall call, Like like, const char* name) {
  return {trace::door_kind(0, unsigned(call)), like, name, "gaspi"};
}

constexpr trace::DoorCallName kNames[] = {
    name_of(GaspiCall::allreduce, Like::allreduce, "gaspi_allreduce"),
    name_of(GaspiCall::allreduce_user, Like::allreduce, "gaspi_allreduce_user"),
    name_of(GaspiCall::atomic_fetch_add, Like::atomic, "gaspi_atomic_fetch_add"),
    name_of(GaspiCall::atomic_compare_swap, Like::atomic, "gaspi_atomic_compare_swap"),
    name_of(GaspiCall::barrier, Like::barrier, "gaspi_barrier"),
    name_of(GaspiCall::group_create, Like::other_call, "gaspi_group_create"),
    name_of(GaspiCall::group_add, Like::other_call, "gaspi_group_add"),
    name_of(GaspiCall::group_commit, Like::group_create, "gaspi_group_commit"),
    name_of(GaspiCall::group_delete, Like::other_call, "gaspi_group_delete"),
    name_of(GaspiCall::write_list, Like::put, "gaspi_write_list"),
    name_of(GaspiCall::write_list_notify, Like::put_notify, "gaspi_write_list_notify"),
    name_of(GaspiCall::read_list, Like::get, "gaspi_read_list"),
    name_of(GaspiCall::read_list_notify, Like::get, "gaspi_read_list_notify"),
    name_of(GaspiCall::operation_submit, Like::put, "gaspi_operation_submit"),
    name_of(GaspiCall::operation_list_submit, Like::put, "gaspi_operation_list_submit"),
    name_of(GaspiCall::request_wait, Like::queue_wait, "gaspi_request_wait"),
    name_of(GaspiCall::notify, Like::notify, "gaspi_notify"),
    name_of(GaspiCall::notify_waitsome, Like::wait_some, "gaspi_notify_waitsome"),
    name_of(GaspiCall::notify_reset, Like::reset, "gaspi_notify_reset"),
    name_of(GaspiCall::passive_send, Like::message, "gaspi_passive_send"),
    name_of(GaspiCall::passive_receive, Like::receive, "gaspi_passive_receive"),
    name_of(GaspiCall::passive_queue_purge, Like::other_call, "gaspi_passive_queue_purge"),
    name_of(GaspiCall::proc_kill, Like::other_call, "gaspi_proc_kill"),
    name_of(GaspiCall::proc_ping, Like::other_call, "gaspi_proc_ping"),
    name_of(GaspiCall::connect, Like::connect, "gaspi_connect"),
    name_of(GaspiCall::disconnect, Like::disconnect, "gaspi_disconnect"),
    name_of(GaspiCall::state_vec_get, Like::other_call, "gaspi_state_vec_get"),
    name_of(GaspiCall::proc_term, Like::other_call, "gaspi_proc_term"),
    name_of(GaspiCall::wait, Like::queue_wait, "gaspi_wait"),
    name_of(GaspiCall::queue_create, Like::other_call, "gaspi_queue_create"),
    name_of(GaspiCall::queue_delete, Like::queue_wait, "gaspi_queue_delete"),
    name_of(GaspiCall::queue_purge, Like::queue_wait, "gaspi_queue_purge"),
    name_of(GaspiCall::segment_alloc, Like::segment_create, "gaspi_segment_alloc"),
    name_of(GaspiCall::segment_bind, Like::segment_create, "gaspi_segment_bind"),
    name_of(GaspiCall::segment_register, Like::other_call, "gaspi_segment_register"),
    name_of(GaspiCall::segment_create, Like::segment_create, "gaspi_segment_create"),
    name_of(GaspiCall::segment_use, Like::segment_create, "gaspi_segment_use"),
    name_of(GaspiCall::segment_delete, Like::segment_delete, "gaspi_segment_delete"),
    name_of(GaspiCall::threads_sync_all, Like::barrier, "gaspi_threads_sync_all"),
    name_of(GaspiCall::write, Like::put, "gaspi_write"),
    name_of(GaspiCall::read, Like::get, "gaspi_read"),
    name_of(GaspiCall::write_notify, Like::put_notify, "gaspi_write_notify"),
    name_of(GaspiCall::read_notify, Like::get, "gaspi_read_notify"),
    name_of(GaspiCall::bcast, Like::broadcast, "gaspi_bcast"),
    name_of(GaspiCall::reduce, Like::reduce, "gaspi_reduce"),
    name_of(GaspiCall::allgather, Like::allgather, "gaspi_allgather"),
    name_of(GaspiCall::allgatherv, Like::allgather, "gaspi_allgatherv"),
    name_of(GaspiCall::alltoall, Like::alltoall, "gaspi_alltoall"),
    name_of(GaspiCall::alltoallv, Like::alltoall, "gaspi_alltoallv"),
    name_of(GaspiCall::threads_run, Like::other_call, "gaspi_threads_run"),
    name_of(GaspiCall::threads_sync, Like::other_call, "gaspi_threads_sync"),
    name_of(GaspiCall::threads_term, Like::other_call, "gaspi_threads_term"),
    name_of(GaspiCall::set_socket_affinity, Like::other_call, "gaspi_set_socket_affinity"),
};

}  // namespace

void name_calls_in_traces() {
  trace::name_door_calls(kNames);
}

}  // namespace polder::gaspi
