// An operation of this rank that is under way, from posting to its end.
#pragma once

#include "device/completion_sink.hpp"
#include "device/region.hpp"
#include "util/spin_lock.hpp"

#include <polder/status.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace polder::device::wire {

class Link;

struct WireOperation {
  enum class Kind : std::uint8_t { put, get, atomic };

  Kind kind = Kind::put;
  std::uint32_t id = 0;     // as the peer hears it: those of its place in the table come again,
  std::uint32_t round = 0;  // and have done so this often
  CompletionSink* completion = nullptr;
  Link* link = nullptr;
  // Of the link; 0: not posted yet. Set under the lock of the link.
  std::atomic<std::uint32_t> incarnation{0};
  bool active = false;

  std::uint64_t* old = nullptr;  // of an atomic: where the caller wants the old value,
  std::uint64_t old_value = 0;   // which is kept here until nobody holds a lock
  std::vector<Piece> pieces;     // of a get
  std::uint64_t missing = 0;     // of a get: bytes that have not come yet
  bool foreign = false;          // pages of its memory may be missing: no lock is held where that is touched
  Status status;

  // Parts that are under way from or to the caller's memory, and whether its end is decided: the peer has carried it
  // out, or refused, or is lost. It ends when both is so.
  static constexpr std::uint32_t kDecided = 1u << 31;
  std::atomic<std::uint32_t> parts{0};

  bool is_decided() const { return (parts.load(std::memory_order_acquire) & kDecided) != 0; }
  void begin_part() { parts.fetch_add(1, std::memory_order_relaxed); }

  // local() must have returned before remote() is called, and different threads call them: who comes second goes on.
  static constexpr std::uint8_t kLocalTold = 1, kEnded = 2;
  std::atomic<std::uint8_t> told{0};

  WireOperation* next = nullptr;        // in the list of a frame, or of those that have ended
  WireOperation* next_local = nullptr;  // in the list of those whose source is the caller's again
};

// Operations by number. Taking and giving back may happen in any thread; the rest under the device's lock.
class OperationTable {
 public:
  static constexpr std::uint32_t kLimit = 1 << 20;

  // Null if kLimit are under way.
  WireOperation* take(WireOperation::Kind kind, CompletionSink* completion, Link& link);
  void give_back(WireOperation* operation);

  // The operation of that number, if it is one of this link that nothing has been decided about; else null.
  WireOperation* find(std::uint32_t id, const Link& link, std::uint32_t incarnation);

  template <class Visit>
  void for_each(Visit&& visit) {
    util::SpinGuard lock(lock_);
    for (std::size_t i = 0; i < made_; ++i)
      if (WireOperation& operation = at(i); operation.active) visit(operation);
  }

  // ---- telling the caller; no lock is held ----

  void tell_local(WireOperation* operation);
  void tell_end(WireOperation* operation);
  // A part less is under way.
  void end_part(WireOperation* operation);

 private:
  static constexpr std::uint32_t kChunk = 1024;
  using Chunk = std::array<WireOperation, kChunk>;

  WireOperation& at(std::size_t index) POLDER_REQUIRES(lock_) { return (*chunks_[index / kChunk])[index % kChunk]; }
  void end(WireOperation* operation);

  util::SpinLock lock_;
  std::array<std::unique_ptr<Chunk>, kLimit / kChunk> chunks_ POLDER_GUARDED_BY(lock_);
  std::size_t made_ POLDER_GUARDED_BY(lock_) = 0;
  std::vector<WireOperation*> free_ POLDER_GUARDED_BY(lock_);
};

}  // namespace polder::device::wire
