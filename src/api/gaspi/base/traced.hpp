// Calls as they stand in traces: those that communicate, wait or change something. What only asks for a number is left
// out, as other tools leave it out.
#pragma once

#include "api/gaspi/base/symbols.hpp"

#include <polder/trace_door.hpp>

#include <cstdint>
#include <numeric>

namespace polder::gaspi {

enum class GaspiCall : std::uint8_t {
  allreduce,
  allreduce_user,
  atomic_fetch_add,
  atomic_compare_swap,
  barrier,
  group_create,
  group_add,
  group_commit,
  group_delete,
  write_list,
  write_list_notify,
  read_list,
  read_list_notify,
  operation_submit,
  operation_list_submit,
  request_wait,
  notify,
  notify_waitsome,
  notify_reset,
  passive_send,
  passive_receive,
  passive_queue_purge,
  proc_kill,
  proc_ping,
  connect,
  disconnect,
  state_vec_get,
  proc_term,
  wait,
  queue_create,
  queue_delete,
  queue_purge,
  segment_alloc,
  segment_bind,
  segment_register,
  segment_create,
  segment_use,
  segment_delete,
  threads_sync_all,
  write,
  read,
  write_notify,
  read_notify,
  bcast,
  reduce,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  threads_run,
  threads_sync,
  threads_term,
  set_socket_affinity,
};

// Tells traces the names of all calls. Before the runtime is made.
void name_calls_in_traces();

class TracedGaspiCall : public trace::DoorCall {
 public:
  TracedGaspiCall(GaspiCall call, const trace::DoorDetails& details)
      : DoorCall(trace::door_kind(0, unsigned(call)), details) {}
};

// Bytes of a list.
inline std::uint64_t sum_of(const gaspi_size_t* sizes, gaspi_number_t count) {
  return sizes == nullptr ? 0 : std::accumulate(sizes, sizes + count, std::uint64_t{0});
}

}  // namespace polder::gaspi
