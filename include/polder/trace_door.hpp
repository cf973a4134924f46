// For doors: adapters that give Polder another interface, and record their calls as what the program called.
//
//   constexpr trace::DoorCallName kNames[] = {{trace::door_kind(0, 4), trace::Like::put, "gaspi_write", "gaspi"}, ...};
//   trace::name_door_calls(kNames);                                    // once, before the runtime is made
//   trace::DoorCall call(kNames[0].kind, {.peer = rank, .bytes = size});   // in each call; until the end of the scope
//
// What the library's own calls inside it know besides, such as the tag of a group, is added; they are not recorded again.
#pragma once

#include <polder/export.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <cstdint>
#include <span>

namespace polder::trace {

class Recorder;

// What a door's call is like: readers of traces treat it so.
enum class Like : std::uint8_t {
  put,
  get,
  put_notify,
  notify,
  atomic,
  accumulate,
  wait_some,
  reset,
  queue_wait,
  fence,
  lock,
  unlock,
  message,
  receive,
  barrier,
  broadcast,
  reduce,
  allreduce,
  reduce_scatter,
  allgather,
  gather,
  scatter,
  alltoall,
  segment_create,
  segment_delete,
  group_create,
  connect,
  disconnect,
  other_call,
};

struct DoorCallName {
  std::uint16_t kind;
  Like like;
  const char* name;
  const char* category;
};

// Numbers for the calls of a door: 256 for each of doors 0 to 11. 0 is GASPI, 1 ARMCI, 2 DART.
constexpr std::uint16_t door_kind(unsigned door, unsigned call) {
  return std::uint16_t(768 + door * 256 + call);
}

POLDER_API void name_door_calls(std::span<const DoorCallName> names);  // texts must outlive the process's runtimes

// Null while the process's first runtime is not traced.
POLDER_API extern std::atomic<Recorder*> door_recorder;

struct DoorDetails {  // what is left as it is means nothing to this call
  Rank peer = ~Rank{0};
  SegmentId segment = ~SegmentId{0};
  std::uint64_t bytes = 0;
  std::uint16_t queue = 0xffff;
  NotificationId notification = ~NotificationId{0};
  NotificationValue value = 0;
};

class POLDER_API DoorCall {
 public:
  DoorCall(std::uint16_t kind, const DoorDetails& details) {
    if (door_recorder.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      begin(kind, details);
  }
  ~DoorCall() {
    if (recorder_ != nullptr) [[unlikely]]
      end();
  }
  DoorCall(const DoorCall&) = delete;
  DoorCall& operator=(const DoorCall&) = delete;

  // Calls of this thread fail; the outermost one is recorded with that outcome.
  static void note_outcome(Code code);

  bool active() const { return recorder_ != nullptr; }
  // What is known only at the end.
  void set_peer(Rank peer) { details_.peer = peer; }
  void set_bytes(std::uint64_t bytes) { details_.bytes = bytes; }
  void set_queue(std::uint16_t queue) { details_.queue = queue; }

 private:
  void begin(std::uint16_t kind, const DoorDetails& details);
  void end();

  Recorder* recorder_ = nullptr;
  std::uint16_t kind_ = 0;
  std::int64_t begin_ = 0;
  DoorDetails details_;
};

}  // namespace polder::trace
