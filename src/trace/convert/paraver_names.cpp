#include "trace/convert/paraver_names.hpp"

#include <algorithm>

namespace polder::trace::paraver {

namespace {

constexpr Routine kRoutines[] = {
    {"gaspi_proc_init", 1, none, none, 15},
    {"gaspi_proc_term", 2, none, none, 15},
    {"gaspi_connect", 3, none, none, 5},
    {"gaspi_disconnect", 4, none, none, 5},
    {"gaspi_group_create", 5, none, none, 15},
    {"gaspi_group_add", 6, none, none, 15},
    {"gaspi_group_commit", 7, none, none, 15},
    {"gaspi_group_delete", 8, none, none, 15},
    {"gaspi_segment_alloc", 9, size, none, 30},
    {"gaspi_segment_register", 10, rank, none, 30},
    {"gaspi_segment_create", 11, size, none, 30},
    {"gaspi_segment_bind", 12, size, none, 30},
    {"gaspi_segment_use", 13, size, none, 30},
    {"gaspi_segment_delete", 14, none, none, 30},
    {"gaspi_write", 15, rank | size | queue, none, 25},
    {"gaspi_read", 16, rank | size | queue, none, 25},
    {"gaspi_wait", 17, queue, none, 25},
    {"gaspi_notify", 18, rank | notification | queue, none, 25},
    {"gaspi_notify_waitsome", 19, none, notification, 25},
    {"gaspi_notify_reset", 20, none, old_value, 25},
    {"gaspi_write_notify", 21, rank | size | notification | queue, none, 25},
    {"gaspi_write_list", 22, rank | size | queue, none, 25},
    {"gaspi_write_list_notify", 23, rank | size | notification | queue, none, 25},
    {"gaspi_read_notify", 24, rank | size | notification | queue, none, 25},
    {"gaspi_read_list", 25, rank | size | queue, none, 25},
    {"gaspi_read_list_notify", 26, rank | size | notification | queue, none, 25},
    {"gaspi_passive_send", 27, rank | size, none, 4},
    {"gaspi_passive_receive", 28, size, rank, 3},
    {"gaspi_atomic_fetch_add", 29, rank, none, 21},
    {"gaspi_atomic_compare_swap", 30, rank, none, 21},
    {"gaspi_barrier", 31, none, none, 13},
    {"gaspi_allreduce", 32, none, none, 13},
    {"gaspi_allreduce_user", 33, none, none, 13},
    {"gaspi_queue_create", 34, none, queue, 30},
    {"gaspi_queue_delete", 35, queue, none, 30},
};

constexpr PrvState kStates[] = {
    {0, "Idle", "117,195,255"},
    {1, "Running", "0,0,255"},
    {2, "Not created", "255,255,255"},
    {3, "Waiting a message", "255,0,0"},
    {4, "Blocking Send", "255,0,174"},
    {5, "Synchronization", "179,0,0"},
    {6, "Test/Probe", "0,255,0"},
    {7, "Scheduling and Fork/Join", "255,255,0"},
    {8, "Wait/WaitAll", "235,0,0"},
    {9, "Blocked", "0,162,0"},
    {10, "Immediate Send", "255,0,255"},
    {11, "Immediate Receive", "100,100,177"},
    {12, "I/O", "172,174,41"},
    {13, "Group Communication", "255,144,26"},
    {14, "Tracing Disabled", "2,255,177"},
    {15, "Others", "192,224,0"},
    {16, "Send Receive", "66,66,66"},
    {17, "Memory transfer", "255,0,96"},
    {20, "Remote memory access", "0,109,255"},
    {21, "Atomic memory operation", "200,61,68"},
    {22, "Memory ordering operation", "200,66,0"},
    {25, "One-sided op", "116,116,116"},
    {30, "Allocating memory", "255,46,0"},
    {31, "Freeing memory", "100,216,32"},
};

}  // namespace

std::span<const Routine> routines() {
  return kRoutines;
}

const Routine* find_routine(std::string_view name) {
  const auto found = std::ranges::find(kRoutines, name, &Routine::name);
  return found == std::end(kRoutines) ? nullptr : found;
}

std::span<const PrvState> states() {
  return kStates;
}

int state_of(EventKind like) {
  if (is_collective(like)) return 13;
  switch (like) {
    case EventKind::wait_some:
    case EventKind::reset:
    case EventKind::put:
    case EventKind::get:
    case EventKind::put_notify:
    case EventKind::notify: return 25;
    case EventKind::atomic:
    case EventKind::accumulate: return 21;
    case EventKind::queue_wait: return 8;
    case EventKind::fence: return 22;
    case EventKind::lock:
    case EventKind::unlock:
    case EventKind::connect:
    case EventKind::disconnect: return 5;
    case EventKind::message: return 4;
    case EventKind::receive: return 3;
    case EventKind::segment_create: return 30;
    case EventKind::segment_delete: return 31;
    case EventKind::recording_off: return 14;
    default: return 15;
  }
}

}  // namespace polder::trace::paraver
