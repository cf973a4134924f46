// What an event is about: a number, and a table that gives the number its name.
//
// Here are the words that all of Polder shares. A module with words of its own takes numbers from its range, keeps
// its table next to the code that records them, and gives the table to Recorder::name_kinds(): the names travel in the
// trace file, so whoever reads it needs no list of modules.
#pragma once

#include <cstdint>
#include <span>

namespace polder::trace {

enum class Kind : std::uint16_t {
  none = 0,

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
  progress,  // a round of the helper that found work; bytes: messages handled

  // Messages to numbered handlers. value: the number of the handler.
  message,  // sent
  handler,  // run at the target; peer: who sent it

  // Collectives. bytes: the contribution of this rank.
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  allgather,
  scatter,
  alltoall,

  // Set-up.
  segment_create,
  segment_delete,
  segment_import,
  connect,
  disconnect,
  group_create,
  runtime,  // from the opening of a runtime until it is ready
  shutdown,
  peer_failed,  // mark: this rank learned that `peer` is gone

  // Numbers from here on belong to other modules and to users; see Recorder::name_kinds().
  first_coll = 256,
  first_task = 512,
  first_dsm = 576,
  first_ckpt = 640,
  first_container = 704,
  first_door = 768,  // gaspi, armci, dart
  first_user = 4096,
};

// The n-th kind of a range: kind_of(Kind::first_coll, 3).
constexpr Kind kind_of(Kind first, std::uint16_t n) {
  return Kind(std::uint16_t(first) + n);
}

struct KindName {
  Kind kind = Kind::none;
  const char* name = "";      // as a person would read it: "put_notify"
  const char* category = "";  // the module; viewers filter by it
};

// The names of the kinds above.
std::span<const KindName> shared_kinds();

}  // namespace polder::trace
