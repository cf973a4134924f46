// Puts and gets, and what tells that they are complete.
#pragma once

#include "api/dart/transfer/place.hpp"
#include "api/dart/transfer/runs.hpp"

#include <polder/handle.hpp>
#include <polder/queue.hpp>
#include <polder/status.hpp>

#include <atomic>
#include <cstddef>
#include <cstring>

// What a dart_handle_t points to, while something is under way.
struct dart_handle_struct {
  polder::Handle posted;
};

namespace polder::dart {

enum class TransferDirection : bool { get, put };

// Where types lie in one piece on both sides, and are what they should be: bytes; else 0.
inline std::size_t plain_bytes(std::size_t elements, dart_datatype_t one, dart_datatype_t other) {
  constexpr std::size_t kMost = std::size_t{1} << 48;
  return one == other && is_basic(one) && elements < kMost ? elements * basic_size(one) : 0;
}

// `local` is only read by puts.
struct TransferCall {
  TransferDirection direction;
  std::byte* local;
  dart_gptr_t remote;
  std::size_t elements;
  dart_datatype_t local_type, remote_type;
};

// Any transfer. Complete at return where this unit loads and stores the memory; else as `post` says.
Status transfer(DartEpoch& epoch, const TransferCall& call, const Post& post);

// For calls that a program repeats until memory of its own has changed: lets the others go on now and then.
void let_others_go_on(DartEpoch& epoch);

// True: done. Memory of the same type in one piece that this unit loads and stores: a copy and nothing else.
inline bool copied(DartEpoch& epoch, const TransferCall& call) {
  const std::size_t bytes = plain_bytes(call.elements, call.local_type, call.remote_type);
  TargetPlace place;
  if (bytes == 0 || call.local == nullptr || !find_place(epoch, call.remote, place) || place.direct == nullptr ||
      !inside(call.remote, place, bytes)) [[unlikely]]
    return false;
  // Signals are single elements: who sees one sees what was stored before it.
  if (call.direction == TransferDirection::put) {
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(place.direct, call.local, bytes);
  } else {
    std::memcpy(call.local, place.direct, bytes);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (place.own) let_others_go_on(epoch);
  }
  return true;
}

// Waits for all that this unit posted to one unit, or to all.
Status flush(DartEpoch& epoch, const dart_gptr_t& pointer, Completion completion);
Status flush_all(DartEpoch& epoch, const dart_gptr_t& pointer, Completion completion);

}  // namespace polder::dart
