// Calls as they stand in traces: those that communicate, wait or change something.
#pragma once

#include <polder/trace_door.hpp>

#include <cstdint>

namespace polder::dart {

enum class DartCall : std::uint8_t {
  init,
  init_thread,
  exit,
  team_create,
  team_clone,
  team_destroy,
  team_memalloc_aligned,
  team_memfree,
  team_memregister_aligned,
  team_memregister,
  team_memderegister,
  allocator_new,
  allocator_destroy,
  get,
  put,
  get_blocking,
  put_blocking,
  get_handle,
  put_handle,
  flush,
  flush_all,
  flush_local,
  flush_local_all,
  wait,
  wait_local,
  waitall,
  waitall_local,
  test,
  test_local,
  testall,
  testall_local,
  accumulate,
  accumulate_blocking_local,
  fetch_and_op,
  compare_and_swap,
  barrier,
  bcast,
  scatter,
  gather,
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  reduce,
  send,
  recv,
  sendrecv,
  team_lock_init,
  team_lock_destroy,
  lock_acquire,
  lock_try_acquire,
  lock_release,
  team_locality_init,
  team_locality_finalize,
};

// Tells traces the names of all calls. Before the runtime is made.
void name_dart_calls_in_traces();

class TracedDartCall : public trace::DoorCall {
 public:
  explicit TracedDartCall(DartCall call) : DoorCall(trace::door_kind(2, unsigned(call)), {}) {}
};

}  // namespace polder::dart
