// Atomics on memory that this unit does not load and store: its owner carries them out, when a message asks it to.
#pragma once

#include "api/dart/job/letters.hpp"
#include "api/dart/symbols.hpp"

#include <polder/runtime.hpp>
#include <polder/status.hpp>
#include <polder/types.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace polder::dart {

struct AtomicHead;
struct AtomicAnswer;
struct DecodedAtomic;

// Of registered memory the serial that its owner gave to it, so that nothing else is taken for it.
struct AtomicTarget {
  GlobalAddress address;
  std::uint32_t serial = 0;
};

// Thread safe.
class AtomicService {
 public:
  AtomicService(Runtime& runtime, LetterOffice& letters);
  AtomicService(const AtomicService&) = delete;
  AtomicService& operator=(const AtomicService&) = delete;

  // Before the first message of a peer.
  Status open();

  // Registered memory goes whenever its owner wants, and its segment's number is given to other memory: what was under way is told
  // apart by the serial, which is never 0. After withdraw() nothing is carried out there any more.
  std::uint32_t offer(SegmentId segment);
  void withdraw(SegmentId segment);

  // Posts; `values` may be changed when it returns. REQUIRES: the operation is defined for the type.
  Status accumulate(const AtomicTarget& target, const void* values, std::size_t count, dart_datatype_t type,
                    dart_operation_t op);
  // Wait for the answer, a round trip.
  Status fetch(const AtomicTarget& target, const void* value, void* old, dart_datatype_t type, dart_operation_t op);
  Status compare_swap(const AtomicTarget& target, const void* value, const void* compare, void* old,
                      dart_datatype_t type);

  // Waits until the accumulates to the rank, or to all, have been carried out; peer_failed: it has gone. One that its
  // owner refused is told once, also by a flush of another rank. All have ended, or their ranks have, whatever it returns.
  Status flush(Rank rank);
  Status flush_all();

 private:
  struct Awaited;

  Status ask(const AtomicTarget& target, AtomicHead& head, std::span<const std::byte> payload, void* old);
  Status send(Rank rank, const AtomicHead& head, std::span<const std::byte> payload);
  Code carry_out_here(const DecodedAtomic& request, std::byte* old);
  void serve(Rank source, std::span<const std::byte> letter);
  void take(Rank source, std::span<const std::byte> letter);
  void take_end(Rank source, Code code);
  void take_old(Awaited& awaited, const AtomicAnswer& answer);
  template <class Done>
  Status wait(Rank rank, Done done);

  Runtime& runtime_;
  LetterOffice& letters_;
  std::mutex offered_mutex_;  // for the two below, and while an atomic is carried out in what is offered
  std::map<SegmentId, std::uint32_t> offered_;
  std::uint32_t last_serial_ = 0;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::uint64_t last_token_ = 0;
  std::map<std::uint64_t, Awaited*> awaited_;  // by token, while the call that asked waits
  std::vector<std::uint64_t> under_way_;       // accumulates, by rank
  Code failed_ = Code::ok;                     // of an accumulate since the last flush
  std::uint64_t failures_ = 0;                 // since then
  // Accumulates under way, and failures: where there are none flush() takes no lock.
  std::atomic<std::uint64_t> untold_{0};
};

}  // namespace polder::dart
