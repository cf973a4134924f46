// What an event is about: a number, and a table that gives the number its name.
//
// Here are the words that all of Polder shares. A module with words of its own takes numbers from its range, keeps
// its table next to the code that records them, and gives the table to Recorder::name_kinds(): the names travel in the
// trace file, so whoever reads it needs no list of modules.
#pragma once

#include <cstdint>
#include <span>

namespace polder::trace {

enum class EventKind : std::uint16_t {
  none = 0,

  // Calls: of the library's own door, and what calls of other doors are like (KindName::like). A call inside a call of a
  // door is not recorded a second time.
  // One-sided operations, from the call until it returns. bytes: payload; segment: at the peer.
  put,
  get,
  put_notify,  // segment, notification, value: the flag that follows the data
  notify,
  atomic,
  accumulate,

  // Synchronisation.
  wait_some,   // notification: the one that ended the wait; segment: of this rank
  reset,       // notification, value: what was taken (0: nothing was there); segment: of this rank
  queue_wait,  // queue
  fence,
  lock,  // a mutex; peer: whose, value: its number
  unlock,

  // Messages. value: the number of the handler.
  message,  // sent
  receive,  // waited for by the program, as passive communication does; peer: who sent it

  // Collectives. bytes: the contribution of this rank; segment: the group's tag; value: which one of the group, counted
  // from 1, or 0 where only the order tells; peer: the root; queue: the number of the algorithm, whose name is that of
  // algorithm_kind().
  barrier,
  broadcast,
  reduce,
  allreduce,
  reduce_scatter,
  allgather,
  gather,
  scatter,
  alltoall,
  scan,
  exscan,

  // Set-up.
  segment_create,
  segment_delete,
  group_create,  // segment: the group's tag
  connect,       // from the first look for a peer until it is reached
  disconnect,
  other_call,  // asks or sets something and waits for nobody

  // A collective that all members call, and in which each waits for its neighbours only. Behind the others, whose numbers
  // stay as they are in files.
  neighbours,

  // No calls, but what happens within and beside them.
  first_inner = 128,
  handler = first_inner,  // a message's handler, run at the target; peer: who sent it
  progress,               // a round of the helper that found work; bytes: messages handled
  segment_import,
  runtime,  // from the opening of a runtime until it is ready
  shutdown,
  peer_failed,    // mark: this rank learned that `peer` is gone
  peer_doubted,   // mark: this rank has lost its link to `peer` and asks the others
  region,         // of the user
  user_mark,      // of the user; bytes: the value
  user_counter,   // of the user
  recording_off,  // the program wanted no records, or the window left them out
  hardware,       // counter: of the processor
  room,           // a post waited until its queue had room; queue

  // Numbers from here on belong to other modules and to users; see Recorder::name_kinds().
  first_coll = 256,
  first_task = 512,
  first_dsm = 576,
  first_ckpt = 640,
  first_container = 704,
  first_door = 768,  // gaspi, armci, dart
  first_user = 4096,
};

constexpr bool is_call(EventKind kind) {
  return kind > EventKind::none && kind < EventKind::first_inner;
}

// Collectives in which members may wait for all others: one event of all.
constexpr bool is_meeting(EventKind like) {
  return like >= EventKind::barrier && like <= EventKind::exscan;
}
constexpr bool is_collective(EventKind like) {
  return is_meeting(like) || like == EventKind::neighbours;
}

// What bears the name of a collective's algorithm; no event is of such a kind.
constexpr EventKind algorithm_kind(std::uint16_t algorithm) {
  return EventKind(std::uint16_t(EventKind::first_coll) + algorithm % 256);
}

// The n-th kind of a range: kind_of(EventKind::first_coll, 3).
constexpr EventKind kind_of(EventKind first, std::uint16_t n) {
  return EventKind(std::uint16_t(first) + n);
}

struct KindName {
  EventKind kind = EventKind::none;
  EventKind like = EventKind::none;  // the shared kind that it means: what readers know of that holds for this one
  const char* name = "";             // as a person would read it: "put_notify"
  const char* category = "";         // the module; viewers filter by it
};

// The names of the kinds above.
std::span<const KindName> shared_kinds();

}  // namespace polder::trace
